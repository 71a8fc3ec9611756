"""A run that waited 90 days, while prompts, tools and policy changed under it: nothing is replayed."""

from typing import Any

from entracte.agents import Agent, Network, tool
from entracte.core.due import execute_message
from tests.gates.scene import PATIENT, SEND, Scene
from tests.gates.shop import RULES, Shop, gated, policy, policy_of, raising
from tests.runtime.scenes import MODEL, told
from tests.runtime.script import Script

OPS, SEC, NEW = "ops@shop.example", "sec@shop.example", "new@shop.example"
UPGRADE = ("write", {"id": 1, "plan": "Pro"})


def parked(*wanted, rules=None):
    """A run that has waited 90 days."""
    scene = Scene(*(wanted or [SEND]), rules=rules)
    scene.world.clock.advance(days=90)
    return scene


def deploy(scene, *, rules=None, tools=None, prompt="You keep another shop.", model=None):
    """Everything is stopped; what starts is another version of the network."""
    desk = Agent(name="desk", prompt=prompt, tools=scene.shop.tools if tools is None else tools)
    network = Network(entry=desk, models=MODEL, policy=rules or policy(), budget=PATIENT)
    scene.model = model or Script(["done"])
    scene.world = scene.world.again(network=network, model=scene.model)


def approved(scene, **how):
    """The scene once its gate is approved and everything has moved."""
    scene.decide("approve", **how)
    scene.settle()
    return scene


def without(scene, name):
    """The shop's tools but one."""
    return [t for t in scene.shop.tools if t.name != name]


def test_an_approval_completes_a_run_whose_prompts_have_changed():
    """With the call that was shown, and the prompt of today from there on."""
    scene = parked()
    deploy(scene, prompt="You keep a tidy shop.")
    approved(scene)
    assert (scene.status, scene.shop.done) == ("succeeded", [("send", "ada")])
    assert "You keep a tidy shop." in scene.model.asked("plan")[-1].system


def test_what_was_known_of_one_call_is_not_known_of_another():
    """Somebody agreed that one record is not there; now somebody else puts another record in its place."""
    scene = parked(("write", {"id": 9, "plan": "Pro"}))
    scene.decide("approve")
    deploy(scene, rules=gated("write", f", editable: true, approvers: [{OPS}]"))
    scene.world.process.engine.handle(execute_message(scene.action))
    scene.decide("approve", by=OPS, edited_arguments='{"id": 8, "plan": "Pro"}')
    scene.settle()
    assert [gate.z.kind for gate in scene.gates] == ["absence", "approval", "absence"]
    assert (scene.statuses, scene.open[0].z.arguments.value["id"]) == (["gated"], 8)


def test_the_agent_is_told_of_a_tool_that_no_longer_exists():
    """The run is not broken by it."""
    scene = parked()
    deploy(scene, tools=without(scene, "send"), rules=policy(send=None))
    approved(scene)
    assert (scene.status, scene.statuses, scene.shop.done) == ("succeeded", ["failed"], [])
    assert told(scene.model, 2) == ["send failed: There is no tool 'send' any more."]


def test_the_agent_is_told_what_a_changed_signature_wants():
    """Approved arguments that do not fit any more are not sent."""

    @tool
    def send(address: str) -> str:
        """Send a mail."""
        raise AssertionError("it must not be called")

    scene = parked()
    deploy(scene, tools=[*without(scene, "send"), send])
    approved(scene)
    (line,) = told(scene.model, 2)
    assert (scene.status, scene.statuses) == ("succeeded", ["failed"])
    assert "arguments do not fit" in line
    assert "/address: Field required" in line


def test_a_new_parameter_with_a_default_is_no_obstacle():
    """What was approved still says all that is needed."""
    sent: list[Any] = []

    @tool
    def send(to: str, urgent: bool = False) -> str:
        """Send a mail."""
        sent.append((to, urgent))
        return "sent"

    scene = parked()
    deploy(scene, tools=[*without(scene, "send"), send])
    approved(scene)
    assert (scene.status, scene.statuses, sent) == ("succeeded", ["applied"], [("ada", False)])


def test_the_run_fails_with_the_reason_when_its_agent_is_gone():
    """The approved call is still made, since a person has approved it; then nobody is left to go on."""
    scene = parked()
    other = Agent(name="other", prompt="You are new.", tools=scene.shop.tools)
    network = Network(entry=other, models=MODEL, policy=policy(), budget=PATIENT)
    scene.world = scene.world.again(network=network, model=Script({"other": ["done"]}))
    approved(scene)
    assert (scene.status, "'desk' is no longer part of the network" in scene.run.error) == ("failed", True)
    assert scene.shop.done == [("send", "ada")]


def asked_again(scene, **how):
    """The gate that is asked after an approval that does not suffice any more; nothing has been called."""
    approved(scene, **how)
    assert (scene.shop.done, scene.statuses[0], scene.status) == ([], "gated", "waiting")
    assert [gate.status for gate in scene.gates] == ["approved", "waiting"]
    return scene.gate


def test_a_quorum_that_was_raised_is_asked_for():
    """One approval under the old rule does not do; both have to approve what they see now."""
    scene = parked()
    deploy(scene, rules=policy(send=f"class: irreversible, quorum: 2, approvers: [{OPS}, {SEC}]"))
    gate = asked_again(scene)
    assert (gate.why, gate.z.quorum) == ("The policy asks for 2 people now; 1 approved.", 2)
    scene.decide("approve", by=OPS)
    scene.settle()
    assert scene.shop.done == []
    approved(scene, by=SEC)
    assert (scene.status, scene.shop.done) == ("succeeded", [("send", "ada")])


