"""The life of an action, row by row (undo.md)."""

import pytest

from entracte.agents import Blocked, Hook, ToolError
from entracte.core.addresses import entry_path
from entracte.core.payload import digest
from tests.gates.scene import SEND, Scene
from tests.gates.shop import Shop, gated, policy, raising
from tests.runtime.scenes import value

UPGRADE = ("write", {"id": 1, "plan": "Pro"})


class Rewriting(Hook):
    """Adds a mark to whatever is sent, another one each time, and remembers what it saw."""

    def __init__(self):
        self.seen = []

    def before_tool(self, call, ctx):
        self.seen.append(call.tool)
        if call.tool == "send":
            return call.evolve(arguments={**call.arguments, "body": f"mark {len(self.seen)}"})
        return call


def test_1_hooks_run_once_and_policy_preview_and_gate_see_what_they_wrote():
    """The effective arguments are recorded; the model's stay beside them."""
    hook = Rewriting()
    scene = Scene(SEND, harness=[hook])
    action, gate = scene.action, scene.gate
    assert (value(action.arguments), value(action.effective)) == ({"to": "ada"}, {"to": "ada", "body": "mark 1"})
    assert gate.z.digest == action.digest == digest({"to": "ada", "body": "mark 1"})
    assert "+ body: mark 1" in gate.preview
    scene.decide("approve")
    scene.settle()
    assert (hook.seen, scene.shop.done, len(scene.gates)) == (["send"], [("send", "ada: mark 1")], 1)


@pytest.mark.parametrize("call", [SEND, UPGRADE])
def test_1_a_hook_that_blocks_ends_the_action_before_any_gate(call):
    """It is `blocked`, and the agent is told why."""

    class Blocking(Hook):
        def before_tool(self, call, ctx):
            raise Blocked("Not on Sundays.")

    scene = Scene(call, harness=[Blocking()])
    assert (scene.statuses, scene.gates, scene.shop.done) == (["blocked"], [], [])
    assert scene.told == [f"{call[0]} blocked: Not on Sundays."]


def test_2_arguments_that_do_not_fit_the_schema_open_no_gate():
    """Nobody is asked about a call that could not be made."""
    scene = Scene(("send", {"to": 7}))
    assert (scene.statuses, scene.gates) == (["failed"], [])
    assert "arguments do not fit: /to" in scene.told[0]


def test_3_a_gate_parks_the_call_and_its_siblings_go_on():
    """Also the changing ones that stand behind it."""
    scene = Scene(SEND, UPGRADE, ("read", {"id": 2}))
    assert (scene.status, scene.statuses) == ("waiting", ["gated", "applied", "applied"])
    assert scene.shop.plans()[1] == "Pro"


def test_3_after_the_gate_the_action_resumes_with_its_stored_arguments():
    """The model is not asked again for what to call."""
    scene = Scene(SEND)
    asked = len(scene.model.requests)
    scene.decide("approve")
    scene.deliver()
    assert (scene.shop.done, len(scene.model.requests)) == ([("send", "ada")], asked)


def test_4_the_snapshot_is_what_was_there_right_before_the_call():
    """Not what was there when the gate was opened, weeks ago."""
    scene = Scene(UPGRADE, rules=gated("write"))
    scene.shop.records[1]["plan"] = "Team"
    scene.decide("approve")
    scene.settle()
    assert value(scene.action.snapshot.value)["plan"] == "Team"


def test_4_an_error_that_matches_absent_when_says_that_the_record_is_not_there():
    """That is no failure to read: `{present: false}`."""
    scene = Scene(("restore", {"id": 9, "record": {}}), rules=policy(restore=_compensable_restore()))
    assert (scene.statuses, scene.action.snapshot.present, scene.action.after.present) == (["applied"], False, True)


def _compensable_restore():
    return (
        "class: compensable, snapshot: {tool: read, args: {id: $.id}, absent_when: is not there}, "
        "inverse: {tool: remove, args: {id: $.id}}"
    )


