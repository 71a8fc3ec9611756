"""Firestore's security rules (infra/firestore/firestore.rules) on the emulator, with documents of the real shapes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
from ruamel.yaml import YAML

from entracte.adapters.gcp.store import FirestoreStore
from entracte.core.documents.base import Document
from entracte.core.documents.gate import Gate, GateFacts
from entracte.core.documents.journal import Entry
from entracte.core.payload import Payload
from entracte.ports.store import Create
from tests.core.builders import a_frame, a_run, an_action
from tests.rules.app import ALLOWED, DENIED, App, Database, field, query, user

pytestmark = pytest.mark.emulator

FIRESTORE = Path(__file__).resolve().parents[2] / "infra" / "firestore"
NOW = datetime(2026, 1, 1, 9, tzinfo=UTC)
ADA, BOB, EVE = "ada@example.com", "bob@example.com", "eve@example.com"
ANSWER = {"decision": "approve", "decision_reason": "Ada asked for it."}


def a_gate(**facts: Any) -> Gate:
    """A waiting gate of Ada's run."""
    names = {"action": "r.1.0", "frame": "r", "session": "s", "owner": ADA, "agent": "desk", "tool": "send"}
    rest = {"kind": "approval", "number": 1, "digest": "sha256:0", "arguments": Payload.of({}), "approvers": (BOB,)}
    status = facts.pop("status", "waiting")
    return Gate(run="r", created=NOW, status=status, z=GateFacts(**names | rest | facts))


def an_entry() -> Entry:
    """A journal entry of Ada's run."""
    return Entry(id="r.1.plan", run="r", frame="r", owner=ADA, agent="desk", step=1, phase="plan", at=NOW)


DOCUMENTS: Mapping[str, Document | Mapping[str, Any]] = {
    "runs/r": a_run(owner=ADA),
    "runs/keyed": a_run(id="keyed", owner="uid-of-bob"),
    "runs/r/frames/r": a_frame(owner=ADA),
    "runs/r/actions/r.1.0": an_action(owner=ADA),
    "runs/r/journal/r.1.plan": an_entry(),
    "runs/r/live/r": {"owner": ADA, "text": "Looking"},
    "runs/r/chunks/0-0": {"text": "…"},
    "sessions/s": {"owner": ADA},
    "sessions/s/turns/000001": {"owner": ADA},
    "spending/s": {"owner": ADA, "settled_micro_usd": "1"},
    "memories/ada/items/i": {"owner": ADA, "text": "…"},
    "sessions/s/artifacts/a": {"owner": ADA, "title": "…"},
    "gates/named": a_gate(),
    "gates/editable": a_gate(editable=True),
    "gates/unnamed": a_gate(approvers=()),
    "gates/closed": a_gate(status="approved"),
}


@pytest.fixture(scope="module")
def database(firestore_emulator: str) -> Iterator[Database]:
    """A project of its own that holds the documents above."""
    project = f"demo-rules-{uuid4().hex[:8]}"
    store = FirestoreStore(project, emulator=firestore_emulator)
    encoded = {
        path: document.encoded() if isinstance(document, Document) else document for path, document in DOCUMENTS.items()
    }
    store.commit([Create(path, fields) for path, fields in encoded.items()])
    store.close()
    with httpx.Client(base_url=f"http://{firestore_emulator}") as http:
        database = Database(http, project)
        database.set_rules((FIRESTORE / "firestore.rules").read_text())
        yield database


@pytest.fixture
def owner(database: Database) -> App:
    """Of all runs but one."""
    return user(database, "uid-of-ada", email=ADA)


@pytest.fixture
def approver(database: Database) -> App:
    """Named by all gates but one."""
    return user(database, "uid-of-bob", email=BOB)


@pytest.fixture
def other(database: Database) -> App:
    """Named nowhere."""
    return user(database, "uid-of-eve", email=EVE)


@pytest.fixture
def anonymous(database: Database) -> App:
    """Has not signed in."""
    return App(database, None)


@pytest.fixture
def pretender(database: Database) -> App:
    """Signed up with Bob's address, which is not theirs."""
    return user(database, "uid-of-mallory", email=BOB, verified=False)


def test_everybody_reads_just_what_is_theirs(owner: App, approver: App, other: App, anonymous: App, pretender: App):
    """Owners their runs, journal, live text and gates; approvers the gates that name them; nobody anything else."""
    people = {"owner": owner, "approver": approver, "other": other, "anonymous": anonymous, "pretender": pretender}
    seen = {name: [path for path in DOCUMENTS if person.read(path) == ALLOWED] for name, person in people.items()}
    gates = [path for path in DOCUMENTS if path.startswith("gates/")]
    assert seen == {
        "owner": ["runs/r", "runs/r/journal/r.1.plan", "runs/r/live/r", *gates],
        "approver": ["runs/keyed", *(gate for gate in gates if gate != "gates/unnamed")],
        "other": [],
        "anonymous": [],
        "pretender": [],
    }


def test_a_user_id_that_looks_like_an_address_proves_no_address(database: Database):
    """An app's server may choose user ids; owners who are e-mails are proved by their verified e-mail only."""
    assert user(database, ADA).read("runs/r") == DENIED


def test_an_address_is_the_same_in_whatever_letters(database: Database):
    """Documents have it in small ones; a token has it as its holder wrote it."""
    assert user(database, "uid-of-ada", email="Ada@Example.com").read("runs/r") == ALLOWED
    assert user(database, "uid-of-bob", email="BOB@example.com").write("gates/named", ANSWER) == ALLOWED


