"""Rules 2 and 3: a move is made once; nothing is written over what the writer has not seen."""

from __future__ import annotations

from collections.abc import Iterator

from entracte.core.documents.journal import Entry
from entracte.core.transitions import check as check_move
from entracte.testing.simulation.moment import Invariant, Moment


def _versioned(moment: Moment) -> Iterator[str]:
    for path, (before, after) in moment.changed.items():
        expected = before.rev + 1 if before is not None else 1
        if after.rev != expected:
            yield f"{path} has rev {after.rev} after rev {expected - 1}: a write was lost"


def _journal_only_grows(moment: Moment) -> Iterator[str]:
    for before, after in moment.moves(Entry):
        if before is not None:
            yield f"the move {after.id} was made twice"


def _in_tables(moment: Moment) -> Iterator[str]:
    for before, after in moment.changed.values():
        try:
            check_move(before, after)
        except AssertionError as fault:
            yield str(fault)


COMMITS_ARE_VERSIONED = Invariant(
    "commits are versioned", "Each write builds on the one before it: no update is lost.", _versioned
)
JOURNAL_ONLY_GROWS = Invariant(
    "journal only grows",
    "The subject decides: a move is made once, however often its message comes.",
    _journal_only_grows,
)
MOVES_ARE_IN_TABLES = Invariant(
    "moves are in the tables", "A status is followed only by those that the table of transitions names.", _in_tables
)
