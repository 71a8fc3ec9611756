"""What the agents of a session are told of an undo: what they said before of what was taken back no longer holds.

State and answers are their own words and stay as they are; a line of the conversation says which of them to doubt. It
is written by the commit that ends the undo, so it is there once, whatever comes twice or dies between.
"""

from __future__ import annotations

from msgspec.structs import replace

from entracte.core.addresses import session_path, turn_path
from entracte.core.conversation.trail import call_line
from entracte.core.documents.action import Action
from entracte.core.documents.run import Run, Undo
from entracte.core.documents.session import Turn
from entracte.core.effects import Fetch
from entracte.core.outcome import Outcome, Put
from entracte.core.situation import Situation

MAX_NAMED = 8
"""Calls that the line names of those taken back, and of those not. Of the others it says how many there are."""

CALL_CHARS = 160

NO_LONGER = "What state and earlier messages say of what was taken back no longer holds: look before you rely on it."


def may_be_reverted(action: Action) -> bool:
    """Whether nobody knows if it was taken back."""
    return action.status in ("reverting", "unrecoverable")


def naming(named: tuple[str, ...], action: Action) -> tuple[str, ...]:
    """The calls that are named, with one more while there is room."""
    line = call_line(action, CALL_CHARS)
    return (*named, f"{line} (perhaps it was)" if may_be_reverted(action) else line)[:MAX_NAMED]


def with_notice(s: Situation, outcome: Outcome) -> Outcome | Fetch:
    """The outcome of an undo's move; where it is the last, and something is taken back, the session is told as well."""
    run = next((put.document for put in outcome.puts if isinstance(put.document, Run)), None)
    if run is None or run.undo is None or run.status not in ("undone", "partial"):
        return outcome
    if not run.undo.reverted and not _has_come_in_doubt(s, run, outcome):
        return outcome
    path = session_path(run.session)
    if unread := s.docs.unread((path,)):
        return Fetch(unread)
    if (session := s.docs.session(run.session)) is None:
        return outcome
    text = notice(run.undo)
    after = session.with_turn("system", text, s.now)
    turn = Turn.of(after, run=run.id, role="system", text=text, now=s.now)
    return replace(outcome, puts=(*outcome.puts, Put(path, after), Put(turn_path(session.id, after.turns), turn)))


def notice(undo: Undo) -> str:
    """The line: what was taken back, what was not, and what follows from that."""
    not_reached = len(undo.kept) + len(undo.order) - undo.next - bool(undo.stopped)
    others = f"{not_reached} earlier" if not_reached else ""
    taken_back = _named(undo.taken_back, len(undo.reverted))
    left = _named(undo.left, len(undo.permanent) + bool(undo.stopped), others)
    lists = (("Taken back since", taken_back), ("Not taken back", left))
    return " ".join((*(f"{head}: {calls}." for head, calls in lists if calls), NO_LONGER))


def _named(named: tuple[str, ...], count: int, others: str = "") -> str:
    """So many calls, as far as they are named."""
    more = f"{count - len(named)} more" if count > len(named) else ""
    return ", ".join(part for part in (*named, more, others) if part)


def _has_come_in_doubt(s: Situation, run: Run, outcome: Outcome) -> bool:
    """Whether the undo has stopped at a call whose inverse may have been made. The next undo does not say so again."""
    assert run.undo is not None
    before = s.docs.action(run.id, run.undo.stopped)
    after = next((put.document for put in outcome.puts if isinstance(put.document, Action)), before)
    return before is not None and before.status == "reverting" and after is not None and may_be_reverted(after)
