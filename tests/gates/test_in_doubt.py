"""Calls of which nobody knows whether they happened (doubting.py): happened, retry, give up, late results."""

import pytest
from msgspec.structs import asdict

from entracte.agents import ToolError
from entracte.core.addresses import action_path
from entracte.core.payload import Payload, digest
from entracte.errors import Conflict, Forbidden, InvalidInput
from tests.gates.scene import SEND, Scene, shop_network
from tests.gates.shop import Shop, gated, policy, raising
from tests.runtime.scenes import value
from tests.runtime.script import Script, calls, results

UPGRADE = ("write", {"id": 1, "plan": "Pro"})
ADD = ("add", {"plan": "Pro"})
REMOVE = ("remove", {"id": 1})
RESTORE = ("restore", {"id": 9, "record": {}})
CUT = raising(ConnectionResetError("cut"))
FREE = policy(send="class: irreversible, gate: never")


def doubtful(call, *, happened):
    """A scene whose call, which nobody had to approve, broke off after or before it had done its work."""
    shop = Shop()
    (shop.after if happened else shop.before)[call[0]] = CUT
    found = Scene(call, shop=shop, rules=FREE)
    assert (found.statuses, found.gate.z.kind) == (["unknown"], "in_doubt")
    shop.after.clear()
    shop.before.clear()
    return found


def decided(scene, word, **how):
    """The scene once that was said and everything has moved."""
    scene.decide(word, **how)
    scene.settle()
    return scene


@pytest.mark.parametrize("word", ["approve", "deny", "yes"])
def test_a_doubt_is_not_settled_by_the_words_of_an_approval(word):
    """It asks another question."""
    scene = doubtful(SEND, happened=True)
    with pytest.raises(InvalidInput, match="Write happened or retry or give_up"):
        scene.decide(word)
    assert scene.statuses == ["unknown"]


def test_happened_makes_the_call_applied_and_calls_nothing():
    """The run goes on, and the record says on whose word."""
    scene = decided(doubtful(SEND, happened=True), "happened", reason="It is in the outbox.")
    assert (scene.status, scene.statuses, len(scene.shop.done)) == ("succeeded", ["applied"], 1)
    assert scene.action.warnings == ("ada says that it happened. It is in the outbox.",)
    assert results(scene.model.asked("evaluate")[0])[0]["status"] == "ok"


def test_what_happened_is_undone_by_the_snapshot_that_was_taken_before():
    """Its inverse needs no result."""
    scene = decided(doubtful(UPGRADE, happened=True), "happened")
    run = scene.undo()
    assert (run.status, scene.shop.plans()) == ("undone", {1: "Free", 2: "Pro"})


def test_what_happened_without_a_result_that_its_inverse_needs_is_permanent():
    """Nobody knows which record was added; the undo says so and steps over it."""
    scene = decided(doubtful(ADD, happened=True), "happened")
    run = scene.undo()
    assert (run.status, run.undo.permanent) == ("partial", (scene.action.id,))
    assert "$result" in scene.action.inverse.unresolved


def test_retry_makes_the_call_once_more_with_the_same_key():
    """As attempt 2: the only way in which a change is ever repeated."""
    scene = decided(doubtful(SEND, happened=False), "retry")
    action = scene.action
    assert (scene.status, action.status, action.attempt) == ("succeeded", "applied", 2)
    assert (scene.shop.done, scene.shop.keys) == ([("send", "ada")], {action.id: 2})
    assert len(scene.gates) == 1


def test_a_retry_reads_a_new_snapshot():
    """What is there now is what would be replaced now."""
    scene = doubtful(UPGRADE, happened=False)
    scene.shop.records[1]["plan"] = "Team"
    decided(scene, "retry")
    assert value(scene.action.snapshot.value)["plan"] == "Team"
    assert (scene.undo().status, scene.shop.plans()[1]) == ("undone", "Team")


def cancelled(scene):
    """Whoever said retry cancels the run before it is made."""
    scene.decide("retry")
    scene.cancel()
    scene.settle()