def test_4_a_record_that_is_absent_for_a_reversible_write_is_asked_about():
    """A gate says so, since nothing could be put back; denied, nothing is called."""
    scene = Scene(("write", {"id": 9, "plan": "Pro"}))
    gate = scene.gate
    assert (gate.z.kind, "is not there" in gate.why, scene.statuses) == ("absence", True, ["gated"])
    scene.decide("deny")
    scene.settle()
    assert (scene.statuses, scene.shop.done, scene.status) == (["denied"], [], "succeeded")


def test_4_a_call_whose_absent_record_was_approved_is_made_and_asks_nothing_more():
    """Whoever approved knew of it."""
    scene = Scene(("write", {"id": 9, "plan": "Pro"}))
    scene.decide("approve")
    scene.settle()
    assert (scene.statuses, len(scene.gates)) == (["failed"], 1)
    assert scene.told == ["write failed: Record 9 is not there."]


def test_4_any_other_read_error_blocks_the_write():
    """What cannot be read cannot be put back: nothing is changed, and the agent is told."""
    shop = Shop()
    shop.before["read"] = raising(ConnectionResetError("down"))
    scene = Scene(UPGRADE, shop=shop)
    assert (scene.statuses, scene.shop.done, scene.status) == (["blocked"], [], "succeeded")
    assert scene.told[0].startswith("write blocked: What this call would change could not be read, so it was not made")


def test_4_a_read_error_after_the_approval_blocks_the_write_too():
    """An approval does not make it readable."""
    scene = Scene(UPGRADE, rules=gated("write"))
    scene.shop.before["read"] = raising(ToolError("No access."))
    scene.decide("approve")
    scene.settle()
    assert (scene.statuses, scene.shop.done) == (["blocked"], [])


def test_5_the_intent_holds_attempt_lease_and_snapshot_before_the_call_is_made():
    """Whoever finds it later knows that it may have happened, and what was there before."""
    seen = []
    shop = Shop()
    shop.before["write"] = lambda: seen.append(scene.action)
    scene = Scene(UPGRADE, shop=shop, start=False)
    scene.settle()
    (intent,) = seen
    assert (intent.status, intent.attempt, value(intent.snapshot.value)["plan"]) == ("started", 1, "Free")
    assert intent.lease.expires == intent.due
    assert scene.world.store.load([entry_path(scene.id, f"{intent.id}.1.started")])


def test_6_the_call_carries_the_action_as_its_idempotency_key():
    """The same for every attempt."""
    scene = Scene(UPGRADE)
    assert scene.shop.keys == {scene.action.id: 1}


def test_7_the_inverse_is_resolved_from_the_raw_result():
    """What a hook made of the result is for the agent; undo needs what the tool really gave."""

    class Hiding(Hook):
        def after_tool(self, call, result, ctx):
            return result.with_value("(hidden)")

    scene = Scene(("add", {"plan": "Pro"}), harness=[Hiding()])
    action = scene.action
    assert (value(action.result), action.inverse.tool, value(action.inverse.arguments)) == (
        "(hidden)",
        "remove",
        {"id": 101},
    )


def test_7_a_verify_read_keeps_what_the_record_is_after_the_call():
    """Where a snapshot is declared: undo compares with it."""
    scene = Scene(UPGRADE)
    assert (value(scene.action.snapshot.value)["plan"], value(scene.action.after.value)["plan"]) == ("Free", "Pro")


def test_7_a_verify_read_that_fails_is_a_warning_on_a_call_that_was_made():
    """It is applied all the same."""
    shop = Shop()
    shop.after["write"] = lambda: shop.before.update(read=raising(TimeoutError("slow")))
    scene = Scene(UPGRADE, shop=shop)
    assert (scene.statuses, scene.action.after) == (["applied"], None)
    assert "could not be read afterwards" in scene.action.warnings[0]


def test_8_applied_keeps_everything_that_undo_needs():
    """Result, inverse, and no lease or date any more."""
    action = Scene(UPGRADE).action
    assert (action.status, value(action.result), action.lease, action.due) == ("applied", "written", None, None)
    assert value(action.inverse.arguments) == {"id": 1, "plan": "Free", "note": ""}
