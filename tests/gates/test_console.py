"""Answers that come from edits in the Firestore console (gates/editing.py, gates/voting.py, phases/approve.py)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from entracte.core.answer import UNCONFIRMED, Answer
from entracte.core.gates.editing import Edit, answer_of
from entracte.core.messages import Message
from tests.gates.scene import SEND, Scene, shop_network
from tests.gates.shop import gated

OURS = ("*@demo.iam.gserviceaccount.com",)


def an_edit(decision: str = "approve", **fields: Any) -> Edit:
    """A person writes a decision into a gate."""
    given = {
        "id": "e1",
        "gate": "r.1.0.1",
        "decision_before": "",
        "author_kind": "user",
        "author_id": "eve@example.com",
    }
    return Edit(**given | fields, decision=decision)


def answer(edit: Edit, *, tested: bool = True) -> Answer | None:
    """What the edit says to the gate."""
    return answer_of(edit, tested=tested, own_accounts=OURS)


def edited(scene: Scene, id: str, decision: str, *, write: bool = True, **fields: Any) -> Message:
    """Somebody writes into the only gate's document; gives the message that their edit becomes."""
    gate = scene.gate
    if write:
        scene.edit_gate(gate, decision=decision)
    given = answer(an_edit(decision, id=id, gate=gate.id, **fields))
    return Message(kind="approve", run=scene.id, gate=gate.id, answer=given)


def test_an_edit_of_decision_is_the_answer_of_whoever_made_it():
    """With the reason and the arguments that stand beside it; whoever edits documents is an operator."""
    assert answer(an_edit(reason="fine", edited_arguments='{"to": "eve"}')) == Answer(
        id="e1",
        by="eve@example.com",
        author="proved",
        via="console",
        decision="approve",
        operator=True,
        reason="fine",
        edited_arguments='{"to": "eve"}',
    )


@pytest.mark.parametrize(("before", "decision"), [("approve", ""), ("approve", "approve"), ("", ""), ("", "  ")])
def test_an_edit_that_changes_no_decision_is_none(before: str, decision: str):
    """The approve phase clears the field itself, and edits of other fields raise events, too."""
    assert answer(an_edit(decision, decision_before=before)) is None


@pytest.mark.parametrize(
    ("kind", "id", "by", "author"),
    [
        ("user", "eve@example.com", "eve@example.com", "proved"),
        ("unknown", "eve@example.com", "eve@example.com", "proved"),
        ("service_account", "bot@other.iam.gserviceaccount.com", "bot@other.iam.gserviceaccount.com", "proved"),
        ("service_account", "run@demo.iam.gserviceaccount.com", "run@demo.iam.gserviceaccount.com", "machine"),
        ("unknown", "Run@Demo.iam.gserviceaccount.com", "Run@Demo.iam.gserviceaccount.com", "machine"),
        ("app_user", '{"email": "eve@example.com", "email_verified": true}', "eve@example.com", "proved"),
        ("app_user", '{"token": {"email": "eve@example.com", "email_verified": true}}', "eve@example.com", "proved"),
        ("app_user", "%7B%22email%22:%22e@x.org%22,%22email_verified%22:true%7D", "e@x.org", "proved"),
        ("app_user", '{"email": "eve@example.com", "email_verified": "true"}', UNCONFIRMED, "unknown"),
        ("app_user", '{"email": "eve@example.com"}', UNCONFIRMED, "unknown"),
        ("app_user", "eve@example.com", UNCONFIRMED, "unknown"),
        ("app_user", "[" * 100_000, UNCONFIRMED, "unknown"),
        ("user", "1234567", UNCONFIRMED, "unknown"),
        ("api_key", "eve@example.com", UNCONFIRMED, "unknown"),
        ("system", "eve@example.com", UNCONFIRMED, "unknown"),
        ("unauthenticated", "eve@example.com", UNCONFIRMED, "unknown"),
        ("", "", UNCONFIRMED, "unknown"),
    ],
)
def test_who_made_an_edit_is_taken_from_what_was_proved(kind: str, id: str, by: str, author: str):
    """An e-mail that anybody may sign up with is no proof, and our own accounts are no people."""
    given = answer(an_edit(author_kind=kind, author_id=id))
    assert given is not None
    assert (given.by, given.author) == (by, author)


def test_before_a_test_edit_was_seen_no_author_is_proved():
    """What the console sends is not documented: it is found out in each deployment."""
    given = answer(an_edit(), tested=False)
    assert given is not None
    assert (given.by, given.author) == ("eve@example.com", "untested")


