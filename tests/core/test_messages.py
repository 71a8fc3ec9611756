"""Messages on their way (messages.py)."""

import json

import pytest
from hypothesis import given, strategies as st

from entracte.core.messages import Message, decode_message
from entracte.errors import NewerSchema, TerminalError

ENDLESS = b'{"kind": "plan", "run": "r", "calls": 1000000000000}'
"""Every call would be read."""

_TEXT = st.text(st.characters(exclude_categories=["Cs"]))


@given(st.builds(Message, kind=st.just("execute"), run=_TEXT, session=_TEXT, action=_TEXT, step=st.integers(0, 99)))
def test_a_message_arrives_as_it_was_sent(message):
    """In every field."""
    assert decode_message(message.encode()) == message


def test_a_message_carries_ids_and_never_data():
    """Documents decide what is done; and a message is no place for arguments or secrets."""
    names = "schema_version kind run session frame step calls action gate answer traceparent"
    assert set(Message.__struct_fields__) == set(names.split())


def test_fields_that_this_version_does_not_know_are_ignored():
    """A newer sender may say more."""
    message = Message(kind="plan", run="r")
    assert decode_message(json.dumps(json.loads(message.encode()) | {"mood": "good"})) == message


def test_a_message_of_a_newer_schema_is_left_alone():
    """It is acknowledged, and `due` brings it up again."""
    with pytest.raises(NewerSchema, match="has schema 2; this version knows 1"):
        decode_message('{"kind": "plan", "run": "r", "schema_version": 2}')


@pytest.mark.parametrize("raw", [b"", b"{}", b"[1]", b'{"kind": "dance", "run": "r"}', b"\xff\xfe", b"null", ENDLESS])
def test_what_is_no_message_can_never_be_handled(raw):
    """It is logged and acknowledged: delivering it again would change nothing."""
    with pytest.raises(TerminalError, match="Not a message") as caught:
        decode_message(raw)
    assert caught.value.code == "bad_message"
