"""Reading and changing a session's global state from outside its runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from entracte.core.addresses import is_id, session_path
from entracte.core.documents.session import Session
from entracte.core.outcome import Put
from entracte.core.situation import Docs
from entracte.core.state import Drawer, apply_diff
from entracte.errors import InvalidInput, NotFound, RetryableError, StaleWrite
from entracte.runtime.engine.delivery import MAX_RACES
from entracte.runtime.engine.engine import Engine
from entracte.runtime.engine.repository import Loaded
from entracte.runtime.services.rendering import state_json


class SessionState:
    """Global state of sessions. Whoever is not a session's owner is told that it does not exist."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def get(self, session_id: str, *, owner: str) -> dict[str, Any]:
        """Global state: key → list of ``{"id", "text"}``; empty keys are left out."""
        return state_json(self._read(session_id, owner)[1].state)

    def change(self, session_id: str, diff: Mapping[str, Any], *, owner: str) -> dict[str, Any]:
        """Apply a diff, item by item. All of it applies or none.

        Raises:
            InvalidInput: An entry that cannot be applied; says which and why.
        """
        diff = self._engine.withholding.mask(owner, diff)
        keys = {name: key for name, key in self._engine.blueprint.state.items() if key.scope == "global"}

        def changed(session: Session) -> Mapping[str, Drawer]:
            result = apply_diff(session.state, diff, keys)
            if result.refused:
                refused = result.refused[0]
                raise InvalidInput(f"State not changed: {refused.message}", code="state_refused")
            return result.state

        return self._write(session_id, owner, changed)

    def reset(self, session_id: str, *, owner: str) -> dict[str, Any]:
        """Forget all items. Their ids are not given again."""
        return self._write(
            session_id, owner, lambda session: {name: Drawer((), d.given) for name, d in session.state.items()}
        )

    def _write(self, session_id: str, owner: str, changed: Callable[[Session], Mapping[str, Drawer]]) -> dict[str, Any]:
        path = session_path(session_id)
        for race in range(1, MAX_RACES + 1):
            loaded, session = self._read(session_id, owner)
            now = self._engine.clock.now()
            kept_until = self._engine.process.kept_until(now)
            after = session.evolve(state=dict(changed(session)), updated=now, expires=kept_until)
            try:
                self._engine.repository.commit(loaded, (Put(path, after),))
            except StaleWrite:
                self._engine.process.pause(race)
                continue
            return state_json(after.state)
        raise RetryableError(f"Lost {MAX_RACES} races for {path}.", code="contended")

    def _read(self, session_id: str, owner: str) -> tuple[Loaded, Session]:
        """The session, with what its next write needs."""
        loaded = self._engine.repository.load((session_path(session_id),)) if is_id(session_id) else Loaded()
        session = Docs(loaded.documents).session(session_id)
        if session is None or session.owner != owner:
            raise NotFound(f"There is no session {session_id[:80]!r}.", code="session_not_found")
        return loaded, session
