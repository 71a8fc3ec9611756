"""What a decision does: to its call, to the calls beside it, and to the agent (phases/approve.py)."""

import json

import pytest

from entracte.agents import Agent, ToolSpec
from entracte.core.addresses import action_path
from entracte.core.payload import digest
from entracte.errors import InvalidInput
from tests.gates.scene import SEND, Scene
from tests.gates.shop import Shop, policy, policy_of
from tests.runtime.scenes import a_world, events, told, value
from tests.runtime.script import Script, calls, results

TO_ADA, TO_BOB, TO_CY = (("send", {"to": name}) for name in ("ada", "bob", "cy"))
EDITABLE = policy(send="class: irreversible, editable: true")


def gate_of(scene, to):
    """The gate of the mail to somebody."""
    (gate,) = (gate for gate in scene.gates if gate.z.arguments.value["to"] == to)
    return gate


def test_an_approval_makes_exactly_the_call_that_the_gate_showed():
    """And the run ends with its answer."""
    scene = Scene(SEND)
    scene.decide("approve", reason="fine")
    scene.settle()
    assert (scene.status, scene.shop.done, value(scene.run.output)) == ("succeeded", [("send", "ada")], "done")
    (decided,) = events(scene.world, scene.run, "gate.decided")
    assert (decided.data["by"], decided.data["reason"], decided.data["status"]) == ("ada", "fine", "approved")


def test_a_denied_sibling_leaves_the_approved_ones_alone():
    """Each gate decides its own call; the agent is told of all, with verdict and reason."""
    scene = Scene(TO_ADA, TO_BOB, TO_CY)
    scene.decide("approve", gate=gate_of(scene, "cy"))
    scene.decide("deny", gate=gate_of(scene, "bob"), reason="Bob is away.")
    scene.settle()
    assert (scene.statuses, scene.status) == (["gated", "denied", "applied"], "waiting")
    scene.decide("approve", gate=gate_of(scene, "ada"))
    scene.settle()
    assert (scene.statuses, scene.shop.done) == (["applied", "denied", "applied"], [("send", "cy"), ("send", "ada")])
    assert scene.told == ["send denied: Denied by ada. Bob is away."]


def test_the_judging_model_sees_a_denial_beside_the_results():
    """So that it does not take the mail for sent."""
    scene = Scene(TO_ADA, TO_BOB)
    scene.decide("deny", gate=gate_of(scene, "ada"))
    scene.decide("approve", gate=gate_of(scene, "bob"))
    scene.settle()
    shown = [(r["arguments"]["to"], r["status"]) for r in results(scene.model.asked("evaluate")[0])]
    assert shown == [("ada", "denied"), ("bob", "ok")]


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_answers_are_matched_by_id_never_by_position(order):
    """Whichever is answered first."""
    scene = Scene(TO_ADA, TO_BOB, TO_CY)
    gates = scene.gates
    for index in order:
        scene.decide("deny" if index == 1 else "approve", gate=gates[index])
        scene.settle()
    assert sorted(scene.shop.done) == [("send", "ada"), ("send", "cy")]


def test_two_gates_of_a_run_are_decided_in_one_batch():
    """Each is recorded on its own; messages of both are on their way at once."""
    scene = Scene(TO_ADA, TO_BOB)
    first, second = scene.gates
    scene.world.bus.publish([scene.message("approve", "1", gate=first), scene.message("deny", "2", gate=second)])
    scene.settle()
    assert (scene.status, scene.statuses, scene.shop.done) == ("succeeded", ["applied", "denied"], [("send", "ada")])
    assert [[vote.decision for vote in gate.votes] for gate in scene.gates] == [["approve"], ["deny"]]


def test_a_call_is_held_once_whatever_is_approved_in_bulk():
    """Approving all twice decides nothing twice."""
    scene = Scene(TO_ADA, TO_BOB)
    scene.world.bus.publish([scene.message("approve", f"{n}", gate=gate) for n, gate in enumerate(scene.gates * 2)])
    scene.settle()
    assert (sorted(scene.shop.done), len(scene.gates)) == ([("send", "ada"), ("send", "bob")], 2)
    assert [[vote.refused for vote in gate.votes] for gate in scene.gates] == [["", "gate_already_decided"]] * 2


