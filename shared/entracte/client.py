"""A deployed network, used like one in this process: the same methods, over its HTTP API."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import quote
from uuid import uuid4

from entracte.client_pages import GatePage, RunPage
from entracte.connection import Connection
from entracte.event_source import read_stream
from entracte.operations import Operations
from entracte.own_memories import OwnMemories
from entracte.running import Running
from entracte.runtime.services.run_result import RunResult
from entracte.session_artifacts import SessionArtifacts

if TYPE_CHECKING:
    import httpx

_WAIT_S = 30.0
"""Seconds that one request waits for a run. The server allows 60; proxies on the way may allow less."""

_READING_S = 270.0
"""Seconds that a dry run may take beyond other requests: it reads every record that it would put back."""

_SILENCE_S = 60.0
"""Seconds without a byte after which a stream of events counts as dead. The server says every 15 s that it is there."""

_MAY_STOP = frozenset({"run.waiting", "error"})
"""Events after which a run may move no more until somebody does something."""

_AWAITS_SOMEBODY = frozenset({"waiting", "stalled"})

_MOVING = frozenset({"queued", "running", "undoing"})
"""Status of a run that goes on by itself."""


class Client(Running):
    """A network behind an HTTP API.

    Every method raises the errors that a network in this process would raise, and RetryableError when the service
    cannot be reached.

    Args:
        url: Where the API is, such as ``https://api-xyz.a.run.app``.
        token: Bearer token or API key, or what gives one, asked before each request, since tokens expire. Empty sends
            none.
        iam_token: The same for Cloud Run, where it checks who may reach the API at all (``api_exposure = "iam"``).
        timeout_s: Seconds that one request may take, those that it waits for a run left out.
    """

    def __init__(
        self,
        url: str,
        *,
        token: str | Callable[[], str] = "",
        iam_token: str | Callable[[], str] = "",
        timeout_s: float = 30.0,
    ) -> None:
        self._connection = Connection(url, token, timeout_s, iam_token=iam_token)
        self._ask = self._connection.ask

    def events(
        self, run: str, *, after: str = "", follow: bool = True, to_the_end: bool = False
    ) -> Iterator[Mapping[str, Any]]:
        """The same as of a network in this process. Where the connection breaks off, it is gone on with.

        Events have an ``id`` besides what observers see; those of pieces of text are None.

        Args:
            after: ``id`` of an event, to go on after it.
            follow: Wait for what comes; else end with what there is now.
        """
        path = f"{_run(run)}/events{'' if follow else '?follow=false'}"

        def connect(last_id: str) -> AbstractContextManager[httpx.Response]:
            headers = {"Last-Event-ID": last_id} if last_id else {}
            return self._connection.streaming(path, headers=headers, silence_s=_SILENCE_S)

        for event in read_stream(connect, after=after):
            yield event
            if event["type"] in _MAY_STOP and not to_the_end and self.get(run).status in _AWAITS_SOMEBODY:
                return

    def start(
        self,
        message: Any,
        *,
        agent: str | None = None,
        route: str | None = None,
        session: str | None = None,
        metadata: Mapping[str, str] | None = None,
        models: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
    ) -> RunResult:
        """Start a run in the background.

        Args:
            idempotency_key: Starts one run however often it is sent. A new one by default.
        """
        body = {
            "input": {"message": message} if isinstance(message, str) else message,
            "agent": agent,
            "route": route,
            "session": session,
            "metadata": dict(metadata or {}),
            "models": dict(models or {}),
        }
        key = {"Idempotency-Key": idempotency_key or uuid4().hex}
        return self._result(self._ask("POST", "/v1/runs", json=body, headers=key, again=True))

    def wait(self, run: str, *, timeout_s: float | None = None) -> RunResult:
        until = None if timeout_s is None else time.monotonic() + timeout_s
        while True:
            left = _WAIT_S if until is None else max(0.0, until - time.monotonic())
            result = self._read(run, wait_s=min(left, _WAIT_S))
            if result.status not in _MOVING or (until is not None and time.monotonic() >= until):
                return result

    def get(self, run: str) -> RunResult:
        """A run as it is now."""
        return self._read(run, wait_s=0)

    def list(self, *, filters: Mapping[str, str] | None = None, limit: int = 50, cursor: str | None = None) -> RunPage:
        """A page of runs.

        Args:
            filters: ``status``, ``agent``, ``session``, ``metadata.NAME``.
            limit: 1 to 200.
            cursor: `next_cursor` of the page before, with the same filters.
        """
        page = self._ask("GET", "/v1/runs", params={**(filters or {}), "limit": limit, **_cursor(cursor)}, again=True)
        runs = tuple(self._result(run) for run in page["items"])
        return RunPage(runs, page["next_cursor"], page.get("unreadable", 0))  # an older service does not say

    def journal(self, run: str) -> Iterator[Mapping[str, Any]]:
        """Entries of a run's journal, oldest first, up to now."""
        cursor = None
        while True:
            page = self._ask("GET", f"{_run(run)}/journal", params={"limit": 200, **_cursor(cursor)}, again=True)
            yield from page["items"]
            if (cursor := page["next_cursor"]) is None:
                return

    def cancel(self, run: str) -> RunResult:
        """Close a run.

        Raises:
            Conflict: It is closed already.
        """
        return self._result(self._ask("POST", f"{_run(run)}/cancel"))

    def gates(
        self, *, status: str = "", run: str = "", to_decide: bool = False, limit: int = 50, cursor: str | None = None
    ) -> GatePage:
        """A page of gates: of one's own runs, newest first; of one run, oldest first.

        Args:
            status: ``waiting``, ``approved``, ``denied``, ``expired``, ``cancelled``, ``decided``; empty for all.
            run: Only those of this run.
            to_decide: Only those that wait, and name the caller as an approver.
            limit: 1 to 200.
            cursor: `next_cursor` of the page before, with the same filters.
        """
        filters = {name: value for name, value in {"status": status, "run": run}.items() if value}
        asked = filters | ({"to_decide": "true"} if to_decide else {})
        page = self._ask("GET", "/v1/gates", params={**asked, "limit": limit, **_cursor(cursor)}, again=True)
        return GatePage(tuple(page["items"]), page["next_cursor"], page.get("unreadable", 0))

    def gate(self, gate: str) -> Mapping[str, Any]:
        """A gate as it is now."""
        return dict(self._ask("GET", _gate(gate), again=True))

    def decide(
        self,
        gate: str,
        decision: str,
        *,
        reason: str = "",
        arguments: Mapping[str, Any] | None = None,
        digest: str | None = None,
    ) -> Mapping[str, Any]:
        """Answer a gate: ``approve``, ``deny``, …; the gate as it is now. Its run goes on in the background.

        Args:
            arguments: In place of the call's, where the policy lets approvers change them.
            digest: Of the gate as it was shown to whoever decides; of the gate as it is now by default.

        Raises:
            Conflict: It is decided already, which says who decided what, or shows other arguments by now.
            Forbidden: The caller may not decide it.
            InvalidInput: No such decision, or arguments that do not fit.
        """
        body = {
            "decision": decision,
            "digest": digest or self.gate(gate)["digest"],
            "reason": reason,
            "edited_arguments": dict(arguments) if arguments is not None else None,
        }
        key = {"Idempotency-Key": uuid4().hex}
        return dict(self._ask("POST", f"{_gate(gate)}/decision", json=body, headers=key, again=True))

    def undo(self, run: str, *, to: str = "", replan: bool = False) -> RunResult:
        return self.wait(self.start_undo(run, to=to, replan=replan).id)

    def start_undo(self, run: str, *, to: str = "", replan: bool = False) -> RunResult:
        """Begin to take a run back, and do not wait for it."""
        return self._result(self._ask("POST", f"{_run(run)}/undo", json={"to": to or None, "replan": replan}))

    def dry_run(self, run: str, *, to: str = "", replan: bool = False) -> tuple[Mapping[str, Any], ...]:
        """What an undo would do, step by step, newest effect first. Nothing is written.

        Each step: ``{"action", "tool", "arguments", "fate", "inverse", "note", "shown"}``.
        """
        how = {"to": to, "replan": "true" if replan else "false"}
        return tuple(self._ask("GET", f"{_run(run)}/undo", params=how, again=True, wait_s=_READING_S)["steps"])

    def resume(self, run: str) -> RunResult:
        return self._result(self._ask("POST", f"{_run(run)}/resume"))

    def retry(self, run: str) -> RunResult:
        return self._result(self._ask("POST", f"{_run(run)}/retry"))

    def fork(self, run: str, *, at: int, state: Mapping[str, Any] | None = None) -> RunResult:
        key = {"Idempotency-Key": uuid4().hex}
        body = {"at": at, "state": dict(state or {})}
        return self._result(self._ask("POST", f"{_run(run)}/fork", json=body, headers=key, again=True))

    def get_state(self, session: str) -> dict[str, Any]:
        return dict(self._ask("GET", _state(session), again=True))

    def load_state(self, session: str, diff: Mapping[str, Any]) -> dict[str, Any]:
        return dict(self._ask("PATCH", _state(session), json=dict(diff)))

    def reset_state(self, session: str) -> None:
        self._ask("DELETE", _state(session))

    def export_session(self, session: str) -> dict[str, Any]:
        """Everything that a session holds: messages, summary, state and artifacts."""
        return dict(self._ask("GET", f"/v1/sessions/{quote(session, safe='')}/export", again=True))

    def artifacts(self, session: str) -> SessionArtifacts:
        return SessionArtifacts(self._ask, session)

    @property
    def memories(self) -> OwnMemories:
        """What is remembered of the caller: to list, read, export and delete."""
        return OwnMemories(self._ask)

    @property
    def operations(self) -> Operations:
        """What operators do: erasing an owner, letters that nobody could read."""
        return Operations(self._ask)

    def close(self) -> None:
        """Let go of connections. Closing twice is no error."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _read(self, run: str, *, wait_s: float) -> RunResult:
        params = {"wait": f"{wait_s:.3f}"} if wait_s else {}
        return self._result(self._ask("GET", _run(run), params=params, wait_s=wait_s, again=True))

    def _result(self, run: Any) -> RunResult:
        return RunResult(run, self.get_state)


def _run(run: str) -> str:
    return f"/v1/runs/{quote(run, safe='')}"


def _gate(gate: str) -> str:
    return f"/v1/gates/{quote(gate, safe='')}"


def _state(session: str) -> str:
    return f"/v1/sessions/{quote(session, safe='')}/state"


def _cursor(cursor: str | None) -> dict[str, str]:
    return {"cursor": cursor} if cursor is not None else {}
