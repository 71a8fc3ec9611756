"""What the functions make of the body of a push (push.py)."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from entracte.adapters.gcp.push import decode_push
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


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        (b"", "Input data was truncated"),
        (b"\xff", "JSON is malformed"),
        (b"[" * 100_000, "got `array`"),
        (b'{"x": ' + b"[" * 100_000, "recursion"),
        (b"[]", "Expected `object`, got `array`"),
        ({}, "missing required field `message`"),
        ({"message": None}, "got `null` - at `$.message`"),
        ({"message": {"attributes": {}}}, "missing required field `data` - at `$.message`"),
        (envelope(None), "got `null` - at `$.message.data`"),
        (envelope("####"), "Invalid base64 encoded string - at `$.message.data`"),
        (envelope("漢字"), "Invalid base64 encoded string - at `$.message.data`"),
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
    newer = MESSAGE.evolve(schema_version=99)
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
