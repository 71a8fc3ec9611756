"""Two people at the same instant: one outcome, rightly attributed, the loser told. In both orders, and in threads."""

import pytest
from msgspec.structs import asdict

from entracte.core.addresses import action_path
from entracte.core.payload import Payload, digest
from entracte.errors import Conflict, EntracteError
from tests.gates.racing import at_once, outcome, overtaken
from tests.gates.scene import SEND, Scene
from tests.gates.shop import gated, policy
from tests.runtime.scenes import events

OPS, SEC = "ops@shop.example", "sec@shop.example"
QUORUM = policy(send=f"class: irreversible, quorum: 2, approvers: [{OPS}, {SEC}]")
WEEK = policy(send="class: irreversible, expires: 7d")
READ = ("read", {"id": 1})


def deciding(scene, decision, by, gate):
    """An answer given through whichever process."""
    return lambda process: scene.decide(decision, by=by, gate=gate, process=process)


def decisive(gate):
    """The votes that counted."""
    return [(vote.by, vote.decision) for vote in gate.votes if not vote.refused]


def settled(scene):
    """Status of gates, actions and run, and what was sent, once nothing moves any more."""
    scene.settle()
    return [gate.status for gate in scene.gates], scene.statuses, scene.status, len(scene.shop.done)


END = {
    "approve": (["approved"], ["applied"], "succeeded", 1),
    "deny": (["denied"], ["denied"], "succeeded", 0),
}


@pytest.mark.parametrize(("first", "second"), [("approve", "approve"), ("approve", "deny"), ("deny", "approve")])
def test_the_first_commit_wins_and_the_second_is_told_who_decided_what(first, second):
    """However far the second had come."""
    scene = Scene(SEND)
    gate = scene.gate
    slow = overtaken(scene.world, lambda: scene.decide(first, by=OPS, gate=gate))
    with pytest.raises(Conflict) as told:
        scene.decide(second, by=SEC, gate=gate, process=slow)
    assert told.value.message == f"The gate was {END[first][0][0]} by {OPS} at 2026-01-01 09:00 UTC."
    assert settled(scene) == END[first]
    assert [(vote.by, vote.refused) for vote in scene.gates[0].votes] == [(OPS, ""), (SEC, "gate_already_decided")]
    (decided, late) = events(scene.world, scene.run, "gate.decided")
    assert {decided.data["by"], late.data["by"]} == {OPS, SEC}


@pytest.mark.parametrize(("one", "other"), [("approve", "approve"), ("approve", "deny")])
def test_two_threads_that_look_before_either_writes_come_to_one_outcome(one, other):
    """Whichever wins, its vote is the one that counts, and the other is told so."""
    scene = Scene(SEND)
    gate = scene.gate
    ends = at_once(scene.world, deciding(scene, one, OPS, gate), deciding(scene, other, SEC, gate))
    lost = [end for end in ends if isinstance(end, EntracteError)]
    ((winner, word),) = decisive(scene.gates[0])
    assert [type(error) for error in lost] == [Conflict]
    assert f"{END[word][0][0]} by {winner}" in lost[0].message
    assert settled(scene) == END[word]


def test_of_eight_approvers_at_once_one_decides():
    """And the mail goes out once."""
    scene = Scene(SEND)
    gate = scene.gate
    ends = at_once(scene.world, *(deciding(scene, "approve", f"p{n}@shop.example", gate) for n in range(8)))
    assert sum(isinstance(end, Conflict) for end in ends) == 7
    assert len(decisive(scene.gates[0])) == 1
    assert settled(scene) == END["approve"]


@pytest.mark.parametrize("moving", [False, True], ids=["parked", "a sibling moves"])
def test_an_approval_that_a_cancel_overtakes_decides_nothing(moving):
    """Also while the run is not parked, so that nothing else of the approval touches the run."""
    scene = held(moving)
    gate = scene.gate
    slow = overtaken(scene.world, scene.cancel)
    with pytest.raises(Conflict) as told:
        scene.decide("approve", gate=gate, process=slow)
    assert told.value.code == "run_closed"
    assert settled(scene) == (["cancelled"], ["cancelled"] * (1 + moving), "cancelled", 0)


