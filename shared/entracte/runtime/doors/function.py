"""A phase as an HTTP function that a push subscription calls."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from entracte.adapters.gcp.push import decode_push
from entracte.core.messages import Message, topic_of
from entracte.errors import EntracteError, Forbidden, NewerSchema, RetryableError, TerminalError, Unauthenticated
from entracte.runtime.compose import Runtime
from entracte.runtime.deployed import deployed
from entracte.runtime.doors.exposure import refuse_open_phase
from entracte.runtime.doors.pushed import Guard, guard_of
from entracte.runtime.loading import network_of
from entracte.runtime.log import TRACEPARENT, set_up_logs
from entracte.runtime.settings import Settings, read_settings

if TYPE_CHECKING:
    from flask import Request

log = logging.getLogger("entracte")

Answer = tuple[str, int]
"""Body and HTTP status. 2xx acknowledges the message; anything else has it delivered again later."""


def phase_function(kind: str) -> Callable[[Request], Answer]:
    """The function of a phase. Opening it loads the network, so that a fault in it stops the start and is seen.

    Raises:
        ConfigurationError: A setting or the network cannot be used, or anybody's messages would be taken.
    """
    settings = set_up()
    runtime = deployed(network_of(settings), settings)
    handle = runtime.engine.handle

    def handle_own(message: Message) -> str:
        if topic_of(message.kind) != kind:
            raise TerminalError(f"Messages of kind {message.kind!r} do not belong here.", code="wrong_kind")
        if kind == "approve":
            from entracte.runtime.doctor.console_trial import PREFIX, note_test_edit

            if message.gate.startswith(PREFIX):
                return note_test_edit(runtime.store, message)
        return handle(message)

    return push_function(kind, handle_own, guard_of(settings, runtime.clock), runtime)


def set_up() -> Settings:
    """The settings of a function that only pushes may call, and logs as they say."""
    settings = read_settings()
    set_up_logs(structured=settings.structured_logs, project=settings.project)
    refuse_open_phase(settings)  # before anything is opened
    return settings


def push_function(
    name: str, handle: Callable[[Message], str], guard: Guard, runtime: Runtime
) -> Callable[[Request], Answer]:
    """An HTTP function over a handler of messages: what it answers acknowledges the message, or has it come again."""

    def function(request: Request) -> Answer:
        if request.method != "POST":
            return "This function receives Pub/Sub messages by POST.", 405
        began = time.monotonic()
        TRACEPARENT.set("")  # this thread has served another request before
        try:
            guard(request.headers.get("Authorization", ""), request.headers.get("Host", ""))
        except Forbidden as error:
            # No acknowledgement: a message that a wrong setting refuses waits until it is mended, or is a dead letter.
            status = 401 if isinstance(error, Unauthenticated) else 403
            return _answer("push_refused", None, str(error), status, began, level=logging.ERROR)
        body = request.get_data(cache=False)
        try:
            message = _read(name, body, runtime)
            if message is None:
                return "", 204
            note, status = _handled(handle, message, runtime), 204
        except RetryableError as error:
            return _answer("message_again", None, str(error), 503, began)
        except NewerSchema as error:
            return _answer("message_left", None, str(error), 204, began)
        except TerminalError as error:
            return _answer("message_refused", None, str(error), 204, began, level=logging.ERROR)
        return _answer("message_handled", message, note, status, began)

    function.__name__ = name
    return function


def _read(name: str, body: bytes, runtime: Runtime) -> Message | None:
    """The message; None for what is none. That names no run and would be the same next time: it is kept, not looped."""
    try:
        return decode_push(body)
    except NewerSchema:
        raise
    except TerminalError as error:
        from entracte.runtime.upkeep.letters import keep_letter  # what hardly ever happens is not part of each start

        now, until = runtime.clock.now(), runtime.engine.process.kept_until
        keep_letter(runtime.engine.repository, now, source=name, body=body, reason=str(error), kept_until=until(now))
        return None


def _handled(handle: Callable[[Message], str], message: Message, runtime: Runtime) -> str:
    """What the handler says. A bug is noted where people look, and the message comes again."""
    try:
        return handle(message)
    except EntracteError:
        raise
    except Exception as error:
        from entracte.runtime.engine.giving_up import note_fault

        note_fault(runtime.engine, message, error)
        raise


def _answer(
    event: str, message: Message | None, note: str, status: int, began: float, level: int = logging.INFO
) -> Answer:
    took_ms = int((time.monotonic() - began) * 1000)
    run, subject = (message.run, message.action or message.frame) if message is not None else ("", "")
    log.log(level, "%s run_id=%s subject=%s duration_ms=%s note=%s", event, run, subject, took_ms, note)
    return "", status
