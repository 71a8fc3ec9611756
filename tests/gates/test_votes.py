"""Who may decide, and what counts as a decision (gates/voting.py). What does not count is recorded."""

import pytest

from entracte.core.documents.gate import MAX_VOTES
from entracte.core.runs.starting import RunRequest
from entracte.errors import Conflict, Forbidden, InvalidInput, NotFound
from tests.gates.scene import SEND, Scene
from tests.gates.shop import policy
from tests.runtime.scenes import events

OPS, SEC, EVE = "ops@shop.example", "sec@shop.example", "eve@shop.example"
APPROVERS = policy(send=f"class: irreversible, approvers: [{OPS}, {SEC}]")
QUORUM = policy(send=f"class: irreversible, quorum: 2, approvers: [{OPS}, {SEC}]")
OPEN_QUORUM = policy(send="class: irreversible, quorum: 2")
FOUR_EYES = policy(send="class: irreversible, four_eyes: true")
EDITABLE = policy(send="class: irreversible, editable: true")


def refused(scene, error, decision="approve", **how):
    """The error that an answer gets; nothing has been decided by it."""
    before = scene.statuses, scene.shop.done
    with pytest.raises(error) as caught:
        scene.decide(decision, **how)
    scene.settle()
    assert (scene.statuses, scene.shop.done) == before
    return caught.value


def votes(scene, gate=None):
    """Who said what, and why it changed nothing."""
    return [(vote.by, vote.decision, vote.refused) for vote in (gate or scene.gate).votes]


@pytest.mark.parametrize("word", ["aprove", "yes", "happened", "", "approve deny", "approve\n\ndeny"])
def test_a_typing_error_decides_nothing_and_says_what_to_write(word):
    """It is recorded, and the gate says so to whoever looks at it."""
    scene = Scene(SEND)
    error = refused(scene, InvalidInput, word)
    assert (error.code, "Write approve or deny." in error.message) == ("unknown_decision", True)
    assert (votes(scene), scene.gate.decision_error) == ([("ada", word, "unknown_decision")], error.message)


@pytest.mark.parametrize("word", ["approve", " Approve ", "APPROVE\n"])
def test_case_and_blanks_around_a_word_do_not_matter(word):
    """People type."""
    scene = Scene(SEND)
    assert scene.decide(word).status == "approved"


def test_the_error_of_a_slip_is_gone_once_it_is_put_right():
    """The last answer counts."""
    scene = Scene(SEND)
    refused(scene, InvalidInput, "aprove")
    gate = scene.decide("approve")
    assert (gate.status, gate.decision_error) == ("approved", "")


def test_an_approver_who_may_not_changes_nothing():
    """Not even the owner of the run, where the rule names approvers."""
    scene = Scene(SEND, rules=APPROVERS)
    for person in ("ada", EVE):
        assert refused(scene, Forbidden, by=person).code == "not_an_approver"
    assert votes(scene) == [("ada", "approve", "not_an_approver"), (EVE, "approve", "not_an_approver")]
    scene.decide("approve", by=SEC)
    scene.settle()
    assert scene.shop.done == [("send", "ada")]


def test_who_may_not_approve_may_not_deny_either():
    """A denial is a decision too."""
    scene = Scene(SEND, rules=APPROVERS)
    assert refused(scene, Forbidden, "deny", by=EVE).code == "not_an_approver"


def test_whoever_may_not_see_a_gate_is_told_that_there_is_none():
    """Neither owner, approver nor operator: nothing is recorded."""
    scene = Scene(SEND)
    assert refused(scene, NotFound, by=EVE, operator=False).code == "gate_not_found"
    assert votes(scene) == []


def test_without_approvers_an_operator_may_decide_for_the_owner():
    """The vote says who it was."""
    scene = Scene(SEND)
    assert votes(scene, scene.decide("approve", by=EVE)) == [(EVE, "approve", "")]


def test_an_approver_is_one_however_the_address_is_written():
    """E-mail addresses are compared without case."""
    scene = Scene(SEND, rules=APPROVERS)
    assert scene.decide("approve", by="Ops@Shop.example").status == "approved"


@pytest.mark.parametrize("word", ["approve", "deny"])
def test_with_four_eyes_whoever_asked_decides_nothing(word):
    """Somebody else has to."""
    scene = Scene(SEND, rules=FOUR_EYES)
    assert refused(scene, Forbidden, word, by="ada").code == "four_eyes"
    scene.decide(word, by=OPS)
    scene.settle()
    assert scene.statuses == [{"approve": "applied", "deny": "denied"}[word]]


