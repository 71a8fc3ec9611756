"""The tools port: hooks, argument check, deadline, and what each kind of end means.

Python functions, tools given as data and tools of MCP servers differ in how one call is made, and in nothing else.
"""

from __future__ import annotations

import contextvars
import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from msgspec.structs import replace

from entracte.adapters.python.context import ToolContext
from entracte.adapters.python.dispatched import DispatchedTool
from entracte.adapters.python.function import PythonFunction
from entracte.adapters.python.hooks import Hook, ToolReturn
from entracte.adapters.python.served import ServedTool
from entracte.adapters.python.threads import Threads
from entracte.core.calls import Call, Ending, Prepared, ToolOutcome
from entracte.core.payload import canonical, readable
from entracte.errors import Blocked, InvalidInput, RetryableError, ToolError
from entracte.ports.clock import Clock
from entracte.raised_at import raised_at

Runnable = PythonFunction | DispatchedTool | ServedTool

MAX_TOLD_CHARS = 2000
"""Longest text of an error that leaves a tool or hook."""

log = logging.getLogger("entracte")

_THREADS = Threads()
"""Of the whole process: idle threads are kept for whichever network calls next."""


class PythonTools:
    """Runs tools in a thread each, so that a hanging one cannot hold its phase beyond the deadline.

    Args:
        functions: Tools by name.
        readonly: Names of those that change nothing: whatever goes wrong in them, nothing happened.
        context: Makes the context of a call.

    Attributes:
        on_late: Is told of calls that end after their deadline, in their own thread.
    """

    def __init__(
        self,
        functions: Mapping[str, Runnable],
        *,
        readonly: frozenset[str],
        hooks: Sequence[Hook],
        context: Callable[[Call], ToolContext[Any]],
        clock: Clock,
    ) -> None:
        self._functions = functions
        self._readonly = readonly
        self._hooks = hooks
        self._context = context
        self._clock = clock
        self.on_late: Callable[[Call, ToolOutcome], object] = lambda call, outcome: None

    def prepare(self, call: Call) -> Prepared:
        """Hooks, then the argument check."""
        ctx = self._context(call)
        return replace(self._prepare(call, ctx), usage=ctx.usage)

    def call(self, call: Call, *, hooks: bool = True) -> ToolOutcome:
        """The call, within its deadline."""
        ctx = self._context(call)
        ctx.may_ask = hooks
        if call.tool not in self._functions:
            return ToolOutcome(ending="failed", error=f"There is no tool {call.tool!r}.")
        if call.prepared or not hooks:  # the tool may have changed since the arguments were checked
            if fault := self._functions[call.tool].check(call.arguments)[1]:
                return ToolOutcome(ending="failed", error=f"The arguments do not fit: {fault}.")
        else:
            prepared = self._prepare(call, ctx)
            if prepared.refusal:
                ending: Ending = "blocked" if prepared.blocked else "failed"
                return ToolOutcome(
                    ending=ending, error=prepared.refusal, directives=prepared.directives, usage=ctx.usage
                )
            call = replace(call, arguments=prepared.arguments, prepared=True)
        seconds = (call.deadline - self._clock.now()).total_seconds()
        if seconds <= 0:  # its process stood still: by now another may be making the same call
            error = f"{call.tool} was not called: its time was over before it could begin."
            return ToolOutcome(ending="failed", arguments=call.arguments, error=error, called=False)
        attempt = _Attempt(self._functions[call.tool], call, ctx)
        if attempt.ended_within(seconds):
            return self._outcome(call, ctx, attempt, hooks=hooks)
        if call.tool not in self._readonly and hooks:
            attempt.when_it_ends(lambda: self.on_late(call, self._outcome(call, ctx, attempt, hooks=hooks)))
        return self._lost(call, ctx, f"{call.tool} did not end within its {seconds:.0f} s.")

    def _outcome(self, call: Call, ctx: ToolContext[Any], attempt: _Attempt, *, hooks: bool) -> ToolOutcome:
        """What the end of an attempt means."""
        match attempt.error:
            case None:
                return self._returned(call, ctx, attempt.value, self._hooks if hooks else ())
            case ToolError() | Blocked() as said:
                ended: Ending = "blocked" if isinstance(said, Blocked) else "failed"
                return ToolOutcome(
                    ending=ended,
                    arguments=call.arguments,
                    error=_told(said),
                    directives=ctx.directives(),
                    progress=ctx.reported(),
                    usage=ctx.usage,
                    native=ctx.native,
                )
            case error:
                _log_fault("tool_failed", call, error)
                return self._lost(call, ctx, f"{call.tool} broke off with {type(error).__name__}: {error}")

    def _prepare(self, call: Call, ctx: ToolContext[Any]) -> Prepared:
        try:
            for hook in self._hooks:
                call = hook.before_tool(call, ctx)
        except Blocked as reason:
            return Prepared(refusal=_told(reason), blocked=True, directives=ctx.directives())
        except RetryableError:
            raise
        except Exception as error:  # noqa: BLE001  # it would fail again; a call that a hook has not passed is not made
            _log_fault("hook_failed", call, error)
            failed = f"Hook {type(hook).__name__} failed with {type(error).__name__}: {_told(error)}"
            return Prepared(refusal=failed[:MAX_TOLD_CHARS], blocked=True, directives=ctx.directives())
        arguments, fault = self._functions[call.tool].check(call.arguments)
        if refusal := f"The arguments do not fit: {fault}." if fault else _not_json(arguments):
            return Prepared(arguments=arguments, refusal=refusal, directives=ctx.directives())
        return replace(_looked_at(self._functions[call.tool], call, arguments, ctx), directives=ctx.directives())

    def _returned(self, call: Call, ctx: ToolContext[Any], value: Any, hooks: Sequence[Hook]) -> ToolOutcome:
        result = ToolReturn(value=value, warnings=(ctx.doubt,) if ctx.doubt else ())
        try:
            for hook in hooks:
                result = hook.after_tool(call, result, ctx)
        except Blocked as reason:
            result = _withheld(_told(reason), _told(reason))
        except Exception as error:  # noqa: BLE001  # the call has been made, whatever a hook makes of its result
            _log_fault("hook_failed", call, error)
            failed = f"hook {type(hook).__name__} failed with {type(error).__name__}"
            result = _withheld(f"{failed}.", f"{failed}: {_told(error)}")
        return ToolOutcome(
            ending="applied",
            result=result.value,
            raw=value,
            arguments=call.arguments,
            warnings=result.warnings,
            directives=ctx.directives(),
            progress=ctx.reported(),
            usage=ctx.usage,
            native=ctx.native if result.value is value else None,
        )

    def _lost(self, call: Call, ctx: ToolContext[Any], error: str) -> ToolOutcome:
        """A timeout or a fault of the tool. Where it might have changed something, nobody knows whether it did."""
        ending: Ending = "failed" if call.tool in self._readonly else "unknown"
        return ToolOutcome(
            ending=ending,
            arguments=call.arguments,
            error=readable(error, MAX_TOLD_CHARS),
            lost=True,
            directives=ctx.directives(),
            progress=ctx.reported(),
            usage=ctx.usage,
            native=ctx.native,
        )