def test_approvers_that_were_changed_are_asked():
    """Whom the old rule named may still answer the old gate, but not make the call."""
    scene = parked(rules=policy(send=f"class: irreversible, approvers: [{OPS}]"))
    deploy(scene, rules=policy(send=f"class: irreversible, approvers: [{NEW}]"))
    gate = asked_again(scene, by=OPS)
    assert (gate.why, gate.z.approvers) == ("The policy names other approvers now.", (NEW,))
    approved(scene, by=NEW)
    assert (scene.status, scene.shop.done) == ("succeeded", [("send", "ada")])


def test_four_eyes_that_were_demanded_meanwhile_are_asked_for():
    """Whoever asked for the run has approved it: somebody else has to."""
    scene = parked()
    deploy(scene, rules=policy(send="class: irreversible, four_eyes: true"))
    assert asked_again(scene).z.four_eyes
    approved(scene, by=OPS)
    assert scene.shop.done == [("send", "ada")]


def test_the_recorded_rule_counts_where_it_was_stricter():
    """A policy that asks for less does not open a gate that asked for more."""
    scene = parked(rules=policy(send=f"class: irreversible, quorum: 2, approvers: [{OPS}, {SEC}]"))
    deploy(scene, rules=policy(send="class: irreversible, gate: never"))
    scene.decide("approve", by=OPS)
    scene.settle()
    assert (scene.shop.done, scene.gate.status) == ([], "waiting")
    approved(scene, by=SEC)
    assert scene.shop.done == [("send", "ada")]


def test_a_tool_that_became_irreversible_is_asked_about_as_what_it_is_now():
    """Whoever approved a change that could be put back has not approved one that cannot."""
    scene = parked(UPGRADE, rules=gated("write"))
    deploy(scene, rules=policy(write="class: irreversible"))
    gate = asked_again(scene)
    assert gate.why == "It was approved as reversible, and the policy says irreversible now."
    approved(scene)
    assert (scene.shop.plans()[1], scene.status, len(scene.gates)) == ("Pro", "succeeded", 2)


def test_a_tool_that_became_reversible_is_not_asked_about_again():
    """And it can be undone, by the rule of today."""
    scene = parked(UPGRADE, rules=policy(write="class: irreversible"))
    deploy(scene, rules=policy())
    approved(scene)
    assert (scene.status, len(scene.gates), scene.undo().status) == ("succeeded", 1, "undone")


def test_a_call_that_was_thought_to_read_is_undone_as_what_it_is_by_now():
    """The policy was wrong when the call was planned, and is right when it is made."""
    scene = parked(UPGRADE, rules=policy(write="class: readonly, gate: always"))
    deploy(scene, rules=gated("write"))
    asked_again(scene)
    approved(scene)
    assert scene.shop.plans()[1] == "Pro"
    assert (scene.undo().status, scene.statuses, scene.shop.plans()[1]) == ("undone", ["reverted"], "Free")


def test_a_tool_that_lost_its_rule_is_asked_about_as_irreversible():
    """Unknown tools are never called silently."""
    scene = parked(UPGRADE, rules=gated("write"))
    rules = {name: rule for name, rule in RULES.items() if name not in ("write", "remove", "add")}
    deploy(scene, rules=policy_of(rules))
    assert "irreversible" in asked_again(scene).why


def test_a_tool_that_is_gated_by_now_is_not_called_although_it_was_proposed_before():
    """What had not been prepared goes by the rule of today."""
    scene = Scene(UPGRADE, start=False)
    scene.deliver()
    waiting = list(scene.world.bus.waiting)
    deploy(scene, rules=gated("write"))
    for message in waiting:
        scene.world.deliver(message)
    scene.settle()
    assert (scene.statuses, scene.gate.z.kind, scene.shop.done) == (["gated"], "approval", [])


def test_an_undo_90_days_later_goes_by_the_inverse_that_was_recorded():
    """The policy's new inverse is only taken with --replan."""
    scene = Scene(UPGRADE)
    scene.world.clock.advance(days=20)
    changed = RULES["write"].replace("plan: $snapshot.plan", "plan: Team")
    deploy(scene, rules=policy(write=changed))
    scene.undo()
    assert scene.shop.plans()[1] == "Free"


def test_an_undo_stops_at_a_change_whose_tool_has_gone():
    """It cannot read what it changed; nothing is guessed."""
    scene = Scene(UPGRADE)
    deploy(scene, tools=without(scene, "write"), rules=policy(write=None))
    run = scene.undo()
    assert (run.status, run.undo.stopped, scene.shop.plans()[1]) == ("partial", scene.action.id, "Pro")


def test_a_doubt_about_a_tool_that_has_gone_can_still_be_settled():
    """Happened or given up; a retry cannot be made, and leaves the doubt."""
    for word, status in (("happened", "applied"), ("give_up", "unknown"), ("retry", "unknown")):
        shop = Shop()
        shop.before["write"] = raising(ConnectionResetError("cut"))
        scene = Scene(UPGRADE, shop=shop)
        deploy(scene, tools=without(scene, "write"), rules=policy(write=None))
        scene.decide(word)
        scene.settle()
        assert (scene.status, scene.statuses) == ("succeeded", [status])