def test_four_eyes_are_not_deceived_by_capitals():
    """The owner's address written otherwise is the owner's."""
    scene = Scene(SEND, rules=FOUR_EYES, start=False)
    scene.id = scene.world.process.runs.start(RunRequest(input={"message": "Go."}, session="other"), owner=OPS).id
    scene.settle()
    gates = scene.world.process.gates
    with pytest.raises(Forbidden) as caught:
        gates.decide(f"{scene.id}.1.0.1", "approve", user=OPS.upper(), via="cli", operator=True)
    assert caught.value.code == "four_eyes"


def test_a_quorum_of_two_asks_for_two_people():
    """One approval leaves the gate open."""
    scene = Scene(SEND, rules=QUORUM)
    assert scene.decide("approve", by=OPS).status == "waiting"
    scene.settle()
    assert (scene.statuses, scene.shop.done) == (["gated"], [])
    assert scene.decide("approve", by=SEC).status == "approved"
    scene.settle()
    assert (scene.shop.done, scene.status) == ([("send", "ada")], "succeeded")


def test_a_second_vote_of_the_same_person_is_not_a_second_person():
    """Recorded, told, not counted."""
    scene = Scene(SEND, rules=QUORUM)
    scene.decide("approve", by=OPS)
    assert refused(scene, Conflict, by=OPS).code == "voted_before"
    assert votes(scene) == [(OPS, "approve", ""), (OPS, "approve", "voted_before")]


def test_one_address_in_two_spellings_is_one_person():
    """A quorum cannot be reached by the shift key."""
    scene = Scene(SEND, rules=OPEN_QUORUM)
    scene.decide("approve", by=OPS)
    assert refused(scene, Conflict, by="Ops@shop.example").code == "voted_before"


def test_one_denial_decides_against_a_quorum():
    """Also by somebody who had approved before."""
    scene = Scene(SEND, rules=QUORUM)
    scene.decide("approve", by=OPS)
    assert scene.decide("deny", by=OPS, reason="I was wrong.").status == "denied"
    scene.settle()
    assert scene.told == [f"send denied: Denied by {OPS}. I was wrong."]


def test_a_second_member_of_the_quorum_may_type_the_same_word_in_the_console():
    """Two people, two edits, the same word: two votes."""
    scene = Scene(SEND, rules=QUORUM)
    scene.world.deliver(scene.message("approve", "edit-1", by=OPS))
    scene.world.deliver(scene.message("approve", "edit-2", by=SEC))
    scene.settle()
    assert votes(scene, scene.gates[0]) == [(OPS, "approve", ""), (SEC, "approve", "")]
    assert scene.shop.done == [("send", "ada")]


@pytest.mark.parametrize(
    "gate", ["", ".", "..", "a/b", "nope", "x.1.0.1", "x" * 2000, "run.1.0.1\n", "ünï.1.0.1", "a..b", "__a.1.0.1__"]
)
def test_an_unknown_gate_is_not_found(gate):
    """Whatever is asked for."""
    scene = Scene(SEND)
    with pytest.raises(NotFound):
        scene.world.process.gates.decide(gate, "approve", user="ada", via="http", operator=True)


@pytest.mark.parametrize(
    ("status", "decision", "kind", "told"),
    [
        ("approved", "approve", "approval", "was approved by ada at 2026-01-01 09:00 UTC"),
        ("lapsed", "approve", "approval", "was approved by ada at 2026-01-01 09:00 UTC, and has lapsed since"),
        ("denied", "deny", "approval", "was denied by ada at 2026-01-01 09:00 UTC"),
        ("decided", "Blue, please.", "question", "was answered by ada at 2026-01-01 09:00 UTC"),
        ("decided", "retry", "in_doubt", "was answered with retry by ada at 2026-01-01 09:00 UTC"),
        ("expired", "approve", "approval", "is expired: nobody decided it"),  # one of two approvals
    ],
)
def test_a_gate_that_ended_tells_how(status, decision, kind, told):
    """And by whom, if people ended it."""
    scene = Scene(SEND)
    decided = scene.decide("approve", by="ada")
    votes = (decided.votes[0].evolve(decision=decision),)
    gate = decided.evolve(status=status, votes=votes, z=decided.z.evolve(kind=kind))
    assert gate.ending() == told


def test_a_gate_that_is_decided_tells_who_decided_what():
    """The late answer is recorded and changes nothing."""
    scene = Scene(SEND)
    gate = scene.decide("deny", by=OPS)
    error = refused(scene, Conflict, gate=gate, by="ada")
    assert error.code == "gate_already_decided"
    assert error.message == f"The gate was denied by {OPS} at 2026-01-01 09:00 UTC."
    assert votes(scene, scene.gates[0]) == [(OPS, "deny", ""), ("ada", "approve", "gate_already_decided")]


