"""Every reason to ask a person, or to refuse, before a call is made (phases/starting_calls.py)."""

import pytest

from entracte.agents import UNGATED, tool
from entracte.core.policy.policy import Policy
from entracte.testing.crashing import Crash, CrashingStore, Fuse
from tests.gates.scene import SEND, Scene
from tests.gates.shop import RULES, Shop, gated, policy, raising
from tests.runtime.scenes import a_world, actions, value
from tests.runtime.script import Script, calls, results

UPGRADE = ("write", {"id": 1, "plan": "Pro"})
UNDONE_BY_NOTE = (
    "class: compensable, snapshot: {tool: read, args: {id: $.id}, absent_when: is not there}, "
    "inverse: {tool: write, args: {id: $.id, note: $.note}}"
)


def test_a_tool_without_any_rule_is_gated_with_the_reason():
    """It counts as one that cannot be undone."""
    scene = Scene(SEND, rules=policy(send=None))
    assert (scene.statuses, scene.action.policy_class) == (["gated"], "irreversible")
    assert scene.gate.why == "The policy says nothing of this tool, so it counts as one whose effect cannot be undone."
    scene.decide("approve")
    scene.settle()
    assert scene.shop.done == [("send", "ada")]


def test_a_tool_without_any_rule_that_says_it_is_readonly_is_called():
    """In process its author's word counts."""

    @tool(effect="readonly")
    def look() -> str:
        """Look."""
        return "seen"

    world = a_world(Script([calls(("look", {})), "done"]), look, *Shop().tools, policy=policy())
    assert world.ask("Go.").status == "succeeded"


def test_a_readonly_tool_is_gated_where_the_rule_says_so():
    """`gate: always` may stand on any class: reading can be delicate too."""
    scene = Scene(("read", {"id": 1}), rules=policy(read="class: readonly, gate: always"))
    assert (scene.statuses, scene.gate.why) == (["gated"], "The policy asks for approval.")
    scene.decide("approve")
    scene.settle()
    assert (scene.statuses, scene.status) == (["applied"], "succeeded")
    assert results(scene.model.asked("evaluate")[0])[0]["result"] == {"plan": "Free", "note": "", "seen": 0}


def test_a_gated_readonly_call_that_was_killed_is_simply_made_again():
    """It changes nothing, so nobody has to be asked whether it happened."""
    scene = Scene(("read", {"id": 1}), rules=policy(read="class: readonly, gate: always"))
    scene.decide("approve")
    message = scene.world.bus.waiting.pop(0)
    dying = scene.world.new_process(store=lambda store: CrashingStore(store, Fuse(4)))
    with pytest.raises(Crash):
        scene.world.deliver(message, dying)
    assert scene.statuses == ["started"]
    scene.lease_ends()
    scene.settle()
    assert (scene.statuses, scene.status, len(scene.gates)) == (["applied"], "succeeded", 1)


def test_a_gated_write_of_an_absent_record_is_asked_twice_for_two_reasons():
    """First the policy, then the absence, which the first approver could not know of."""
    scene = Scene(UPGRADE, rules=gated("write"))
    del scene.shop.records[1]
    scene.decide("approve")
    scene.settle()
    assert [gate.z.kind for gate in scene.gates] == ["approval", "absence"]
    scene.decide("approve")
    scene.settle()
    assert (scene.statuses, len(scene.gates)) == (["failed"], 2)


def test_an_inverse_that_cannot_be_resolved_is_known_before_the_write():
    """Asked, saying what is missing."""
    scene = Scene(UPGRADE, rules=policy(write=UNDONE_BY_NOTE))
    assert (scene.statuses, scene.gate.z.kind, scene.shop.done) == (["gated"], "unresolvable", [])
    assert scene.gate.why == (
        "This could not be undone: $.note cannot be resolved: $ has no field 'note' (it has: id, plan)."
    )


def test_a_write_whose_unresolvable_inverse_was_approved_is_permanent():
    """It is made, with a warning, and undo steps over it."""
    scene = Scene(UPGRADE, rules=policy(write=UNDONE_BY_NOTE))
    scene.decide("approve")
    scene.settle()
    assert (scene.statuses, len(scene.gates), scene.shop.plans()[1]) == (["applied"], 1, "Pro")
    assert "cannot be undone" in scene.action.warnings[0]
    run = scene.undo()
    assert (run.status, run.undo.permanent) == ("partial", (scene.action.id,))


