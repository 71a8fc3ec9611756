"""What the functions make of the body of a push (push.py)."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from entracte.adapters.gcp.push import decode_push, traceparent
from entracte.core.messages import Message
from entracte.errors import NewerSchema, TerminalError

MESSAGE = Message(kind="execute", run="rün", frame="f", action="f.1.0")


def envelope(data: Any) -> dict[str, Any]:
    """The envelope as production sends it."""
    return {
        "message": {
            "data": data,
            "attributes": {"kind": "execute"},
            "messageId": "2070443601311540",
            "message_id": "2070443601311540",
            "publishTime": "2026-02-26T19:13:55.749Z",
            "publish_time": "2026-02-26T19:13:55.749Z",
        },
        "subscription": "projects/p/subscriptions/entracte-execute",
        "deliveryAttempt": 2,
    }


def packed(raw: bytes) -> str:
    """Base64, as text."""
    return base64.b64encode(raw).decode()


def test_the_message_comes_out_of_the_body_as_bytes_or_as_parsed_json():
    """Frameworks hand over either."""
    body = envelope(packed(MESSAGE.encode()))
    assert decode_push(body) == decode_push(json.dumps(body).encode()) == MESSAGE


def test_a_push_without_a_trace_has_an_empty_one():
    """Nothing is invented; the function starts a trace of its own."""
    assert traceparent(envelope(packed(MESSAGE.encode()))) == ""


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        (b"", "the body: Invalid JSON: EOF"),
        (b"\xff", "the body: Invalid JSON"),
        (b"[" * 100_000, "the body: Invalid JSON: recursion limit"),
        (b"[]", "the body: Input should be an object"),
        ({}, "message: Field required"),
        ({"message": None}, "message: Input should be"),
        ({"message": {"attributes": {}}}, "message.data: Field required"),
        (envelope(None), "message.data: Value error, should be a string of base64"),
        (envelope("####"), "message.data: Value error, is not base64"),
        (envelope("漢字"), "message.data: Value error, is not base64"),
        (envelope(packed(b"hello")), "Not a message"),
        (envelope(packed(b'{"kind": "dance", "run": "r"}')), "Not a message"),
    ],
)
def test_what_is_no_push_of_ours_is_refused_by_the_name_of_its_fault(body: Any, fault: str):
    """Terminal: the handler acks it, since it would never become better."""
    with pytest.raises(TerminalError) as refusal:
        decode_push(body)
    assert fault in refusal.value.message


def test_a_message_of_a_newer_version_says_so():
    """The handler leaves it alone, and `due` brings the subject up again."""
    newer = MESSAGE.model_copy(update={"schema_version": 99})
    with pytest.raises(NewerSchema):
        decode_push(envelope(packed(newer.encode())))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["message", "data", "x"]), inner),
    max_leaves=8,
)


@settings(max_examples=50)
@given(st.binary(max_size=50) | json_values.map(lambda value: json.dumps(value).encode()))
def test_no_body_makes_it_crash(body: bytes):
    """Whatever somebody posts is either a message or a `TerminalError`."""
    with pytest.raises(TerminalError):
        decode_push(body)