@pytest.mark.parametrize("close", ["cancel", "undo"])
def test_a_decision_on_a_closed_run_is_refused(close):
    """Whether or not its gate was told yet; and then the gate says so."""
    for told in (False, True):
        scene = Scene(SEND)
        gate = scene.gate
        getattr(scene.world.process.runs, close)(scene.id, owner="ada")
        if told:
            scene.settle()
        error = refused_closed(scene, gate)
        scene.settle()
        assert (scene.gates[0].status, scene.shop.done) == ("cancelled", [])
        assert error.code == ("gate_already_decided" if told else "run_closed")


def refused_closed(scene, gate):
    """The error of a late approval."""
    with pytest.raises(Conflict) as caught:
        scene.decide("approve", gate=gate)
    return caught.value


def test_the_answer_itself_closes_the_gate_of_a_closed_run():
    """The message that should have told the gate may be lost."""
    scene = Scene(SEND)
    gate = scene.gate
    scene.cancel()
    scene.world.bus.waiting.clear()
    refused_closed(scene, gate)
    assert (scene.gates[0].status, scene.open) == ("cancelled", [])


def test_a_digest_of_other_arguments_decides_nothing():
    """Whoever saw something else has to look again."""
    scene = Scene(SEND)
    assert refused(scene, Conflict, digest="sha256:0").code == "digest_mismatch"
    assert scene.decide("approve", digest=scene.gate.z.digest).status == "approved"


@pytest.mark.parametrize(
    ("edited", "code"),
    [
        ('{"to": 7}', "bad_arguments"),
        ('{"body": "no address"}', "bad_arguments"),
        ('{"to": "ada", "bcc": "eve"}', "bad_arguments"),
        ("{to: ada}", "bad_arguments"),
        ('["ada"]', "bad_arguments"),
        ('{"to": NaN}', "bad_arguments"),
        ("[" * 200 + "]" * 200, "bad_arguments"),
        ('{"to": "\\udce9"}', "bad_arguments"),
        ("[" * 100_000, "bad_arguments"),
        pytest.param('{"to": "ada", "' + "k" * 700_000 + '": NaN}', "bad_arguments", id="long name"),
    ],
)
def test_edited_arguments_that_do_not_fit_decide_nothing(edited, code):
    """The gate stays open, and says what is wrong."""
    scene = Scene(SEND, rules=EDITABLE)
    assert refused(scene, InvalidInput, edited_arguments=edited).code == code
    assert scene.gate.decision_error


def test_arguments_of_a_call_that_is_not_editable_cannot_be_changed():
    """The rule decides."""
    scene = Scene(SEND)
    assert refused(scene, InvalidInput, edited_arguments='{"to": "bob"}').code == "not_editable"


def test_one_of_several_approvers_cannot_change_what_the_others_approve():
    """Two people approve one thing."""
    scene = Scene(SEND, rules=policy(send="class: irreversible, editable: true, quorum: 2"))
    assert refused(scene, InvalidInput, by=OPS, edited_arguments='{"to": "eve"}').code == "not_editable"
    scene.decide("approve", by=OPS, edited_arguments='{"to": "ada"}')
    scene.decide("approve", by=SEC)
    scene.settle()
    assert scene.shop.done == [("send", "ada")]


def test_answers_that_change_nothing_are_kept_up_to_a_number():
    """After that they are refused all the same, and the one that counts is still taken."""
    scene = Scene(SEND)
    for _ in range(MAX_VOTES + 3):
        scene.world.clock.advance(minutes=1)
        refused(scene, InvalidInput, "aprove") if len(votes(scene)) < MAX_VOTES else refused(scene, Conflict, "aprove")
    assert len(votes(scene)) == MAX_VOTES
    assert scene.decide("approve").status == "approved"
    scene.settle()
    assert scene.shop.done == [("send", "ada")]


def test_every_answer_is_journaled_also_those_that_changed_nothing():
    """Who, what, when, how, why."""
    scene = Scene(SEND, rules=APPROVERS)
    refused(scene, Forbidden, by=EVE, reason="hm")
    scene.world.clock.advance(seconds=1)
    scene.decide("approve", by=OPS, reason="ok")
    said = [event.data for event in events(scene.world, scene.run, "gate.decided")]
    assert [(d["by"], d["decision"], d["via"], d["reason"], d["refused"]) for d in said] == [
        (EVE, "approve", "http", "hm", "not_an_approver"),
        (OPS, "approve", "http", "ok", ""),
    ]