@pytest.mark.parametrize("moving", [False, True], ids=["parked", "a sibling moves"])
def test_a_cancel_that_an_approval_overtakes_still_keeps_the_call_from_being_made(moving):
    """The gate says approved, by whom; the call was not made any more."""
    scene = held(moving)
    gate = scene.gate
    slow = overtaken(scene.world, lambda: scene.decide("approve", gate=gate))
    slow.runs.cancel(scene.id, owner="ada")
    assert decisive(scene.gates[0]) == [("ada", "approve")]
    assert settled(scene) == (["approved"], ["cancelled"] * (1 + moving), "cancelled", 0)


def held(moving):
    """A held call, alone or beside one whose message is still on its way."""
    scene = Scene(*([SEND, READ] if moving else [SEND]), start=False)
    scene.deliver(2)
    if not moving:
        scene.settle()
    assert (scene.status, len(scene.open)) == ("running" if moving else "waiting", 1)
    return scene


def test_approve_and_cancel_in_threads_come_to_one_outcome():
    """Either the approval came first and is recorded, or it is refused; the call is made in neither case."""
    scene = Scene(SEND)
    gate = scene.gate
    ends = at_once(
        scene.world,
        deciding(scene, "approve", "ada", gate),
        lambda process: process.runs.cancel(scene.id, owner="ada"),
    )
    gates, actions, status, sent = settled(scene)
    assert (actions, status, sent) == (["cancelled"], "cancelled", 0)
    assert gates == (["cancelled"] if isinstance(ends[0], EntracteError) else ["approved"])


def test_a_cancel_that_comes_between_look_and_gate_leaves_no_gate_open():
    """Opening a gate verifies the run."""
    scene = Scene(SEND, start=False)
    scene.deliver()
    message = scene.world.bus.waiting.pop(0)
    scene.world.deliver(message, overtaken(scene.world, scene.cancel))
    assert (scene.gates, scene.statuses) == ([], ["cancelled"])


def expire(scene, process=None):
    """Sweep comes by, and what it sends is delivered."""
    scene.world.sweep()
    while scene.world.bus.waiting:
        message = scene.world.bus.waiting.pop(0)
        outcome(lambda p, m=message: p.engine.handle(m), process or scene.world.process)


def test_an_approval_that_expiry_overtakes_is_told_that_nobody_decided_in_time():
    """The call is not made."""
    scene = Scene(SEND, rules=WEEK)
    gate = scene.gate
    scene.world.clock.advance(days=6, hours=23)
    slow = overtaken(scene.world, lambda: (scene.world.clock.advance(hours=2), expire(scene)))
    with pytest.raises(Conflict) as told:
        scene.decide("approve", gate=gate, process=slow)
    assert (told.value.code, "expired" in told.value.message) == ("gate_already_decided", True)
    assert settled(scene) == (["expired"], ["expired"], "succeeded", 0)


def test_an_expiry_that_an_approval_overtakes_changes_nothing():
    """The approval came in time; the sweep that was about to expire the gate finds it decided."""
    scene = Scene(SEND, rules=WEEK)
    gate = scene.gate

    def approve_just_before():
        scene.world.clock.advance(hours=-2)
        scene.decide("approve", gate=gate)
        scene.world.clock.advance(hours=2)

    scene.world.clock.advance(days=7, hours=1)
    expire(scene, overtaken(scene.world, approve_just_before))
    assert decisive(scene.gates[0]) == [("ada", "approve")]
    assert settled(scene) == (["approved"], ["applied"], "succeeded", 1)


def test_an_approval_after_the_time_is_too_late_even_if_sweep_has_not_come_by():
    """When a gate expires is a matter of its date, not of how often somebody sweeps."""
    scene = Scene(SEND, rules=WEEK)
    scene.world.clock.advance(days=7, seconds=1)
    with pytest.raises(Conflict) as told:
        scene.decide("approve")
    assert "expired" in told.value.message
    assert settled(scene) == (["expired"], ["expired"], "succeeded", 0)


def test_the_two_of_a_quorum_who_approve_at_the_same_instant_both_count():
    """Neither vote is lost, and the call is made once."""
    scene = Scene(SEND, rules=QUORUM)
    gate = scene.gate
    ends = at_once(scene.world, deciding(scene, "approve", OPS, gate), deciding(scene, "approve", SEC, gate))
    assert not any(isinstance(end, EntracteError) for end in ends)
    assert sorted(decisive(scene.gates[0])) == [(OPS, "approve"), (SEC, "approve")]
    assert settled(scene) == END["approve"]