def test_an_edit_decides_the_gate_and_leaves_the_document_tidy():
    """The vote is kept, what was typed is taken away, the call is made."""
    scene = Scene(SEND, rules=gated("send"))
    gate = scene.gate
    scene.edit_gate(gate, decision_reason="fine")
    scene.world.deliver(edited(scene, "e1", "approve", reason="fine"))
    scene.settle()
    (after,) = scene.gates
    assert (after.status, after.decision, after.decision_reason, after.decision_error) == ("approved", "", "", "")
    assert [(vote.by, vote.via, vote.reason, vote.refused) for vote in after.votes] == [
        ("eve@example.com", "console", "fine", "")
    ]
    assert (scene.status, scene.shop.done) == ("succeeded", [("send", "ada")])


def test_a_typing_error_decides_nothing_and_says_so():
    """What else was written stays, so that only the word has to be written again."""
    scene = Scene(SEND, rules=gated("send", ", editable: true"))
    written = {"decision_reason": "fine", "edited_arguments": '{"to": "eve"}'}
    scene.edit_gate(scene.gate, **written)
    scene.world.deliver(edited(scene, "e1", "aprove", reason="fine", edited_arguments='{"to": "eve"}'))
    gate = scene.gate
    assert (gate.decision, gate.decision_reason, gate.edited_arguments) == ("", *written.values())
    assert gate.decision_error == "'aprove' is no decision. Write approve or deny."
    scene.world.deliver(edited(scene, "e2", "approve", reason="fine", edited_arguments='{"to": "eve"}'))
    scene.settle()
    assert scene.shop.done == [("send", "eve")]
    (after,) = scene.gates
    assert (after.decision_error, after.edited_arguments) == ("", "")


def test_the_same_event_twice_is_one_vote():
    """Events come at least once."""
    scene = Scene(SEND, rules=gated("send", ", quorum: 2"))
    message = edited(scene, "e1", "approve")
    scene.world.deliver(message)
    scene.world.deliver(message)
    assert [(vote.id, vote.refused) for vote in scene.gate.votes] == [("e1", "")]


def test_of_two_edits_the_first_that_is_recorded_wins():
    """Events come in any order; the other is told who decided what."""
    scene = Scene(SEND, rules=gated("send"))
    first = edited(scene, "e1", "approve")
    second = edited(scene, "e2", "deny", decision_before="approve", author_id="mal@example.com")
    scene.world.deliver(second)
    scene.world.deliver(first)
    scene.settle()
    (gate,) = scene.gates
    assert [(vote.id, vote.refused) for vote in gate.votes] == [("e2", ""), ("e1", "gate_already_decided")]
    assert (gate.status, gate.decision) == ("denied", "")
    assert gate.decision_error.startswith("The gate was denied by mal@example.com at ")
    assert scene.shop.done == []


def test_an_edit_of_a_gate_that_another_has_replaced_is_refused():
    """The call has a new gate since; the old one says so instead of keeping silent."""
    scene = Scene(SEND, rules=gated("send"))
    old = scene.gate
    late = edited(scene, "e1", "deny")
    scene.edit_gate(old, status="cancelled", decision="deny")
    scene.edit(f"runs/{scene.id}/actions/{scene.action.id}", gate=f"{scene.action.id}.2")
    scene.world.deliver(late)
    gate = scene.world.process.gates.get(old.id, user="ada")
    assert [(vote.id, vote.refused) for vote in gate.votes] == [("e1", "gate_already_decided")]
    assert (gate.decision, scene.statuses) == ("", ["gated"])


def test_a_gate_that_was_set_to_waiting_by_hand_decides_nothing():
    """Its word is not enough: the call does not wait any more."""
    scene = Scene(SEND, rules=gated("send"))
    scene.world.deliver(edited(scene, "e1", "approve"))
    scene.settle()
    scene.edit_gate(scene.gates[0], status="waiting", votes=[])
    scene.world.deliver(edited(scene, "e2", "approve"))
    scene.settle()
    (gate,) = scene.gates
    assert [vote.refused for vote in gate.votes] == ["gate_already_decided"]
    assert scene.shop.done == [("send", "ada")]


STRICT = [", approvers: [eve@example.com]", ", quorum: 2", ", four_eyes: true"]