def unreadable(scene):
    """What it would change cannot be read, so it is not made."""
    scene.shop.before["read"] = CUT
    decided(scene, "retry")
    scene.shop.before.clear()


def denied(scene):
    """The record is not there, which tells the person that the call has happened."""
    decided(scene, "retry")
    decided(scene, "deny")


def held(scene):
    """The same, and nobody has answered when the run is undone."""
    decided(scene, "retry")


@pytest.mark.parametrize(
    ("call", "ends"), [(UPGRADE, cancelled), (UPGRADE, unreadable), (REMOVE, denied), (REMOVE, held)]
)
def test_a_retry_that_is_not_made_leaves_the_doubt(call, ends):
    """The first attempt had happened: an undo finds that out, and takes it back."""
    scene = doubtful(call, happened=True)
    ends(scene)
    assert len(scene.shop.done) == 1
    assert (scene.undo().status, scene.statuses, scene.shop.plans()) == ("undone", ["reverted"], {1: "Free", 2: "Pro"})


def test_a_retry_that_is_not_made_stops_an_undo_where_nothing_can_be_read():
    """The mail may have been sent; nobody says that all is undone."""
    scene = doubtful(SEND, happened=True)
    cancelled(scene)
    run = scene.undo()
    assert (run.status, run.undo.stopped, scene.statuses) == ("partial", scene.action.id, ["unknown"])


def test_a_retry_that_has_to_be_approved_is_made_as_it_was_or_not_at_all():
    """With other arguments it would be another call, and of what the first has done nobody would know any more."""
    scene = doubtful(UPGRADE, happened=True)
    scene.decide("retry")
    rules = gated("write", ", quorum: 2, editable: true")
    scene.world = scene.world.again(network=shop_network(scene.shop, rules))
    scene.world.clock.advance(minutes=16)
    scene.world.sweep()
    scene.settle()
    assert (scene.gate.z.kind, scene.gate.z.editable) == ("approval", False)


def test_a_retry_that_falls_in_doubt_again_opens_another_gate():
    """Each doubt is a question of its own."""
    scene = doubtful(SEND, happened=True)
    scene.shop.after["send"] = CUT
    decided(scene, "retry")
    assert [(gate.z.number, gate.status) for gate in scene.gates] == [(1, "decided"), (2, "waiting")]
    assert (scene.statuses, len(scene.shop.done)) == (["unknown"], 2)


@pytest.mark.parametrize("word", ["give_up", "give up", "Give-up"])
def test_give_up_lets_the_run_go_on_without_knowing(word):
    """The agent is told that nobody knows; the action stays unknown."""
    scene = decided(doubtful(SEND, happened=True), word, reason="No log.")
    assert (scene.status, scene.statuses, len(scene.shop.done)) == ("succeeded", ["unknown"], 1)
    assert scene.told == [
        "send unknown: send broke off with ConnectionResetError: cut ada gave up finding out. No log."
    ]


def test_what_was_given_up_stops_an_undo_where_nothing_can_be_read():
    """It may have happened: what lies before it is not taken back from under it."""
    scene = decided(doubtful(SEND, happened=True), "give_up")
    run = scene.undo()
    assert (run.status, run.undo.stopped) == ("partial", scene.action.id)


@pytest.mark.parametrize("happened", [True, False])
def test_what_was_given_up_is_undone_by_reading_where_that_is_possible(happened):
    """Different from before: it happened, so its inverse is called. As before: nothing is."""
    scene = decided(doubtful(UPGRADE, happened=happened), "give_up")
    run = scene.undo()
    assert (run.status, scene.shop.plans()[1]) == ("undone", "Free")
    assert [name for name, _ in scene.shop.done] == (["write", "write"] if happened else [])


def test_a_doubt_is_not_settled_by_a_record_that_reads_as_before():
    """The request may still be on its way; the person sees what was read."""
    scene = doubtful(UPGRADE, happened=False)
    assert scene.gate.preview[-3:] == (
        'before: {"note":"","plan":"Free","seen":0}',
        'now:    {"note":"","plan":"Free","seen":0}',
        "The record is as it was before the call.",
    )


