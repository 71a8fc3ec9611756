"""The table of threats names tests that exist (infra/decisions/threats.md)."""

from __future__ import annotations

import pytest

from tests.infra.named_tests import faults_of, rows

ROWS = rows("infra/decisions/threats.md")


def test_the_table_is_read():
    """Or the test below says nothing."""
    assert len(ROWS) > 20


@pytest.mark.parametrize("row", ROWS, ids=[row[1][:60] for row in ROWS])
def test_every_threat_names_tests_that_exist(row: list[str]):
    """Who, what, how it is stopped, and at least one test, by file and name."""
    who, what, how, named = row
    assert who and what and how and faults_of(named) == []
