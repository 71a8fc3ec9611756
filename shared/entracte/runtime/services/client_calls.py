"""Calls of MCP clients, without the protocol: each is journaled, classed, gated and undone as an agent's own."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from threading import Condition, Lock
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from entracte.core.addresses import action_path, frame_path, gate_path, latest_call_path, run_path, session_path
from entracte.core.calls import ToolOutcome
from entracte.core.client_calls.asking import Answer, Asked, ask, is_free, key_of
from entracte.core.client_calls.opening import Client, open_run, takes_calls
from entracte.core.client_calls.reading import read_call, record_read
from entracte.core.client_calls.settling import settle
from entracte.core.documents.action import Action
from entracte.core.documents.gate import Gate
from entracte.core.documents.latest_call import LatestCall
from entracte.core.documents.session import Session
from entracte.core.due import execute_message
from entracte.core.effects import Fetch, MakeCall
from entracte.core.outcome import Outcome
from entracte.core.payload import Payload
from entracte.core.situation import Docs, Situation
from entracte.core.tool_spec import ToolSpec
from entracte.errors import NotFound, RetryableError
from entracte.runtime.engine.engine import Engine
from entracte.runtime.engine.repository import Loaded

log = logging.getLogger("entracte")

_MAX_TRIES = 8
"""Times that a call is asked for anew because its run was closed, or another client took what was approved."""

_TURNS = 64
"""Locks by which calls of one run take turns, since each writes its frame. Other processes are found out by races."""

_MAX_SESSIONS = 10_000
"""Sessions whose run is remembered."""

_MANY_PENDING = 16
"""Pending calls of a frame from which on they are read, so that those which have ended leave the list."""


class Answered(Struct, frozen=True):
    """What a client's call came to.

    Attributes:
        answer: ``new`` and ``granted`` calls were made, unless there is no outcome: then the action says why.
        action: As it is now; of a call that was made and ended well, as it was asked for.
        outcome: How the call ended, if it was made here.
        gate: That decides the action, if it has one.
    """

    answer: Answer
    action: Action
    outcome: ToolOutcome | None = None
    gate: Gate | None = None


class ClientCalls:
    """Makes the calls that clients ask for. Several processes may serve the same clients on one store."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._load = engine.repository.load
        self._runs: dict[tuple[str, str], str] = {}  # by owner and session; a shortcut: the session's document names it
        self._turns = [Lock() for _ in range(_TURNS)]
        self._quiet = Condition()
        self._under_way = 0

    def call(
        self, client: Client, tool: str, arguments: Mapping[str, Any], begun: Callable[[str], object] = lambda id: None
    ) -> Answered:
        """Make a call, hold it, or say what became of an equal one.

        Args:
            begun: Is told the id of the action before its call is made.

        Raises:
            NotFound: There is no such tool.
            InvalidInput: The arguments cannot be kept.
            RetryableError: The store cannot be reached. A call that was begun is found in doubt later.
        """
        spec = self._engine.blueprint.tools.get(tool)
        if spec is None or spec.asks:
            raise NotFound(f"There is no tool {tool[:200]!r}.", code="tool_not_found")
        arguments = self._engine.withholding.mask(client.owner, dict(arguments))
        if is_free(self._engine.blueprint, spec):
            return self._read(client, spec, arguments, begun)
        for _ in range(_MAX_TRIES):
            asked = self._ask(client, spec, arguments)
            if asked.action is None:
                self._runs.pop(_key(client), None)
                continue
            if asked.answer == "lost":  # sweep would come to it as well: it is read back, or in doubt
                self._engine.handle(execute_message(asked.action))
                continue
            if asked.answer not in ("new", "granted"):
                return self._answered(asked.answer, asked.action)
            begun(asked.action.id)
            with self._counted():
                answered = self._made(asked.answer, asked.action)
            if not _was_taken(answered):
                return answered
        raise RetryableError(f"{tool} was asked for {_MAX_TRIES} times, and others were faster.", code="contended")

    def wait_quiet(self, timeout_s: float) -> bool:
        """Whether no change is under way, within the time: what is recorded now is not in doubt later."""
        with self._quiet:
            return self._quiet.wait_for(lambda: not self._under_way, timeout_s)

    def end(self, client: Client) -> None:
        """The client has left: its run ends once nothing of it is pending."""
        run_id = self._runs.pop(_key(client), "") or self._named(client)
        if not run_id:
            return
        pending: tuple[str, ...] = ()
        for _ in range(_MAX_TRIES):
            paths = (run_path(run_id), frame_path(run_id, run_id), *(action_path(run_id, id) for id in pending))
            more = self._settled(run_id, paths)
            if not more:
                return
            pending = (*pending, *more)

    @contextmanager
    def _counted(self) -> Iterator[None]:
        with self._quiet:
            self._under_way += 1
        try:
            yield
        finally:
            with self._quiet:
                self._under_way -= 1
                self._quiet.notify_all()

    def _settled(self, run_id: str, paths: tuple[str, ...]) -> tuple[str, ...]:
        """Settle the run; gives the actions that have to be read first."""
        wanted: tuple[str, ...] = ()

        def decide(s: Situation) -> Outcome:
            nonlocal wanted
            frame = s.docs.frame(run_id, run_id)
            if frame is None:
                return Outcome(note="gone")
            match settle(s, s.docs.run(run_id), frame, left=True):
                case Fetch(unread):
                    wanted = tuple(path.rsplit("/", 1)[-1] for path in unread)
                    return Outcome(note="unread")
                case outcome:
                    wanted = ()
                    return outcome

        self._engine.apply(paths, decide)
        return wanted

    def _read(
        self, client: Client, tool: ToolSpec, arguments: Mapping[str, Any], begun: Callable[[str], object]
    ) -> Answered:
        """A call that changes nothing is recorded once it has been made."""
        Payload.of(dict(arguments))  # what cannot be kept is not called
        engine, token = self._engine, self._engine.process.new_token()
        call = read_call(engine.situation(Loaded(), delivery=token), client, self._run_of(client), tool, arguments)
        begun(token)
        outcome = engine.perform(MakeCall(call), engine.process.timeout.total_seconds())
        assert isinstance(outcome, ToolOutcome)
        for _ in range(_MAX_TRIES):
            run_id = self._run_of(client)
            made = replace(call, run=run_id, frame=run_id)
            asked = self._applied(run_id, (), partial(record_read, tool=tool, call=made, outcome=outcome))
            if asked.action is not None:
                return Answered(asked.answer, asked.action, outcome)
            self._runs.pop(_key(client), None)
        raise RetryableError(
            f"{tool.name} could not be recorded: its run was closed again and again.", code="contended"
        )

    def _ask(self, client: Client, tool: ToolSpec, arguments: Mapping[str, Any]) -> Asked:
        run_id = self._run_of(client)
        around = self._around(client, run_id, tool.name, arguments)
        return self._applied(run_id, around, lambda s: ask(s, run_id, tool, arguments))

    def _applied(self, run_id: str, around: tuple[str, ...], decide: Callable[[Situation], Asked]) -> Asked:
        """Decide on the run with its frame and whatever else is around, and commit."""
        asked: Asked | None = None

        def outcome_of(s: Situation) -> Outcome:
            nonlocal asked
            asked = decide(s)
            return asked.outcome

        with self._turns[hash(run_id) % _TURNS]:
            self._engine.apply((run_path(run_id), frame_path(run_id, run_id), *around), outcome_of)
        assert asked is not None
        return asked

    def _around(self, client: Client, run_id: str, tool: str, arguments: Mapping[str, Any]) -> tuple[str, ...]:
        """The latest equal call and where it was made; and pending calls, if there are many."""
        latest = latest_call_path(key_of(client.owner, tool, arguments))
        docs = Docs(self._load((latest, frame_path(run_id, run_id))).documents)
        found, frame = docs.find(latest, LatestCall), docs.frame(run_id, run_id)
        earlier = (run_path(found.run), action_path(found.run, found.action)) if found is not None else ()
        pending = frame.pending if frame is not None and len(frame.pending) >= _MANY_PENDING else ()
        return tuple(dict.fromkeys((latest, *earlier, *(action_path(run_id, id) for id in pending))))

    def _run_of(self, client: Client) -> str:
        if (known := self._runs.get(_key(client))) is not None:
            return known
        named = self._named(client)
        new = self._engine.process.new_token()[:20]
        paths = (session_path(client.session), *((run_path(named), frame_path(named, named)) if named else ()))
        if named and takes_calls(Docs(self._load(paths).documents), named):
            self._runs[_key(client)] = named
            return named
        opened = self._engine.apply(paths, lambda s: open_run(s, client, run_id=new))
        if len(self._runs) >= _MAX_SESSIONS:
            self._runs.clear()
        self._runs[_key(client)] = new if opened.entry is not None else self._named(client)
        return self._runs[_key(client)]

    def _named(self, client: Client) -> str:
        """The run that the client's own session names; empty for none."""
        session = Docs(self._load((session_path(client.session),)).documents).find(
            session_path(client.session), Session
        )
        return session.client_run if session is not None and session.owner == client.owner else ""

    def _made(self, answer: Answer, action: Action) -> Answered:
        ended: list[ToolOutcome] = []
        try:
            self._engine.handle(execute_message(action), attended=ended.append)
        except RetryableError as error:
            if not ended:
                raise
            log.error("end_not_recorded run_id=%s action=%s %s", action.run, action.id, error)  # found in doubt later
        if ended and ended[0].ending != "unknown":
            return Answered(answer, action, ended[0])
        return self._answered(answer, action, ended[0] if ended else None)

    def _answered(self, answer: Answer, action: Action, outcome: ToolOutcome | None = None) -> Answered:
        path = action_path(action.run, action.id)
        now = Docs(self._load((path,)).documents).find(path, Action) or action
        gate_at = gate_path(now.gate)
        gate = Docs(self._load((gate_at,)).documents).find(gate_at, Gate) if now.gate else None
        return Answered(answer, now, outcome, gate)


def _key(client: Client) -> tuple[str, str]:
    return client.owner, client.session


def _was_taken(answered: Answered) -> bool:
    """What was approved lapsed, or another client used it, a moment before: the call has to be asked for anew."""
    return answered.answer == "granted" and answered.outcome is None and not answered.action.awaits_person
