"""Cursors of lists (api/requests/cursors.py)."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from datetime import UTC, datetime

import pytest
from hypothesis import given, strategies as st

from entracte.api.requests.cursors import _checksum, decode_cursor, encode_cursor
from entracte.errors import InvalidInput

NOON = datetime(2026, 1, 1, 12, 0, 0, 5000, tzinfo=UTC)


@given(st.one_of(st.integers(), st.none(), st.datetimes(timezones=st.just(UTC))), st.text(), st.text())
def test_a_cursor_gives_back_its_place(value: object, path: str, of: str):
    """Times and numbers alike."""
    cursor = encode_cursor((value, path), of=of)
    assert decode_cursor(cursor, of=of) == (value, path)


def test_there_is_no_cursor_after_the_last_page():
    """And no place without a cursor."""
    assert encode_cursor(None, of="runs") is None
    assert decode_cursor(None, of="runs") is None


def test_an_altered_cursor_is_refused():
    """Whichever character of it."""
    cursor = encode_cursor((NOON, "runs/a"), of="runs") or ""
    for place in range(len(cursor) - 1):  # the last may carry bits that mean nothing
        altered = cursor[:place] + ("A" if cursor[place] != "A" else "B") + cursor[place + 1 :]
        with pytest.raises(InvalidInput, match="none that this list has given"):
            decode_cursor(altered, of="runs")


@pytest.mark.parametrize("cursor", ["", "x", "ümlaut", "====", "a" * 500, "AAAAAAAAAAAA", "null"])
def test_what_never_was_a_cursor_is_refused(cursor: str):
    """Instead of an error of ours."""
    with pytest.raises(InvalidInput):
        decode_cursor(cursor, of="runs")


@pytest.mark.parametrize(
    "text", ["1", "[]", "[1]", '["x", "p"]', '["2026-01-01", "p"]', "[1.5, 2]", "[{}, []]", "[1", "é"]
)
def test_what_somebody_has_made_up_with_its_checksum_is_refused(text: str):
    """The checksum is no secret: it keeps lists apart, and what is said has to be a place all the same."""
    made_up = urlsafe_b64encode(_checksum("runs", text) + text.encode()).decode()
    with pytest.raises(InvalidInput):
        decode_cursor(made_up, of="runs")


def test_a_cursor_belongs_to_one_list():
    """With other filters it would skip things in silence."""
    cursor = encode_cursor((NOON, "runs/a"), of="runs\0ada\0status=failed")
    with pytest.raises(InvalidInput):
        decode_cursor(cursor, of="runs\0ada\0status=succeeded")
