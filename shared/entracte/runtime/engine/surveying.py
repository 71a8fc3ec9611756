"""What a run has done, in the order of its effects: the order in which the intents were committed."""

from __future__ import annotations

from datetime import UTC, datetime

from entracte.core.addresses import entry_path
from entracte.core.documents.action import Action, ActionStatus
from entracte.core.documents.journal import Entry
from entracte.core.effects import Surveyed
from entracte.core.undo.inverses import is_in_doubt
from entracte.runtime.engine import queries
from entracte.runtime.engine.repository import Repository

EFFECTIVE: frozenset[ActionStatus] = frozenset(
    {"started", "unknown", "applied", "reverting", "reverted", "unrecoverable"}
)
"""Actions of which something may be there to take back, or was: those keep their place in the order."""

_PAGE = 200

_FIRST = (0, datetime.min.replace(tzinfo=UTC))
"""Place of a call whose start was not journaled."""


def has_effect(action: Action) -> bool:
    """Whether an undo has to do with it."""
    may_have_been_made = action.status in EFFECTIVE or is_in_doubt(action)
    return action.kind == "tool" and action.effect == "changing" and may_have_been_made


def survey(repository: Repository, run: str) -> Surveyed:
    """The effective actions of a run, oldest effect first; payloads that lie in chunks are not read.

    The version of the commit that began the call gives the order: of two commits the later has the larger version.
    Clocks of different processes would not do. The action has noted it with its end; before, it is that of the journal
    entry, which is never written again. After a restore from an export, those of the import come by their times.
    """
    found: list[Action] = []
    after = None
    while True:
        page = repository.query(queries.actions_of(run, limit=_PAGE, after=after), whole=False)
        actions = [doc for doc in page.documents.values() if isinstance(doc, Action)]
        found += [action for action in actions if has_effect(action)]
        if len(actions) < _PAGE:
            break
        after = (actions[-1].created, list(page.documents)[-1])
    started = {action.id: entry_path(run, f"{action.id}.{max(1, action.attempt)}.started") for action in found}
    places: dict[str, tuple[int, datetime]] = {}
    for start in range(0, len(found), _PAGE):
        loaded = repository.load([started[action.id] for action in found[start : start + _PAGE]], whole=False)
        entries = ((path, entry) for path, entry in loaded.documents.items() if isinstance(entry, Entry))
        places |= {path: (loaded.versions[path], entry.at) for path, entry in entries}

    def place(action: Action) -> tuple[int, datetime, str]:
        version, at = places.get(started[action.id], _FIRST)
        return action.order or version, at, action.id

    return Surveyed(tuple(sorted(found, key=place)))