class Late:
    """A mail whose end comes after its lease: meanwhile another process has found it in doubt.

    Args:
        meanwhile: What happens between the doubt and the end.
        says: Error that the call ends with, if it does not end well.
        then: What desk calls in its second step.

    Attributes:
        doubt: Status of the action, kinds of open gates, and status of the run when the end came.
    """

    def __init__(self, meanwhile=lambda scene: None, *, says=None, then=()):
        self.meanwhile, self.says = meanwhile, says
        shop = Shop()
        shop.after["send"] = self._end
        model = Script([calls(SEND), *([calls(*then)] if then else []), "done"])
        rules = policy(send="class: irreversible, gate: never", restore="class: irreversible")
        self.scene = Scene(model=model, shop=shop, rules=rules, start=False)
        self.scene.settle()

    def _end(self):
        self.scene.shop.after.clear()
        self.scene.lease_ends()
        self.scene.settle()
        self.doubt = self.scene.statuses[0], [gate.z.kind for gate in self.scene.open], self.scene.status
        self.meanwhile(self.scene)
        if self.says is not None:
            raise self.says


def test_a_late_result_of_the_current_attempt_closes_the_gate_and_the_run_goes_on():
    """Nobody has to decide any more."""
    late = Late()
    scene = late.scene
    assert late.doubt == ("unknown", ["in_doubt"], "waiting")
    assert (scene.status, scene.statuses, [gate.status for gate in scene.gates]) == (
        "succeeded",
        ["applied"],
        ["cancelled"],
    )
    assert scene.gates[0].decision_error == "The call's end came late: it was applied."
    assert len(scene.shop.done) == 1


def test_a_late_result_is_recorded_although_its_retry_was_cancelled():
    """It is the end of the only attempt there was."""
    assert Late(cancelled).scene.statuses == ["applied"]


def test_an_answer_to_a_doubt_that_a_late_result_has_settled_is_refused():
    """The late answer is told; nothing is called."""
    scene = Late().scene
    with pytest.raises(Conflict, match="The gate is cancelled"):
        scene.decide("retry", gate=scene.gates[0])
    scene.settle()
    assert len(scene.shop.done) == 1


def test_a_late_result_is_recorded_although_somebody_has_given_up():
    """An issued change is always recorded, and then it can be undone; the run has gone on and is not disturbed."""
    scene = Late(lambda scene: decided(scene, "give_up")).scene
    action = scene.action
    assert (scene.status, action.status, value(action.result)) == ("succeeded", "applied", "sent")
    assert (len(scene.shop.done), scene.due()) == (1, {})


def test_a_late_result_after_giving_up_leaves_a_run_parked_that_waits_for_something_else():
    """It wakes nobody: the step has gone on without it."""
    scene = Late(lambda scene: decided(scene, "give_up"), then=[RESTORE]).scene
    assert (scene.statuses, scene.status, scene.due()) == (["applied", "gated"], "waiting", {})


def test_a_late_failure_is_a_failure():
    """The tool said that it did nothing."""
    scene = Late(says=ToolError("Refused.")).scene
    assert (scene.status, scene.statuses, scene.told) == ("succeeded", ["failed"], ["send failed: Refused."])


def test_a_late_end_in_doubt_changes_nothing_once_somebody_said_retry():
    """The retry is made; the first attempt's end says nothing new."""
    scene = Late(lambda scene: scene.decide("retry"), says=ConnectionResetError()).scene
    assert (scene.status, scene.statuses, scene.shop.keys) == ("succeeded", ["applied"], {scene.action.id: 2})
    assert [gate.status for gate in scene.gates] == ["decided"]


def test_a_late_result_before_the_retry_starts_makes_the_retry_needless():
    """It is applied, so nothing is called again."""
    scene = Late(lambda scene: scene.decide("retry")).scene
    assert (scene.status, scene.statuses, len(scene.shop.done)) == ("succeeded", ["applied"], 1)


