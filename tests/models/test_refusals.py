"""What a service's refusal says (refusals.py)."""

from datetime import UTC, datetime

import pytest

from entracte.adapters.models.refusals import retry_after_s, status_error

NOW = datetime(2026, 1, 1, 9, tzinfo=UTC)
SENT = "Thu, 01 Jan 2026 09:00:00 GMT"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Thu, 01 Jan 2026 09:00:30 GMT", "date": SENT}, 30.0),
        ({"retry-after": "Thu, 01 Jan 2026 09:01:00 GMT"}, 60.0),
        ({"retry-after": "Thu, 01 Jan 2026 08:00:00 GMT", "date": SENT}, 0.0),
        ({"retry-after": SENT, "date": "yesterday"}, None),
    ],
)
def test_retry_after_is_a_number_or_a_date(headers, seconds):
    """A date is measured from the service's own clock, which may be off."""
    assert retry_after_s(headers, NOW) == seconds


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b'{"error": {"message": "Too long."}}', "answered 400: Too long."),
        (b'{"error": "Too long"}', "answered 400: Too long."),
        (b'{"message": "Too long"}', "answered 400: Too long."),
        (b'{"detail": ["x"]}', 'answered 400: {"detail": ["x"]}.'),
        (b"<h1>\n Bad\n Gateway</h1>", "answered 400: <h1> Bad Gateway</h1>."),
        (b"", "answered 400: nothing more."),
        (b"\xff" + b"x" * 1000, "answered 400: �" + "x" * 299 + "."),
    ],
)
def test_the_services_own_words_are_told_and_bounded(raw, words):
    """Each kind of server wraps them in its own way."""
    assert status_error("m", 400, {}, raw, "").message == f"m {words}"
