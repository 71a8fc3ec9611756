"""gate_edit: events of Firestore become approve messages (adapters/gcp/gate_edit.py, runtime/doors/gate_edit.py)."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

import pytest
from google.events.cloud.firestore import DocumentEventData

from entracte.adapters.gcp.firestore.values import encode_fields
from entracte.adapters.gcp.gate_edit import decode_edit
from entracte.core.answer import Answer
from entracte.core.gates.editing import Edit
from entracte.core.messages import Message
from entracte.errors import TerminalError
from entracte.runtime.doors.gate_edit import message_of
from entracte.runtime.settings import read_settings

# As Firestore's emulator (1.19.9) sends it.
ATTRIBUTES = {
    "specversion": "1.0",
    "id": "90c79bc9-43f0-4c32-ac61-05fbe6b1043c",
    "source": "//firestore.googleapis.com/projects/projects/demo-p/databases/(default)",
    "type": "google.cloud.firestore.document.v1.updated.withAuthContext",
    "datacontenttype": "application/protobuf",
    "subject": "documents/gates/r.1.0.1",
    "time": "2026-11-30T15:34:22Z",
    "location": "us-central1",
    "project": "demo-p",
    "database": "(default)",
    "namespace": "(default)",
    "document": "gates/r.1.0.1",
    "authtype": "unknown",
    "authid": "fake-auth-id@gmail.com",
}

BEFORE = {"decision": "", "status": "waiting", "preview": ["Send e-mail"], "z": {"quorum": 1, "owner": "ada"}}
AFTER = BEFORE | {"decision": "approve", "decision_reason": "Grüße", "edited_arguments": '{"to": "eve"}'}


def a_body(after: Mapping[str, Any] = AFTER, before: Mapping[str, Any] = BEFORE) -> bytes:
    """A `DocumentEventData` in binary."""
    event = DocumentEventData.pb()()
    encode_fields(event.value.fields, after)
    encode_fields(event.old_value.fields, before)
    raw: bytes = event.SerializeToString()
    return raw


@pytest.mark.parametrize("form", [bytes, base64.b64encode], ids=["production", "emulator"])
def test_both_forms_of_the_body_say_the_same(form: Any):
    """A protocol buffer in production, its base64 text from the emulator."""
    assert decode_edit(ATTRIBUTES, form(a_body())) == Edit(
        id=ATTRIBUTES["id"],
        gate="r.1.0.1",
        decision_before="",
        decision="approve",
        reason="Grüße",
        edited_arguments='{"to": "eve"}',
        author_kind="unknown",
        author_id="fake-auth-id@gmail.com",
    )


def test_what_people_write_in_other_types_becomes_text():
    """Arguments written as a map are the JSON that was asked for."""
    edit = decode_edit(ATTRIBUTES, a_body({"decision": True, "edited_arguments": {"to": "eve"}}))
    assert (edit.decision, edit.edited_arguments, edit.reason) == ("true", '{"to": "eve"}', "")


def test_an_event_without_an_author_is_one_of_nobody():
    """A trigger of the kind without auth context sends such events."""
    bare = {name: value for name, value in ATTRIBUTES.items() if not name.startswith("auth")}
    edit = decode_edit(bare, a_body())
    assert (edit.author_kind, edit.author_id) == ("", "")


@pytest.mark.parametrize(
    ("attributes", "body", "complaint"),
    [
        (ATTRIBUTES | {"document": "runs/r"}, a_body(), "the document is 'runs/r'"),
        (ATTRIBUTES | {"document": "gates/r/x/y"}, a_body(), "the document is 'gates/r/x/y'"),
        ({}, a_body(), "the document is None"),
        (ATTRIBUTES | {"id": ""}, a_body(), "it has no id"),
        (ATTRIBUTES, b"\x0a\xff\xff\xff", "no DocumentEventData"),
        (ATTRIBUTES, b"not base64!", "no DocumentEventData"),
    ],
)
def test_anything_else_is_refused_for_good(attributes: Mapping[str, Any], body: bytes, complaint: str):
    """It would be the same at every try."""
    with pytest.raises(TerminalError, match=complaint):
        decode_edit(attributes, body)


def test_an_edit_becomes_an_approve_message_for_its_gate():
    """Value and author come from the same event; no document is read."""
    settings = read_settings({"ENTRACTE_PROJECT": "demo-p", "ENTRACTE_CONSOLE_CONFIRMED": "true"})
    assert message_of(decode_edit(ATTRIBUTES, a_body()), settings) == Message(
        kind="approve",
        run="r",
        gate="r.1.0.1",
        answer=Answer(
            id=ATTRIBUTES["id"],
            by="fake-auth-id@gmail.com",
            via="console",
            decision="approve",
            operator=True,
            reason="Grüße",
            edited_arguments='{"to": "eve"}',
        ),
    )


def test_the_edit_with_which_the_engine_takes_a_vote_is_no_answer():
    """Nor is the deletion of a gate, nor an edit of something else: a loop would never end."""
    settings = read_settings({})
    for after, before in ((BEFORE, AFTER), ({}, AFTER), (AFTER | {"decision_reason": "x"}, AFTER)):
        assert message_of(decode_edit(ATTRIBUTES, a_body(after, before)), settings) is None


@pytest.mark.parametrize(
    ("email", "author"),
    [
        ("entracte-run@demo-p.iam.gserviceaccount.com", "machine"),
        ("123-compute@developer.gserviceaccount.com", "machine"),
        ("demo-p@appspot.gserviceaccount.com", "machine"),
        ("ci@other.iam.gserviceaccount.com", "untested"),
    ],
)
def test_by_default_no_service_account_of_the_project_decides(email: str, author: str):
    """A tool that runs as the function's account could approve its own calls."""
    message = message_of(
        decode_edit(ATTRIBUTES | {"authtype": "service_account", "authid": email}, a_body()),
        read_settings({"ENTRACTE_PROJECT": "demo-p"}),
    )
    assert message is not None and message.answer is not None
    assert message.answer.author == author


def test_a_setting_names_the_accounts_that_never_decide():
    """In place of the project's own."""
    settings = read_settings({"ENTRACTE_SERVICE_ACCOUNTS": "fake-*@gmail.com, other@x.org"})
    message = message_of(decode_edit(ATTRIBUTES, a_body()), settings)
    assert message is not None and message.answer is not None
    assert message.answer.author == "machine"