def test_an_older_attempt_that_ends_while_the_newer_one_is_in_doubt_opens_no_third_gate():
    """It is journaled. One action has one open gate."""

    def retry_into_doubt(scene):
        scene.shop.after["send"] = CUT
        decided(scene, "retry")
        scene.shop.after.clear()

    scene = Late(retry_into_doubt).scene
    assert (scene.statuses, [gate.status for gate in scene.gates]) == (["unknown"], ["decided", "waiting"])
    assert scene.gate.id == scene.action.gate


def test_an_older_attempt_that_acted_beside_the_retry_is_told_of():
    """The person who said retry was wrong: whoever looks at the call is warned, and finds both ends in the journal."""
    scene = Late(lambda scene: decided(scene, "retry")).scene
    assert (scene.status, scene.statuses, scene.shop.keys) == ("succeeded", ["applied"], {scene.action.id: 2})
    assert scene.action.warnings == (
        "Attempt 1 ended (applied) after attempt 2 had been started. It may have been done twice.",
    )


def test_an_older_attempt_that_did_nothing_beside_the_retry_is_no_reason_to_warn():
    """It is journaled, as every end of a call."""
    scene = Late(lambda scene: decided(scene, "retry"), says=ToolError("Refused.")).scene
    assert (scene.statuses, scene.action.warnings) == (["applied"], ())
    assert f"{scene.action.id}.1.late" in [entry.id for entry in scene.world.process.runs.journal(scene.run).items]


def test_two_doubts_of_one_step_are_settled_each_on_its_own():
    """In any order."""
    shop = Shop()
    shop.after["send"] = CUT
    scene = Scene(SEND, SEND, shop=shop, rules=FREE)
    assert scene.statuses == ["unknown", "unknown"]
    first, second = scene.gates
    scene.decide("give_up", gate=second)
    scene.decide("happened", gate=first)
    scene.settle()
    assert (scene.status, scene.statuses, len(shop.done)) == ("succeeded", ["applied", "unknown"], 2)


def test_a_retry_is_not_made_with_other_arguments_than_those_in_doubt():
    """Whoever may edit documents cannot slip them under a retry: it is asked again."""
    scene = doubtful(SEND, happened=False)
    scene.decide("retry")
    others = {"to": "eve"}
    scene.edit(action_path(scene.id, scene.action.id), effective=asdict(Payload.of(others)), digest=digest(others))
    scene.settle()
    assert (scene.shop.done, scene.gate.z.kind) == ([], "approval")


@pytest.mark.parametrize(
    "rule", ["approvers: [ops@shop.example]", "quorum: 2", "four_eyes: true"], ids=["approvers", "quorum", "four eyes"]
)
def test_a_retry_needs_those_who_have_to_approve_the_call(rule):
    """Whoever may not approve a mail may not have it sent once more either."""
    scene = doubtful(SEND, happened=False)
    scene.decide("retry")
    scene.world = scene.world.again(network=shop_network(scene.shop, policy(send=f"class: irreversible, {rule}")))
    scene.world.clock.advance(minutes=16)
    scene.world.sweep()
    scene.settle()
    assert (scene.shop.done, scene.gate.z.kind, scene.statuses) == ([], "approval", ["gated"])


def test_those_who_approve_a_tools_calls_settle_its_doubts():
    """Whoever may not approve the call may not say either that it is to be made again."""
    shop = Shop()
    shop.before["send"] = CUT
    rules = policy(send="class: irreversible, gate: never, approvers: [ops@example.com], four_eyes: true")
    scene = Scene(SEND, shop=shop, rules=rules)
    assert (scene.gate.z.kind, scene.gate.z.approvers, scene.gate.z.four_eyes) == (
        "in_doubt",
        ("ops@example.com",),
        True,
    )
    with pytest.raises(Forbidden):
        scene.decide("retry")
    shop.before.clear()
    scene.decide("retry", by="ops@example.com")
    scene.settle()
    assert (scene.status, len(shop.done)) == ("succeeded", 1)
