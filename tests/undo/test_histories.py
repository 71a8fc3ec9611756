"""Fifty generated histories of the support desk, taken back: also by an undo that is killed on the way."""

import random
from collections import Counter

import pytest

from crm.once import times_asked
from entracte.runtime.services.dry_run import dry_run
from entracte.testing.crashing import Fuse
from tests.undo.histories import History

SEEDS = range(50)
WHOLE = {"revert", "unverified", "already"}


@pytest.mark.parametrize("seed", SEEDS)
def test_a_history_of_creates_updates_and_deletes_is_taken_back_to_the_same_dump(seed, fresh_crm):
    """A dry run said so before, of every change, and wrote nothing; taking it back twice changes nothing."""
    history = History(seed, fresh_crm())
    changed, documents = history.now, history.world.documents()
    steps = dry_run(history.world.process.engine, history.world.run(history.id))
    assert (len(steps), {step.fate for step in steps} <= WHOLE) == (len(history.changed), True)
    assert (history.now, history.world.documents()) == (changed, documents)
    history.undo()
    assert (history.world.run(history.id).status, history.now == history.before) == ("undone", True)
    documents = history.world.documents()
    history.undo()
    assert (history.now == history.before, history.world.documents() == documents) == (True, True)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_history_is_taken_back_by_an_undo_that_is_killed_again_and_again(seed, fresh_crm):
    """By whoever comes next: of redelivered messages, or of what sweep finds."""
    history, chance = History(seed, fresh_crm()), random.Random(f"{seed} kills")
    fuses = [Fuse(chance.randrange(12)) for _ in range(4)]
    history.undo(*fuses, redelivered=bool(seed % 2))
    assert (history.world.run(history.id).status, history.now == history.before) == ("undone", True)
    assert len(fuses[0].points) == fuses[0].at + 1, "the process did not die: the test tests nothing"


def test_an_undo_that_is_killed_between_any_two_moves_is_started_again_and_comes_to_the_same_end(fresh_crm):
    """Every point of the undo of one history, in which a customer was changed, one deleted and one created.

    At every other point the broker has lost the message, and sweep finds what is left to do.
    """
    history, counting = History(43, fresh_crm()), Fuse()
    assert history.changed == ["update_customer", "delete_customer", "create_customer"]
    history.undo(counting)
    for at, point in enumerate(counting.points):
        history, fuse = History(43, fresh_crm()), Fuse(at)
        history.undo(fuse, redelivered=bool(at % 2))
        assert (history.now == history.before, history.world.run(history.id).status) == (True, "undone"), (at, point)
        assert set(times_asked(history.database).values()) <= {1, 2}, (at, point)


def test_the_histories_are_worth_their_name(fresh_crm):
    """They change, create and delete customers, also such as they have created, and some of their calls fail."""
    history = History(26, fresh_crm())
    assert Counter(history.changed) == {"update_customer": 4, "create_customer": 2, "delete_customer": 1}
    assert history.now != history.before
    assert {action.status for action in history.actions} == {"applied", "failed"}
