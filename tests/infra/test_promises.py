"""The table of what agents do names tests that exist (infra/decisions/promises.md)."""

import pytest

from tests.infra.named_tests import faults_of, rows

ROWS = rows("infra/decisions/promises.md")


def test_the_table_is_read():
    """Or the test below says nothing."""
    assert len(ROWS) > 60


@pytest.mark.parametrize(("promise", "shown"), ROWS, ids=[row[0][:60] for row in ROWS])
def test_every_promise_names_tests_that_exist_or_says_why_it_is_not_kept(promise: str, shown: str):
    """By file and name, or with a reason."""
    reason = shown.removeprefix("not built: ")
    assert promise and ((reason != shown and len(reason) > 20) or faults_of(shown) == [])