def test_one_person_of_a_quorum_who_approves_twice_at_once_counts_once():
    """Two tabs are not two people."""
    scene = Scene(SEND, rules=QUORUM)
    gate = scene.gate
    ends = at_once(scene.world, deciding(scene, "approve", OPS, gate), deciding(scene, "approve", OPS, gate))
    assert [error.code for error in ends if isinstance(error, EntracteError)] == ["voted_before"]
    assert settled(scene) == (["waiting"], ["gated"], "waiting", 0)


def test_a_denial_that_overtakes_the_second_of_a_quorum_decides():
    """The second approval is told who denied."""
    scene = Scene(SEND, rules=QUORUM)
    gate = scene.gate
    scene.decide("approve", by=OPS)
    slow = overtaken(scene.world, lambda: scene.decide("deny", by=OPS, gate=gate))
    with pytest.raises(Conflict) as told:
        scene.decide("approve", by=SEC, gate=gate, process=slow)
    assert f"denied by {OPS}" in told.value.message
    assert settled(scene) == END["deny"]


@pytest.mark.parametrize(("first", "second"), [("deny", "approve"), ("approve", "deny")])
def test_of_two_console_edits_the_first_recorded_one_counts_whatever_was_typed_first(first, second):
    """Events come in any order; each carries its own word and author, so nobody is credited with the other's."""
    scene = Scene(SEND)
    typed_second = scene.message(first, "edit-2", by=SEC)
    typed_first = scene.message(second, "edit-1", by=OPS)
    scene.world.deliver(typed_second)
    scene.world.deliver(typed_first)
    gate = scene.gates[0]
    assert decisive(gate) == [(SEC, first)]
    assert gate.decision_error == f"The gate was {gate.status} by {SEC} at 2026-01-01 09:00 UTC."
    assert settled(scene) == END[first]


def test_two_gates_of_one_step_denied_at_the_same_instant_end_the_step_once():
    """Whoever comes last sees that all have ended."""
    scene = Scene(SEND, SEND)
    one, two = scene.gates
    at_once(scene.world, deciding(scene, "deny", "ada", one), deciding(scene, "deny", "ada", two))
    assert settled(scene) == (["denied", "denied"], ["denied", "denied"], "succeeded", 0)
    assert len(scene.model.asked("evaluate")) == 1


def test_an_approval_while_the_run_is_being_parked_is_not_slept_through():
    """Parking verifies what it relied on: the call that moves keeps the frame awake."""
    scene = Scene(SEND, start=False)
    scene.deliver()
    message = scene.world.bus.waiting.pop(0)
    decided = []
    busy = overtaken(scene.world, lambda: decided.append(scene.decide("approve")), at=2)  # first the gate, then parking
    scene.world.deliver(message, busy)
    assert [gate.status for gate in decided] == ["approved"]
    assert settled(scene) == END["approve"]


def test_an_undo_that_an_approval_overtakes_lets_no_call_be_issued():
    """The run is closed by the same write that asks for the undo."""
    scene = Scene(SEND)
    gate = scene.gate
    slow = overtaken(scene.world, lambda: scene.decide("approve", gate=gate))
    slow.runs.undo(scene.id, owner="ada")
    assert settled(scene) == (["approved"], ["cancelled"], "undone", 0)


@pytest.mark.parametrize("wanted", [SEND, ("write", {"id": 1, "plan": "Pro"})])
def test_an_approved_call_that_is_delivered_to_several_at_once_is_made_once(wanted):
    """All of them have read the record; one writes the intent, and the others leave its lease alone."""
    scene = Scene(wanted, rules=gated(wanted[0]))
    scene.decide("approve")
    (message,) = scene.world.bus.waiting
    scene.world.bus.waiting.clear()
    at_once(scene.world, *[lambda process: process.engine.handle(message)] * 4)
    assert settled(scene) == (["approved"], ["applied"], "succeeded", 1)


def test_arguments_that_are_edited_while_the_record_is_read_are_not_called():
    """The grant is checked against what would be called, also after a lost race."""
    write = ("write", {"id": 1, "plan": "Pro"})
    scene = Scene(write, rules=gated("write"))
    scene.decide("approve")
    (message,) = scene.world.bus.waiting
    scene.world.bus.waiting.clear()
    others = {"id": 2, "plan": "Free"}
    path = action_path(scene.id, scene.action.id)
    slow = overtaken(scene.world, lambda: scene.edit(path, effective=asdict(Payload.of(others)), digest=digest(others)))
    scene.world.deliver(message, slow)
    assert settled(scene) == (["approved", "waiting"], ["gated"], "waiting", 0)
