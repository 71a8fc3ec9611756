"""What callers can do with runs and sessions: the one service behind HTTP API, command line and Python."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping
from hashlib import sha256
from itertools import islice
from typing import Any, TypeVar

from msgspec.structs import replace

from entracte.core.addresses import action_path, frame_path, is_id, run_of, run_path, session_path, step_actions
from entracte.core.client_calls.client import SESSIONS
from entracte.core.documents.action import Action
from entracte.core.documents.base import Document
from entracte.core.documents.frame import Frame
from entracte.core.documents.journal import Entry
from entracte.core.documents.run import Run
from entracte.core.documents.session import Session, Turn
from entracte.core.due import due_messages
from entracte.core.outcome import Outcome
from entracte.core.runs.cancelling import cancel_run
from entracte.core.runs.resuming import calls_wanted
from entracte.core.runs.starting import RunRequest, start_run
from entracte.core.situation import Situation
from entracte.core.undo.starting import start_undo
from entracte.errors import ConfigurationError, InvalidInput, NotFound
from entracte.ports.bus import Bus
from entracte.ports.store import INDEX_MISSING
from entracte.runtime.engine import queries
from entracte.runtime.engine.closing_gates import closing_messages
from entracte.runtime.engine.engine import Engine
from entracte.runtime.engine.surveying import has_effect
from entracte.runtime.services.accepting import check_request
from entracte.runtime.services.page import Page, all_of, page_of
from entracte.runtime.services.spending import open_run

log = logging.getLogger("entracte")

_ACTION = re.compile(r"[A-Za-z0-9_-]{1,64}(\.[0-9]{1,9}){2,98}")
_FILTERS = re.compile(r"status|agent|session|metadata\.[A-Za-z0-9_-]{1,64}")

_PAGE = 500

D = TypeVar("D", bound=Document)


class Runs:
    """Starts, finds, lists and cancels. Whoever is not a thing's owner is told that it does not exist."""

    def __init__(self, engine: Engine, bus: Bus) -> None:
        self._engine = engine
        self._repository = engine.repository
        self._bus = bus

    def start(self, request: RunRequest, *, owner: str, idempotency_key: str = "") -> Run:
        """Start a run; with a key that was used before, find the run that it started.

        Raises:
            InvalidInput: The request is not acceptable, or the key was used with another one.
            NotFound: The session is somebody else's, or named as those of MCP clients are and not there.
            RateLimited: It could bring the owner above what they may spend today.
        """
        check_request(self._engine, request)
        request = self._masked(request, owner)
        run_id = _hash(owner, idempotency_key) if idempotency_key else self._engine.process.new_token()[:20]
        session_id = request.session or _hash(run_id, "session")

        def decide(s: Situation) -> Outcome:
            if s.docs.run(run_id) is not None:
                return Outcome(note="started before")
            session = s.docs.session(session_id)
            if session is None and not session_id.startswith(SESSIONS):
                session = Session(id=session_id, owner=owner, created=s.now, updated=s.now)
            if session is None or session.owner != owner:
                raise NotFound(f"There is no session {session_id!r}.")
            return start_run(s, request, run_id=run_id, session=session, owner=owner)

        outcome = self._opened(run_id, request, owner, (run_path(run_id), session_path(session_id)), decide)
        run = self.get(run_id, owner=owner)
        if run.request_digest != request.digest:
            raise InvalidInput(
                "This Idempotency-Key was used with another request.",
                remedy="Send a new key with a new request.",
                code="idempotency_key_reused",
            )
        if outcome.entry is None:
            self._publish_again(run)
        return run

    def get(self, run_id: str, *, owner: str) -> Run:
        """A run.

        Raises:
            NotFound: No such run of this owner.
        """
        run = self._find(run_path(run_id), Run) if is_id(run_id) else None
        if run is None or run.owner != owner:
            raise NotFound(f"There is no run {run_id[:80]!r}.", code="run_not_found")
        return run

    def find(self, prefix: str, *, owner: str) -> Run:
        """The run of that id, or the one among the latest whose id begins so; the newest for an empty prefix.

        Raises:
            NotFound: None, or more than one.
        """
        if len(prefix) >= 20:
            return self.get(prefix, owner=owner)
        found = [run for run in self.list(owner=owner, limit=200).items if run.id.startswith(prefix)]
        if not found or (prefix and len(found) > 1):
            what = "More than one run's id begins" if found else "No run's id begins"
            raise NotFound(f"{what} with {prefix!r}." if prefix else "There is no run yet.", code="run_not_found")
        return found[0]

    def list(
        self,
        *,
        owner: str,
        filters: Mapping[str, str] | None = None,
        limit: int = 50,
        after: tuple[Any, str] | None = None,
    ) -> Page[Run]:
        """Runs of an owner, newest first. One that cannot be read is left out, and counted.

        Raises:
            InvalidInput: There is no such filter; of labels, a store has those that its deployment names.
        """
        for name in filters or {}:
            if not _FILTERS.fullmatch(name):
                raise InvalidInput(
                    f"Runs cannot be filtered by {name[:80]!r}.",
                    remedy="Filters: status, agent, session, metadata.NAME.",
                )
        try:
            query = queries.runs_of(owner, filters or {}, limit=limit, after=after)
            return page_of(self._repository, query, Run, passing_over=True)
        except ConfigurationError as error:
            labels = [name for name in filters or {} if name.startswith("metadata.")]
            if error.code != INDEX_MISSING or not labels:
                raise
            log.warning("labels_not_listed labels=%s %s", ",".join(labels), error)
            raise InvalidInput(
                f"This deployment does not list runs by {' and '.join(labels)}.",
                remedy="Ask whoever runs it to name the label in Terraform's metadata_keys.",
                code="label_not_listed",
            ) from None

    def journal(self, run: Run, *, limit: int = 200, after: tuple[Any, str] | None = None) -> Page[Entry]:
        """A run's journal, oldest first."""
        return page_of(self._repository, queries.journal_of(run.id, limit=limit, after=after), Entry)

    def frames(self, run: Run) -> tuple[Frame, ...]:
        """The frames of a run; at most 1000."""
        found = all_of(self._repository, lambda after: queries.frames_of(run.id, limit=_PAGE, after=after), Frame)
        return tuple(islice(found, 2 * _PAGE))

    def actions(self, run: Run) -> tuple[Action, ...]:
        """The actions of a run in the order in which they were proposed; at most 1000."""
        found = all_of(self._repository, lambda after: queries.actions_of(run.id, limit=_PAGE, after=after), Action)
        return tuple(islice(found, 2 * _PAGE))

    def cancel(self, run_id: str, *, owner: str) -> Run:
        """Close a run. Calls under way end as they end.

        Raises:
            Conflict: It is closed already.
        """
        if self.get(run_id, owner=owner).status == "cancelled":
            self._close_gates(run_id)  # whoever cancelled it may have died before it came to that

        def decide(s: Situation) -> Outcome:
            run = s.docs.run(run_id)
            if run is None:
                raise NotFound(f"There is no run {run_id!r}.", code="run_not_found")
            return cancel_run(s, run, s.docs.frame(run_id, run_id))

        self._engine.apply(self._at_work(run_id), decide)
        self._close_gates(run_id)
        return self.get(run_id, owner=owner)

    def undo(self, run_id: str, *, owner: str, by: str = "", to: str = "", replan: bool = False) -> Run:
        """Take a run's effects back, newest first. A live run is closed first. Undoing twice changes nothing.

        Args:
            by: Who asks, if it is not the owner.
            to: Action at which the undo ends, inclusive; empty for the whole run.
            replan: Resolve inverses again with the policy of today.

        Raises:
            Conflict: Another undo of it is under way, or it is another network's.
            NotFound: No such run, or no such action of it.
        """
        self._engine.process.check_own(self.get(run_id, owner=owner))
        if to and not self._has_effect(run_id, to):
            raise NotFound(
                f"Run {run_id} has no effect {to[:200]!r}.", remedy="A dry run names them.", code="action_not_found"
            )

        def decide(s: Situation) -> Outcome:
            run = s.docs.run(run_id)
            if run is None:
                raise NotFound(f"There is no run {run_id!r}.", code="run_not_found")
            return start_undo(s, run, s.docs.frame(run_id, run_id), by=by or owner, to=to, replan=replan)

        self._engine.apply(self._at_work(run_id), decide)
        self._close_gates(run_id)
        return self.get(run_id, owner=owner)

    def session(self, session_id: str, *, owner: str) -> Session:
        """A session.

        Raises:
            NotFound: No such session of this owner.
        """
        session = self._find(session_path(session_id), Session) if is_id(session_id) else None
        if session is None or session.owner != owner:
            raise NotFound(f"There is no session {session_id[:80]!r}.", code="session_not_found")
        return session

    def turns(self, session: Session, *, limit: int = 100, after: tuple[Any, str] | None = None) -> Page[Turn]:
        """A session's turns, oldest first."""
        return page_of(self._repository, queries.turns_of(session.id, limit=limit, after=after), Turn)

    def _opened(
        self,
        run_id: str,
        request: RunRequest,
        owner: str,
        paths: tuple[str, ...],
        decide: Callable[[Situation], Outcome],
    ) -> Outcome:
        """The commit that opens the run, in the first span of its trace."""
        tracing = self._engine.tracing
        if tracing is None:
            return open_run(self._engine, owner, paths, decide)
        agent = request.agent or self._engine.blueprint.entry
        attributes = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": agent,
            "gen_ai.conversation.id": paths[1].rpartition("/")[2],
            "entracte.run.id": run_id,
        }
        with tracing.begin(run_id, f"invoke_agent {agent}", attributes) as span:
            outcome = open_run(self._engine, owner, paths, decide)
            if outcome.entry is None:
                span.discard()  # it was opened before, and has its span
            return outcome

    def _masked(self, request: RunRequest, owner: str) -> RunRequest:
        """The request as it may be kept."""
        mask = self._engine.withholding.mask
        return replace(request, input=mask(owner, request.input), metadata=mask(owner, request.metadata))

    def _has_effect(self, run_id: str, action_id: str) -> bool:
        path = action_path(run_id, action_id)
        action = self._find(path, Action) if _ACTION.fullmatch(action_id) and run_of(action_id) == run_id else None
        return action is not None and has_effect(action)

    def _at_work(self, run_id: str) -> tuple[str, ...]:
        """Paths of the run, its root frame, the calls that this is at, and so on below: what its usage is summed of."""
        paths: tuple[str, ...] = (run_path(run_id),)
        level: tuple[str, ...] = (frame_path(run_id, run_id),)
        while level:
            paths += level
            found = self._repository.load(level).documents.values()
            level = calls_wanted(document for document in found if isinstance(document, Frame))
        return paths

    def _close_gates(self, run_id: str) -> None:
        """Have the gates of a closed run say so. What is not told now, sweep tells."""
        self._bus.publish(closing_messages(self._repository, run_id))

    def _publish_again(self, run: Run) -> None:
        """The caller retries: perhaps because the first message was never sent."""
        frame = self._find(frame_path(run.id, run.id), Frame)
        if frame is None or run.closed or frame.parked or frame.cursor.step > 1:
            return
        ids = step_actions(frame.id, frame.cursor.step, frame.calls) if frame.cursor.phase == "execute" else ()
        found = self._repository.load([action_path(run.id, id) for id in ids]).documents.values()
        actions = [document for document in found if isinstance(document, Action)]
        light = self._engine.blueprint.is_light(frame.agent)
        self._bus.publish(due_messages(frame, actions, {}, light=light, now=self._engine.clock.now()))

    def _find(self, path: str, kind: type[D]) -> D | None:
        found = self._repository.load((path,)).documents.get(path)
        return found if isinstance(found, kind) else None


def _hash(*parts: str) -> str:
    return sha256("\0".join(parts).encode()).hexdigest()[:20]