def nested(depth, shop):
    """A chain of agents; the last of them sends two mails."""
    agent = Agent(name=f"a{depth}", prompt="You send.", tools=shop.tools)
    plans = {f"a{depth}": [calls(TO_ADA, TO_BOB), "sent"]}
    for level in range(depth - 1, 0, -1):
        plans[f"a{level}"] = [calls((agent.name, {"message": "go on"})), "passed on"]
        agent = Agent(name=f"a{level}", prompt="You pass on.", agents=[agent])
    model = Script(plans | {"desk": [calls((agent.name, {"message": "go on"})), "done"]})
    return Scene(model=model, shop=shop, agents=[agent])


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_gate_inside_sub_agents_is_a_gate_like_any_other(depth):
    """The whole run is parked, and the whole run goes on."""
    scene = nested(depth, Shop())
    assert (scene.status, len(scene.open), scene.due()) == ("waiting", 2, {})
    scene.decide("deny", gate=gate_of(scene, "bob"), reason="No.")
    scene.settle()
    assert (scene.status, len(scene.open), scene.due()) == ("waiting", 1, {})
    scene.decide("approve")
    scene.settle()
    assert (scene.status, scene.shop.done, scene.due()) == ("succeeded", [("send", "ada")], {})
    assert told(scene.model, 2, f"a{depth}") == ["send denied: Denied by ada. No."]


def test_an_approver_may_change_the_arguments_of_an_editable_call():
    """Proposed, shown and effective arguments are all kept."""
    scene = Scene(SEND, rules=EDITABLE)
    shown = scene.gate.z.arguments.value
    gate = scene.decide("approve", edited_arguments='{"to": "bob", "body": "hi"}')
    scene.settle()
    action = scene.action
    assert scene.shop.done == [("send", "bob: hi")]
    assert (value(action.arguments), shown, value(action.effective)) == (
        {"to": "ada"},
        {"to": "ada"},
        {"to": "bob", "body": "hi"},
    )
    assert (action.digest, [vote.edited for vote in gate.votes]) == (digest({"to": "bob", "body": "hi"}), [True])
    assert results(scene.model.asked("evaluate")[0])[0]["arguments"] == {"to": "bob", "body": "hi"}


def test_edited_arguments_are_classed_again():
    """A record that the new arguments name is not there: that is asked, though the first ones were approved."""
    rules = policy(
        write="class: reversible, gate: always, editable: true, "
        "snapshot: {tool: read, args: {id: $.id}, absent_when: is not there}, "
        "inverse: {tool: write, args: {id: $.id, plan: $snapshot.plan}}"
    )
    scene = Scene(("write", {"id": 1, "plan": "Pro"}), rules=rules)
    scene.decide("approve", edited_arguments='{"id": 9, "plan": "Pro"}')
    scene.settle()
    assert (scene.statuses, scene.gate.z.kind, scene.shop.done) == (["gated"], "absence", [])
    assert scene.gate.z.arguments.value == {"id": 9, "plan": "Pro"}


def test_a_question_takes_any_text_and_the_text_is_the_result():
    """Nothing is called."""
    ask = ToolSpec(
        name="ask",
        summary="Ask the person.",
        asks=True,
        parameters={"type": "object", "properties": {"question": {"type": "string"}}, "required": ["question"]},
    )
    model = Script([calls(("ask", {"question": "Which Ada?"})), "done"])
    world = a_world(
        model, plain=[ask], on_tool_call=lambda call, ctx: 1 / 0, policy=policy_of({"ask": "class: readonly"})
    )
    run = world.ask("Go.")
    (gate,) = world.process.gates.of_run(run.id)
    assert (run.status, gate.z.kind, gate.question) == ("waiting", "question", "Which Ada?")
    with pytest.raises(InvalidInput, match="at most 4,000 characters"):  # what is cut off would not be missed
        world.process.gates.decide(gate.id, "x" * 4001, user="ada", via="cli")
    world.process.gates.decide(gate.id, "The one in London", user="ada", via="cli")
    world.settle()
    assert world.run(run.id).status == "succeeded"
    (shown,) = results(model.asked("evaluate")[0])
    assert (shown["status"], shown["result"]) == ("ok", "The one in London")