@pytest.mark.parametrize("rule", STRICT)
@pytest.mark.parametrize(
    ("kind", "tested", "code", "says"),
    [
        ("api_key", True, "author_unknown", "came without its author"),
        ("user", False, "console_unconfirmed", "entracte doctor --console"),
    ],
)
def test_a_gate_that_asks_for_particular_people_takes_no_uncertain_author(
    rule: str, kind: str, tested: bool, code: str, says: str
):
    """It says in the document why, and how else it can be decided."""
    scene = Scene(SEND, rules=gated("send", rule))
    given = answer(an_edit(gate=scene.gate.id, author_kind=kind), tested=tested)
    scene.world.deliver(Message(kind="approve", run=scene.id, gate=scene.gate.id, answer=given))
    gate = scene.gate
    assert [(vote.refused, vote.by) for vote in gate.votes] == [(code, given.by if given else "")]
    assert says in gate.decision_error
    assert f"entracte approve {gate.id}" in gate.decision_error


def test_once_a_test_edit_was_seen_an_approver_may_decide_in_the_console():
    """The author comes from the event, which nobody can type."""
    scene = Scene(SEND, rules=gated("send", STRICT[0]))
    scene.world.deliver(edited(scene, "e1", "approve"))
    scene.settle()
    assert scene.shop.done == [("send", "ada")]


@pytest.mark.parametrize("kind", ["api_key", "user"])
def test_a_gate_that_asks_for_nobody_in_particular_takes_any_edit(kind: str):
    """Only operators can edit documents; the vote says how far its author is known."""
    scene = Scene(SEND, rules=gated("send"))
    given = answer(an_edit(gate=scene.gate.id, author_kind=kind), tested=False)
    scene.world.deliver(Message(kind="approve", run=scene.id, gate=scene.gate.id, answer=given))
    scene.settle()
    (gate,) = scene.gates
    assert [vote.author for vote in gate.votes] == ["unknown" if kind == "api_key" else "untested"]
    assert scene.shop.done == [("send", "ada")]


def test_our_own_service_account_never_decides():
    """A tool that writes into the database approves no call of its own run."""
    scene = Scene(SEND, rules=gated("send"))
    own = {"author_kind": "service_account", "author_id": "run@demo.iam.gserviceaccount.com"}
    scene.world.deliver(edited(scene, "e1", "approve", **own))
    scene.settle()
    assert [vote.refused for vote in scene.gate.votes] == ["own_service_account"]
    assert scene.shop.done == []


@pytest.mark.parametrize("rule", STRICT)
def test_an_uncertain_approval_does_not_cover_a_rule_that_has_become_stricter(rule: str):
    """Approved when anybody would do, to be made when it matters who it was: it is asked again."""
    scene = Scene(SEND, rules=gated("send"))
    given = answer(an_edit(gate=scene.gate.id), tested=False)
    scene.world.deliver(Message(kind="approve", run=scene.id, gate=scene.gate.id, answer=given))
    on_its_way = scene.world.bus.waiting
    scene.world = scene.world.again(network=shop_network(scene.shop, gated("send", rule)))
    scene.world.bus.waiting = on_its_way
    scene.settle()
    assert (scene.status, scene.shop.done) == ("waiting", [])
    assert "particular people" in scene.gate.why or "2 people" in scene.gate.why


def test_an_edit_whose_event_was_lost_is_asked_again():
    """Sweep finds it. Who wrote it is not guessed, and nothing is decided."""
    scene = Scene(SEND, rules=gated("send"))
    edited(scene, "lost", "approve")
    scene.world.sweep()
    scene.settle()
    gate = scene.gate
    assert (gate.decision, gate.votes, scene.shop.done) == ("", (), [])
    assert gate.decision_error == (
        "Unconfirmed: 'approve' arrived without its author. Nothing was decided; write it again."
    )
    assert scene.world.sweep() == 0


def test_an_event_that_comes_late_counts_all_the_same():
    """It was on its way when sweep looked."""
    scene = Scene(SEND, rules=gated("send"))
    late = edited(scene, "e1", "approve")
    scene.world.sweep()
    scene.settle()
    scene.world.deliver(late)
    scene.settle()
    (gate,) = scene.gates
    assert (gate.status, gate.decision_error, scene.shop.done) == ("approved", "", [("send", "ada")])


@pytest.mark.parametrize("value", [True, 7, {"a": 1}, None])
def test_a_decision_of_another_type_leaves_the_gate_readable(value: Any):
    """The console lets people choose a field's type."""
    scene = Scene(SEND, rules=gated("send"))
    scene.edit_gate(scene.gate, decision=value)
    message = edited(scene, "e1", json.dumps(value), write=False)
    scene.world.deliver(message)
    scene.settle()
    assert scene.gate.decision_error.endswith("is no decision. Write approve or deny.")
    scene.world.deliver(edited(scene, "e2", "approve"))
    scene.settle()
    assert scene.shop.done == [("send", "ada")]
