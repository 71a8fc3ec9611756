"""What people can do with gates: see them, decide them. The one service behind HTTP, links, CLI and Python."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from msgspec.structs import replace

from entracte.core.addresses import gate_path, run_of, run_path
from entracte.core.answer import Answer, Via
from entracte.core.documents.action import Action
from entracte.core.documents.gate import Gate, Vote
from entracte.core.documents.run import Run
from entracte.core.gates.people import person
from entracte.core.messages import Message
from entracte.errors import (
    Conflict,
    CorruptDocument,
    Forbidden,
    InvalidInput,
    NewerSchema,
    NotFound,
    RetryableError,
    TerminalError,
)
from entracte.ports.store import Query
from entracte.runtime.engine import queries
from entracte.runtime.engine.engine import Engine
from entracte.runtime.services.page import Page, all_of, page_of

_PAGE = 500

_ERRORS: Mapping[str, type[TerminalError]] = {
    "gate_already_decided": Conflict,
    "run_closed": Conflict,
    "voted_before": Conflict,
    "digest_mismatch": Conflict,
    "not_an_approver": Forbidden,
    "four_eyes": Forbidden,
    "unknown_decision": InvalidInput,
    "not_editable": InvalidInput,
    "bad_arguments": InvalidInput,
}
"""What a refused answer is raised as, by its code."""

_POINTERS: Mapping[str, str] = {
    "digest_mismatch": "/digest",
    "not_editable": "/edited_arguments",
    "bad_arguments": "/edited_arguments",
}
"""Where in an answer the fault lies, by its code."""


class Gates:
    """Lists and decides. Whoever may neither decide a gate nor owns its run is told that it does not exist.

    A gate that cannot be read is left out of lists, and counted.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def get(self, gate_id: str, *, user: str, operator: bool = False) -> Gate:
        """A gate.

        Args:
            operator: This person may see every gate, and decide those that name no approvers.

        Raises:
            NotFound: No such gate that this person may see.
        """
        path = gate_path(gate_id)
        found = self._engine.repository.load((path,)).documents.get(path) if _ID.fullmatch(gate_id) else None
        if not isinstance(found, Gate) or not (operator or _may_see(user, found)):
            raise NotFound(f"There is no gate {gate_id[:120]!r}.", code="gate_not_found")
        return found

    def find(self, prefix: str, *, user: str) -> Gate:
        """The gate of that id, or the one whose id or run begins so; the only waiting one for an empty prefix.

        Raises:
            NotFound: None, or more than one; names them.
        """
        waiting = self.list(user=user, status="waiting", limit=200).items
        matching = [gate for gate in waiting if gate.id.startswith(prefix)]
        if len(matching) == 1:
            return matching[0]
        if not matching and prefix:
            return self.get(prefix, user=user)
        if not matching:
            raise NotFound("Nothing waits for a decision.", code="gate_not_found")
        shown = ", ".join(gate.id for gate in matching[:10])
        raise NotFound(f"{len(matching)} gates wait; say which: {shown}.", code="gate_ambiguous")

    def list(self, *, user: str, status: str = "", limit: int = 50, after: tuple[Any, str] | None = None) -> Page[Gate]:
        """Gates of a person's own runs, newest first."""
        return self._page(queries.gates_of(user, status, limit=limit, after=after))

    def list_to_decide(self, *, user: str, limit: int = 50, after: tuple[Any, str] | None = None) -> Page[Gate]:
        """Waiting gates that name this person as an approver, newest first."""
        return self._page(queries.gates_for(person(user), limit=limit, after=after))

    def list_of_run(
        self, run: str, *, user: str, operator: bool = False, limit: int = 50, after: tuple[Any, str] | None = None
    ) -> Page[Gate]:
        """Those gates of a run that this person may see, oldest first. A page may have fewer than `limit`."""
        page = self._page(queries.gates_of_run(run, limit=limit, after=after))
        return replace(page, items=tuple(gate for gate in page.items if operator or _may_see(user, gate)))

    def of_run(self, run: str) -> tuple[Gate, ...]:
        """The gates of a run that waits, oldest first. One that somebody has deleted or closed is opened again."""
        gates = self._gates_of(run)
        if any(gate.waiting for gate in gates) or not self._reopened(run):
            return gates
        return self._gates_of(run)

    def _page(self, query: Query) -> Page[Gate]:
        return page_of(self._engine.repository, query, Gate, passing_over=True)

    def _gates_of(self, run: str) -> tuple[Gate, ...]:
        repository = self._engine.repository
        return tuple(
            all_of(repository, lambda at: queries.gates_of_run(run, limit=_PAGE, after=at), Gate, passing_over=True)
        )

    def _reopened(self, run: str) -> bool:
        """Open gates again that calls wait at, of a run of which none waits; whether there were any."""
        repository = self._engine.repository
        actions = all_of(
            repository, lambda at: queries.actions_of(run, limit=_PAGE, after=at), Action, passing_over=True
        )
        missing = [action for action in actions if action.awaits_person and action.gate]
        for action in missing:
            with suppress(NewerSchema, CorruptDocument):  # it is there, and waits until somebody has corrected it
                self._engine.handle(Message(kind="approve", run=run, session=action.session, gate=action.gate))
        return bool(missing)

    def decide(
        self,
        gate_id: str,
        decision: str,
        *,
        user: str,
        via: Via,
        operator: bool = False,
        digest: str = "",
        reason: str = "",
        edited_arguments: str = "",
        answer_id: str = "",
    ) -> Gate:
        """Answer a gate, and let its run go on.

        Args:
            digest: Of the arguments that the person saw; a gate that shows others by now is not decided.
            answer_id: The same for every try of the same answer; random by default.

        Raises:
            NotFound: No such gate that this person may see.
            Conflict: It is decided already; says who decided what. Or another network's arguments would be edited.
            Forbidden: This person may not decide it.
            InvalidInput: No such decision, or arguments that do not fit.
        """
        self._open_again(gate_id)
        gate = self.get(gate_id, user=user, operator=operator)
        if edited_arguments:
            self._check_own(gate)  # only its own network knows what fits the tool
        answer = Answer(
            id=answer_id or self._engine.process.new_token(),
            by=user,
            via=via,
            decision=decision,
            operator=operator,
            digest=digest,
            reason=reason,
            edited_arguments=edited_arguments,
        )
        message = Message(kind="approve", run=gate.run, session=gate.z.session, gate=gate_id, answer=answer)
        try:
            self._engine.handle(message)
        except RetryableError as error:
            if error.code != "just_moved":  # the same answer a moment ago: whoever took it is still publishing
                raise
        after = self.get(gate_id, user=user, operator=operator)
        raise_if_refused(after, next((vote for vote in after.votes if vote.id == answer.id), None))
        return after

    def _check_own(self, gate: Gate) -> None:
        path = run_path(gate.run)
        run = self._engine.repository.load((path,)).documents.get(path)
        if isinstance(run, Run):
            self._engine.process.check_own(run)

    def _open_again(self, gate_id: str) -> None:
        """Somebody deleted the document: what still waits is asked again, under the next number."""
        if _ID.fullmatch(gate_id) and not self._engine.repository.load((gate_path(gate_id),)).documents:
            self._engine.handle(Message(kind="approve", run=run_of(gate_id), gate=gate_id))


def raise_if_refused(gate: Gate, vote: Vote | None) -> None:
    """Raise what a refused answer means to whoever gave it."""
    if vote is None:
        raise Conflict(f"Gate {gate.id} {gate.ending()}.", code="gate_already_decided")
    if vote.refused:
        pointer = _POINTERS.get(vote.refused, "/decision")
        raise _ERRORS.get(vote.refused, Conflict)(vote.note, code=vote.refused, pointer=pointer)


def _may_see(user: str, gate: Gate) -> bool:
    return user == gate.z.owner or person(user) in gate.z.approvers


_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}(\.[0-9]{1,9}){3,99}")
"""``{run}.{step}.{index}.{n}``, with more steps and indexes below sub-agents."""
