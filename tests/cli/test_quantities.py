"""Numbers as people read them (quantities.py)."""

from datetime import UTC, datetime, timedelta

import pytest

from entracte.cli.terminal.quantities import age, count, seconds


def test_nouns_follow_their_number():
    """And large numbers are grouped."""
    assert [count(n, "call") for n in (0, 1, 1200)] == ["0 calls", "1 call", "1,200 calls"]


@pytest.mark.parametrize(
    ("length", "words"),
    [(0, "0.0 s"), (9.94, "9.9 s"), (59.4, "59 s"), (59.6, "1 min 0 s"), (200, "3 min 20 s"), (7500, "2 h 5 min")],
)
def test_a_length_of_time_has_two_units_at_most(length: float, words: str):
    """As precise as anybody cares for."""
    assert seconds(length) == words


@pytest.mark.parametrize(
    ("passed", "words"),
    [
        (timedelta(seconds=-1), "0 s"),
        (timedelta(seconds=59), "59 s"),
        (timedelta(minutes=119), "1 h"),
        (timedelta(days=90), "90 d"),
    ],
)
def test_an_age_has_one_unit(passed: timedelta, words: str):
    """The largest that fits; what seems to lie ahead, by another clock, is new."""
    now = datetime(2026, 1, 1, tzinfo=UTC)
    assert age(now - passed, now) == words