def _looked_at(tool: Runnable, call: Call, arguments: dict[str, Any], ctx: ToolContext[Any]) -> Prepared:
    """The call as its own tool prepares it. Nothing has been called yet, so whatever goes wrong refuses the call."""
    if not isinstance(tool, PythonFunction) or tool.prepare is None:
        return Prepared(arguments=arguments)
    try:
        return tool.prepare(arguments, ctx)
    except RetryableError:
        raise
    except ToolError as said:
        return Prepared(arguments=arguments, refusal=_told(said))
    except Exception as error:  # noqa: BLE001  # as a fault of the tool itself would be
        _log_fault("prepare_failed", call, error)
        return Prepared(arguments=arguments, refusal=f"The call could not be prepared: {_told(error)}")


def _log_fault(event: str, call: Call, error: BaseException) -> None:
    """Where an author's code raised. What it says may hold arguments: it is shown to those only who debug."""
    place, shown = raised_at(error), error if log.isEnabledFor(logging.DEBUG) else None
    if place or shown:
        log.warning("%s tool=%s error=%s%s", event, call.tool, type(error).__name__, place, exc_info=shown)


def _withheld(why: str, warning: str) -> ToolReturn:
    return ToolReturn(value={"note": f"The result is withheld: {why}"}, warnings=(warning,))


def _told(error: Exception) -> str:
    return readable(str(error), MAX_TOLD_CHARS)


def _not_json(arguments: Mapping[str, Any]) -> str:
    """Why the arguments cannot be written down, or an empty string: pydantic reads "NaN", JSON has no such number."""
    try:
        canonical(dict(arguments))
    except InvalidInput as error:
        return str(error)
    return ""


class _Attempt:
    """One call in a thread of its own. The thread cannot be stopped, only left behind."""

    def __init__(self, tool: Runnable, call: Call, ctx: ToolContext[Any]) -> None:
        self.value: Any = None
        self.error: BaseException | None = None
        self._done = threading.Event()
        self._lock = threading.Lock()
        self._late: Callable[[], object] | None = None
        _THREADS.run(partial(contextvars.copy_context().run, self._run, tool, call, ctx))

    def ended_within(self, seconds: float) -> bool:
        return self._done.wait(max(0.0, seconds))

    def when_it_ends(self, late: Callable[[], object]) -> None:
        """Have its thread do this at its end, which nobody waits for any more."""
        with self._lock:
            self._late = late
            ended = self._done.is_set()
        if ended:
            late()

    def _run(self, tool: Runnable, call: Call, ctx: ToolContext[Any]) -> None:
        try:
            self.value = tool.run(call.arguments, ctx) if isinstance(tool, PythonFunction) else tool.run_call(call, ctx)
        except BaseException as error:  # noqa: BLE001  # whatever a tool raises, SystemExit included, is that call's end
            self.error = error
        with self._lock:
            self._done.set()
            late = self._late
        if late is not None:
            late()