def test_time_spent_waiting_counts_neither_as_wall_time_nor_against_the_timeout():
    """The call has its full time, whenever it was approved."""
    deadlines = []
    scene = Scene(SEND)
    scene.world.clock.advance(days=30)
    scene.shop.before["send"] = lambda: deadlines.append(scene.world.clock.now())
    scene.decide("approve")
    scene.settle()
    assert (scene.status, scene.run.parked_ms) == ("succeeded", 30 * 24 * 3600 * 1000)
    assert deadlines == [scene.world.clock.now()]


def test_a_decision_wakes_the_run_and_arms_it_in_the_same_commit():
    """So a message that is lost then is made up for by sweep."""
    scene = Scene(SEND)
    scene.decide("approve")
    scene.world.bus.waiting.clear()
    assert (scene.status, action_path(scene.id, scene.action.id) in scene.due()) == ("running", True)
    scene.world.clock.advance(minutes=16)
    scene.world.sweep()
    scene.settle()
    assert (scene.status, scene.shop.done) == ("succeeded", [("send", "ada")])


def test_a_denial_that_lost_its_message_is_made_up_for_too():
    """The step goes on."""
    scene = Scene(SEND)
    scene.decide("deny")
    scene.world.bus.waiting.clear()
    scene.world.clock.advance(minutes=16)
    scene.world.sweep()
    scene.settle()
    assert scene.status == "succeeded"


def test_an_answer_that_is_delivered_twice_counts_once():
    """Also when the second comes weeks later."""
    scene = Scene(SEND)
    answer = scene.message("approve", "same")
    scene.world.deliver(answer)
    scene.world.deliver(answer)
    scene.settle()
    scene.world.clock.advance(days=20)
    scene.world.deliver(answer)
    scene.settle()
    assert (scene.shop.done, [vote.id for vote in scene.gates[0].votes]) == ([("send", "ada")], ["same"])


def test_a_denial_that_is_delivered_twice_counts_once():
    """The author may have died before the step could go on, so the second delivery looks after it."""
    scene = Scene(SEND)
    answer = scene.message("deny", "same")
    scene.world.deliver(answer)
    scene.world.bus.waiting.clear()
    scene.world.clock.advance(seconds=10)
    scene.world.deliver(answer)
    scene.settle()
    assert (scene.status, len(scene.gates[0].votes)) == ("succeeded", 1)


@pytest.mark.parametrize("word", ["approve", "deny"])
def test_a_caller_who_sends_an_answer_again_is_given_the_same_gate(word):
    """Their connection broke, and they try again at once, while the first try is still being published."""
    scene = Scene(SEND)
    gate = scene.gate
    first = scene.decide(word, gate=gate, answer_id="key")
    again = scene.decide(word, gate=gate, answer_id="key")
    assert (again.status, again.votes) == (first.status, first.votes)
    scene.settle()
    assert (scene.status, len(scene.shop.done)) == ("succeeded", word == "approve")


def test_a_gate_is_announced_once():
    """However often its message comes."""
    scene = Scene(SEND)
    announced = [m for m in scene.world.bus.published if m.kind == "approve"]
    assert [scene.world.deliver(m) for m in announced] == ["announced before, and nothing is due"]
    assert scene.gate.z.announced


def test_a_gate_can_be_read_by_whoever_sees_the_console():
    """Few readable fields, sorted by name as the console does, the machine's part last."""
    scene = Scene(SEND, rules=policy(send='class: irreversible, question: "Send this mail to $.to?", editable: true'))
    shown = scene.world.documents()[f"gates/{scene.gate.id}"]
    readable = {name: shown[name] for name in sorted(shown) if name not in ("z", "created", "rev", "schema_version")}
    assert json.loads(json.dumps(readable, default=str)) == {
        "asked_by": "agent desk, for ada",
        "decision": "",
        "decision_error": "",
        "decision_reason": "",
        "due": None,
        "edited_arguments": "",
        "expires": None,
        "how_to": "Write decision_reason first if you want one, then decision: approve or deny. "
        "To change the arguments, write them as JSON into edited_arguments first.",
        "preview": ["send: Send a mail.", "+ to: ada"],
        "question": "Send this mail to ada?",
        "run": scene.id,
        "status": "waiting",
        "votes": [],
        "why": "This cannot be undone.",
    }
