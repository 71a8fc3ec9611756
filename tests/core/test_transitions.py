"""The tables of statuses (transitions.py)."""

from typing import get_args

import pytest

from entracte.core.documents.action import ENDED, ActionStatus
from entracte.core.documents.frame import Cursor, FramePhase
from entracte.core.documents.run import Status
from entracte.core.transitions import ACTION, FRAME, RUN, check
from tests.core.builders import a_frame, a_run, an_action

TABLES = {"frame": (FRAME, FramePhase), "action": (ACTION, ActionStatus), "run": (RUN, Status)}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_closed(name):
    """Every status has a row, and no row leads out of the table."""
    table, literal = TABLES[name]
    assert set(table) == set(get_args(literal))
    assert set().union(*table.values()) <= set(table)


@pytest.mark.parametrize("name", TABLES)
def test_a_status_may_stay(name):
    """Other fields change while it does."""
    table, _ = TABLES[name]
    assert all(status in following for status, following in table.items())


def test_what_has_ended_stays_as_it_ended():
    """Late messages find nothing to do. Only an undo moves a call that has ended, and only one that has applied."""
    for status in ENDED:
        assert ACTION[status] <= {status, "applied", "reverting", "reverted", "unrecoverable"}
    for status in ("failed", "blocked", "cancelled", "denied", "expired", "reverted"):
        assert ACTION[status] == {status}
    assert FRAME["ended"] == {"ended"}
    for status in ("succeeded", "cancelled"):
        assert RUN[status] == {status, "undoing"}
    assert RUN["failed"] == {"failed", "running", "undoing"}  # by a retry


def test_only_a_retry_opens_a_frame_again():
    """Its number tells."""
    ended = a_frame(phase="ended")
    check(ended, ended.evolve(cursor=Cursor(step=1, phase="plan"), retries=1))


def test_every_open_run_can_be_cancelled():
    """Whatever it waits for."""
    assert [s for s in ("queued", "running", "waiting", "stalled") if "cancelled" not in RUN[s]] == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (a_run(status="succeeded"), a_run(status="running")),
        (a_frame(phase="ended"), a_frame(phase="plan")),
        (a_frame(phase="plan"), a_frame(phase="interpret")),
        (an_action(status="applied"), an_action(status="started")),
        (an_action(status="unknown"), an_action(status="started")),
    ],
)
def test_a_move_that_is_not_in_the_table_is_a_bug(before, after):
    """It is raised before anything is written."""
    with pytest.raises(AssertionError, match="no such transition"):
        check(before, after)


def test_a_new_document_may_have_any_status():
    """A call that cannot be made is created as one that has failed."""
    check(None, an_action(status="failed"))
