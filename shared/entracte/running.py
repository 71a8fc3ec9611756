"""What a network that runs can be asked for: the same of one in this process and of one behind an HTTP API."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from entracte.desk import Desk
    from entracte.runtime.services.run_result import RunResult


class Running(ABC):
    """A network that runs: `Embedded`, which `Network` hands on to, in this process; `Client`, where it is deployed."""

    def run(
        self,
        message: Any,
        *,
        agent: str | None = None,
        route: str | None = None,
        session: str | None = None,
        metadata: Mapping[str, str] | None = None,
        models: Mapping[str, str] | None = None,
    ) -> RunResult:
        """Run until there is an answer, or a person is awaited; see `start`."""
        return self.wait(
            self.start(message, agent=agent, route=route, session=session, metadata=metadata, models=models).id
        )

    chat = run

    def stream(
        self,
        message: Any,
        *,
        agent: str | None = None,
        route: str | None = None,
        session: str | None = None,
        metadata: Mapping[str, str] | None = None,
        models: Mapping[str, str] | None = None,
    ) -> Iterator[Mapping[str, Any]]:
        """Run, and tell what happens until there is an answer, or a person is awaited; see `events`.

        The first event, `run.started`, names the run as `run_id`.
        """
        return self.events(
            self.start(message, agent=agent, route=route, session=session, metadata=metadata, models=models).id
        )

    @abstractmethod
    def start(
        self,
        message: Any,
        *,
        agent: str | None = None,
        route: str | None = None,
        session: str | None = None,
        metadata: Mapping[str, str] | None = None,
        models: Mapping[str, str] | None = None,
    ) -> RunResult:
        """Start a run in the background.

        Args:
            message: Text, or a value for agents with an input schema of their own.
            route: Of the network's router, in place of having the message sorted.
            models: By role, among those that the network names or allows.
        """

    @abstractmethod
    def events(self, run: str, *, to_the_end: bool = False) -> Iterator[Mapping[str, Any]]:
        """What happened in a run, and what happens: as JSON, each event exactly once and in order.

        Pieces of text that is being written, `model.delta`, come in between.

        Args:
            to_the_end: Do not stop when the run waits for a person, however long that takes.
        """

    @abstractmethod
    def wait(self, run: str, *, timeout_s: float | None = None) -> RunResult:
        """Wait for a run to end, to need a person, or for the time to pass."""

    @abstractmethod
    def undo(self, run: str, *, to: str = "", replan: bool = False) -> RunResult:
        """Take a run's effects back, newest first, and wait for the end of it.

        Args:
            to: Action at which the undo ends, inclusive.
            replan: Resolve inverses again with the policy of today.

        Raises:
            Conflict: Another undo of it is under way.
        """

    @abstractmethod
    def resume(self, run: str) -> RunResult:
        """Let a stalled run go on in the background; `wait` waits for it.

        Raises:
            Conflict: It is not stalled.
        """

    @abstractmethod
    def retry(self, run: str) -> RunResult:
        """Make the move again that a failed run ended at, in the background. What was done before stays done.

        Raises:
            Conflict: It has not failed, or its budget is used up.
        """

    @abstractmethod
    def fork(self, run: str, *, at: int, state: Mapping[str, Any] | None = None) -> RunResult:
        """Begin a new run, in a copy of the session, with a step of another run's root agent.

        Calls made before that step are not made again, gates are not used again, and an undo of the fork takes back
        what the fork has done.

        Args:
            at: Step, from 1.
            state: Changes of state before it begins: key → text, item, or a list of them.

        Raises:
            NotFound: The run has no such step.
            InvalidInput: The changes do not fit.
        """

    @abstractmethod
    def get_state(self, session: str) -> dict[str, Any]:
        """Global state of a session: key → list of ``{"id", "text"}``."""

    @abstractmethod
    def load_state(self, session: str, diff: Mapping[str, Any]) -> dict[str, Any]:
        """Change the global state of a session item by item; what was refused is raised as InvalidInput."""

    @abstractmethod
    def reset_state(self, session: str) -> None:
        """Forget the global state of a session."""

    @abstractmethod
    def artifacts(self, session: str) -> Desk:
        """The artifacts of a session: to list, get, create, change and delete."""