def test_a_key_that_is_missing_in_the_snapshot_is_known_before_the_write_too():
    """The snapshot is read first."""
    rule = RULES["write"].replace("note: $snapshot.note", "note: $snapshot.remark")
    scene = Scene(UPGRADE, rules=policy(write=rule))
    assert (scene.gate.z.kind, "$snapshot.remark cannot be resolved" in scene.gate.why) == ("unresolvable", True)


def test_a_null_in_the_snapshot_is_a_value():
    """Nothing is missing."""
    shop = Shop()
    shop.records[1]["note"] = None
    scene = Scene(UPGRADE, shop=shop)
    assert (scene.statuses, value(scene.action.inverse.arguments)["note"]) == (["applied"], None)


def test_a_key_that_is_missing_in_the_result_is_a_warning_and_permanent_at_undo():
    """It could not be known before the call."""
    rule = RULES["add"].replace("$result.id", "$result.number")
    scene = Scene(("add", {"plan": "Pro"}), UPGRADE, rules=policy(add=rule))
    added = scene.actions[0]
    assert (added.status, scene.gates) == ("applied", [])
    assert added.warnings == (
        "It cannot be undone: $result.number cannot be resolved: $result has no field 'number' (it has: id).",
    )
    run = scene.undo()
    assert (run.status, run.undo.permanent, scene.shop.plans()[1]) == ("partial", (added.id,), "Free")


def test_a_write_is_blocked_when_its_snapshot_asks_for_an_argument_that_is_not_there():
    """The rule does not fit the call: nothing is changed."""
    rule = RULES["write"].replace("args: {id: $.id}, absent", "args: {id: $.plan}, absent")
    scene = Scene(("write", {"id": 1, "note": "x"}), rules=policy(write=rule))
    assert (scene.statuses, scene.shop.done) == (["blocked"], [])
    assert "$.plan cannot be resolved" in scene.told[0]


def test_a_write_is_blocked_when_its_snapshot_cannot_be_kept():
    """Without the prior state there would be no way back."""
    shop = Shop()
    shop.records[1]["note"] = float("nan")
    scene = Scene(UPGRADE, shop=shop)
    assert (scene.statuses, scene.shop.done) == (["blocked"], [])
    assert "cannot be kept" in scene.told[0]


def test_a_snapshot_tool_that_breaks_off_blocks_the_write_whatever_its_error_says():
    """Only the tool's own word says that a record is not there: "host is not there" is no word of its own."""
    shop = Shop()
    shop.before["read"] = raising(ConnectionError("Host crm.example is not there."))
    scene = Scene(UPGRADE, shop=shop)
    assert (scene.statuses, scene.gates) == (["blocked"], [])


def test_on_write_lets_only_sure_reads_through():
    """Anything that may write is held."""
    ran = []

    @tool
    def run_sql(query: str) -> str:
        """Run a query."""
        ran.append(query)
        return "ok"

    queries = ["SELECT 1", "WITH x AS (DELETE FROM t RETURNING 1) SELECT * FROM x", "hello"]
    rules = policy(run_sql="class: irreversible, gate: on_write")
    model = Script([calls(*(("run_sql", {"query": query}) for query in queries)), "done"])
    world = a_world(model, run_sql, *Shop().tools, policy=rules)
    run = world.ask("Go.")
    assert ([action.status for action in actions(world, run)], ran) == (["applied", "gated", "gated"], queries[:1])
    assert world.process.gates.of_run(run.id)[0].why == "This cannot be undone."


def test_without_a_manifest_every_change_waits_for_a_person():
    """A tool that says it is readonly is called; of the others nothing is known."""
    scene = Scene(SEND, UPGRADE, ("read", {"id": 1}), rules=Policy())
    assert (scene.statuses, scene.shop.done) == (["gated", "gated", "applied"], [])


def test_ungated_asks_nobody_and_nothing_can_be_undone():
    """Whoever says so has it so."""
    scene = Scene(SEND, UPGRADE, rules=UNGATED)
    assert (scene.status, len(scene.shop.done)) == ("succeeded", 2)
    assert (scene.undo().status, len(scene.run.undo.permanent)) == ("partial", 2)
