"""Telling what a model writes while it writes it: to observers at once, and to whoever watches the run now and then.

The text goes to a document of the frame, at most once a second, while the run document says that somebody watches.
With each of these looks at the run, a stream whose run has been closed meanwhile is cut: nobody needs the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta

from entracte.core.addresses import live_path, run_path
from entracte.core.documents.live import Live
from entracte.core.documents.run import Run
from entracte.core.effects import AskModel
from entracte.core.events import Event, delta_event
from entracte.core.modelling import Delta, OnDelta
from entracte.core.outcome import Put
from entracte.errors import Conflict, EntracteError
from entracte.ports.clock import Clock
from entracte.runtime.engine.repository import Repository

EVERY = timedelta(seconds=1)

KEPT_CHARS = 20_000
"""Longest text of a kind in the document: its end."""


class LiveWriting:
    """Gives model calls somebody to tell what they write.

    Args:
        observe: Tells observers an event.
        is_observed: Whether any of them wants to know.
    """

    def __init__(
        self,
        repository: Repository,
        clock: Clock,
        *,
        observe: Callable[[Event], None],
        is_observed: Callable[[], bool],
    ) -> None:
        self._repository = repository
        self._clock = clock
        self._observe = observe
        self._is_observed = is_observed

    @contextmanager
    def __call__(self, asked: AskModel) -> Iterator[OnDelta | None]:
        """Within the block, what the model port's `on_delta` is; None where nobody looks."""
        observed = self._is_observed()
        if not observed and not asked.watched:
            yield None
            return
        reply = _Reply(self._repository, self._clock, asked, self._observe if observed else None)
        try:
            yield reply.on_delta
        finally:
            reply.end()


class _Reply:
    """One reply that is being written."""

    def __init__(
        self,
        repository: Repository,
        clock: Clock,
        asked: AskModel,
        observe: Callable[[Event], None] | None,
    ) -> None:
        request, now = asked.request, clock.now()
        self._repository = repository
        self._clock = clock
        self._observe = observe
        self._path = live_path(request.run, request.frame)
        self._next_look = now + EVERY
        self._is_shown = False
        self._live = Live(
            run=request.run,
            frame=request.frame,
            owner="",
            agent=request.agent,
            step=request.step,
            phase="evaluate" if request.purpose == "evaluate" else "plan",
            reply=now.isoformat(),
            at=now,
        )

    def on_delta(self, delta: Delta) -> None:
        """Take a piece.

        Raises:
            Conflict: The run has been closed, so that the rest is not needed.
        """
        now = self._clock.now()
        live = self._live
        if delta.kind == "thought":
            text, chars = (live.thought + delta.text)[-KEPT_CHARS:], live.thought_chars + len(delta.text)
            self._live = live.evolve(at=now, thought=text, thought_chars=chars)
        else:
            text, chars = (live.text + delta.text)[-KEPT_CHARS:], live.text_chars + len(delta.text)
            self._live = live.evolve(at=now, text=text, text_chars=chars)
        if self._observe is not None:
            self._observe(delta_event(self._live, delta))
        if now >= self._next_look:
            self._next_look = now + EVERY
            self._look(now)

    def end(self) -> None:
        """Nothing is being written any more."""
        if self._is_shown:
            with suppress(EntracteError):  # what is left is written over, or removed with the run
                self._repository.remove(self._path)

    def _look(self, now: datetime) -> None:
        """See whether the run is still open, and show the text if somebody watches."""
        of_run = run_path(self._live.run)
        try:
            loaded = self._repository.load((of_run, self._path))
        except EntracteError:
            return  # what is being written is worth no more than a try
        run = loaded.documents.get(of_run)
        if not isinstance(run, Run) or run.closed:
            raise Conflict("The run was closed while the model was writing.", code="run_closed")
        if run.watched_until is None or run.watched_until <= now:
            return
        self._live = self._live.evolve(owner=run.owner)
        try:
            self._repository.commit(loaded, (Put(self._path, self._live),))
            self._is_shown = True
        except EntracteError:
            return


@contextmanager
def untold(asked: AskModel) -> Iterator[OnDelta | None]:
    """Nobody is told anything."""
    yield None