def test_an_address_in_the_token_proves_nothing_until_it_is_verified(database: Database):
    """The owner's own address, before they followed the link that was mailed to it."""
    assert user(database, "uid-of-ada", email=ADA, verified=False).read("runs/r") == DENIED


QUERIES = {
    "my_runs": ("", query("runs", field("owner", "EQUAL", ADA), newest_first="created"), ["r"]),
    "my_waiting_gates": (
        "",
        query("gates", field("z.owner", "EQUAL", ADA), field("status", "EQUAL", "waiting"), newest_first="created"),
        ["unnamed", "named", "editable"],
    ),
    "journal_of_my_run": ("runs/r", query("journal", field("owner", "EQUAL", ADA)), ["r.1.plan"]),
    "live_text_of_my_run": ("runs/r", query("live", field("owner", "EQUAL", ADA)), ["r"]),
}
"""What an owner's app asks: parent, query, ids found. The names are those of ``client`` in indexes.yaml."""

FOR_ME = query(
    "gates", field("z.approvers", "ARRAY_CONTAINS", BOB), field("status", "EQUAL", "waiting"), newest_first="created"
)


@pytest.mark.parametrize("name", QUERIES)
def test_an_owner_lists_what_is_theirs_and_nobody_else_can(owner: App, other: App, anonymous: App, name: str):
    """A query is allowed as a whole or not at all: the same one is refused to another user."""
    parent, asked, found = QUERIES[name]
    assert owner.ask(parent, asked) == (ALLOWED, found)
    assert [person.ask(parent, asked)[0] for person in (other, anonymous)] == [DENIED, DENIED]


def test_an_approver_lists_the_gates_that_wait_for_them(approver: App, other: App, pretender: App):
    """gates_for_me in indexes.yaml."""
    assert approver.ask("", FOR_ME) == (ALLOWED, ["named", "editable"])
    assert [person.ask("", FOR_ME)[0] for person in (other, pretender)] == [DENIED, DENIED]


def test_every_query_of_an_app_has_its_indexes():
    """Those asked here are those listed as ``client`` in indexes.yaml."""
    listed = YAML(typ="safe").load((FIRESTORE / "indexes.yaml").read_text())
    assert set(listed["client"]) == {*QUERIES, "gates_for_me"}


def test_a_query_that_does_not_say_whose_is_refused(owner: App):
    """Rules are no filter: an app that asks for all gets nothing."""
    assert owner.ask("", query("runs"))[0] == DENIED
    assert owner.ask("runs/r", query("journal"))[0] == DENIED


def test_an_approver_answers_a_gate(approver: App):
    """The two fields that people write, in one go."""
    assert approver.write("gates/named", ANSWER) == ALLOWED


def test_only_an_approver_answers_a_gate(owner: App, other: App, anonymous: App, pretender: App):
    """Not even the owner, where others are named."""
    assert [person.write("gates/named", ANSWER) for person in (owner, other, anonymous, pretender)] == [DENIED] * 4


def test_the_owner_answers_a_gate_that_names_nobody(owner: App, approver: App):
    """As the policy has it: no approvers means the run's owner."""
    assert owner.write("gates/unnamed", ANSWER) == ALLOWED
    assert approver.write("gates/unnamed", ANSWER) == DENIED


def test_arguments_are_edited_only_where_the_rule_lets_them_be(approver: App):
    """`editable` in the policy."""
    edit = {"decision": "approve", "edited_arguments": '{"to": "ada@example.com"}'}
    assert approver.write("gates/editable", edit) == ALLOWED
    assert approver.write("gates/named", edit) == DENIED


def test_a_gate_that_is_closed_takes_no_answer(approver: App):
    """The document is a record from then on."""
    assert approver.write("gates/closed", ANSWER) == DENIED


@pytest.mark.parametrize(
    "more",
    [
        {"status": "approved"},
        {"votes": ["approve"]},
        {"decision_error": "Nothing was wrong."},
        {"preview": ["Send nothing"]},
        {"z.approvers": [EVE]},
        {"z.digest": "sha256:1"},
        {"anything": "new"},
    ],
    ids=lambda more: next(iter(more)),
)
def test_an_answer_carries_nothing_else(approver: App, more: dict[str, Any]):
    """Beside `decision`, `decision_reason` and `edited_arguments` nothing can be changed."""
    assert approver.write("gates/editable", ANSWER | more) == DENIED


@pytest.mark.parametrize("decision", [True, ["approve"], "x" * 10_001], ids=["truth", "list", "long"])
def test_an_answer_is_a_text_of_bounded_length(approver: App, decision: Any):
    """Whatever an app may send, the gate stays readable."""
    assert approver.write("gates/editable", {"decision": decision}) == DENIED


def test_nobody_makes_or_removes_anything(owner: App, approver: App, other: App):
    """No document of any kind, be it one's own."""
    made = [
        owner.write("runs/new", {"owner": ADA}),
        owner.write("runs/r/live/new", {"owner": ADA}),
        owner.write("runs/r", {"status": "succeeded"}),
        owner.write("runs/r/journal/r.1.plan", {"phase": "execute"}),
        approver.write("gates/new", {"z.approvers": [BOB]}),
        other.write("anything/new", {"owner": EVE}),
    ]
    removed = [owner.delete("runs/r"), owner.delete("gates/named"), approver.delete("gates/named")]
    assert made + removed == [DENIED] * 9
