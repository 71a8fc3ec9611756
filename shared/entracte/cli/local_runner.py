"""A network in this process."""

from __future__ import annotations

from typing import Any

from entracte.cli.records import Json
from entracte.cli.runner import OnEvent
from entracte.cli.tally import Tally, tally_of
from entracte.core.events import Event
from entracte.runtime.embedded import Embedded, open_embedded
from entracte.runtime.loading import network_of
from entracte.runtime.rendering import action_json, frame_json, run_json
from entracte.runtime.settings import Settings


class LocalRunner:
    """The embedded runtime. While it is open, it also goes on with runs that other processes have left behind."""

    def __init__(self, embedded: Embedded) -> None:
        self._embedded = embedded

    @classmethod
    def open(cls, settings: Settings, on_event: OnEvent | None) -> LocalRunner:
        """Load the network that the settings name, and open its store.

        Raises:
            ConfigurationError: A setting or the network cannot be used.
        """
        observers = [_Telling(on_event)] if on_event is not None else []
        return cls(open_embedded(network_of(settings), settings, observers=observers))

    def start(self, message: str, *, agent: str, session: str) -> Json:
        return self._embedded.start(message, agent=agent or None, session=session or None).data

    def wait(self, run: str) -> Json:
        return self._embedded.wait(run).data

    def tally(self, run: str) -> Tally:
        runs = self._embedded.runs
        found = runs.get(run, owner=self._embedded.owner)
        return tally_of([*map(frame_json, runs.frames(found))], [*map(action_json, runs.actions(found))])

    def state(self, session: str) -> dict[str, Any]:
        return self._embedded.get_state(session)

    def cancel(self, run: str) -> Json:
        return run_json(self._embedded.runs.cancel(run, owner=self._embedded.owner))

    def close(self) -> None:
        self._embedded.close()


class _Telling:
    """An observer that passes events on as JSON."""

    def __init__(self, on_event: OnEvent) -> None:
        self._on_event = on_event

    def on_event(self, event: Event) -> None:
        self._on_event(event.as_json())
