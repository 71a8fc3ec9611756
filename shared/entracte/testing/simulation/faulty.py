"""Making a call of a port under a fault."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from entracte.core.calls import ToolOutcome
from entracte.errors import AmbiguousCommit, ModelUnavailable, RetryableError, StaleWrite, StoreUnavailable
from entracte.testing.simulation.faults import Fault, PortKind
from entracte.testing.simulation.handler import Crash, Handler, Reply, Stopped
from entracte.testing.simulation.ports import Change
from entracte.testing.simulation.stage import LateCall, Stage

SKEW = timedelta(minutes=20)


def make(stage: Stage, handler: Handler, kind: PortKind, do: Callable[[], Any], fault: Fault | None) -> Any:
    """Make the call; its answer is kept by the handler.

    Raises:
        Crash, Stopped: The handler goes no further, for good or for now.
        Whatever the port raises.
    """
    match fault:
        case Fault.CRASH_BEFORE:
            raise Crash
        case Fault.OVERTAKEN | Fault.PAUSED:
            raise Stopped(long=fault is Fault.PAUSED)
        case Fault.CRASH_AFTER:
            _take(stage, kind, handler, do)
            raise Crash
        case _:
            return handler.hears(_reply(stage, handler, kind, do, fault))


def _reply(stage: Stage, handler: Handler, kind: PortKind, do: Callable[[], Any], fault: Fault | None) -> Reply:
    match fault, kind:
        case None, _:
            return _take(stage, kind, handler, do)
        case Fault.UNAVAILABLE, "model":
            return Reply(error=ModelUnavailable("The model is overloaded."))
        case Fault.UNAVAILABLE, "publish":
            return Reply(error=RetryableError("The broker did not confirm.", code="not_confirmed"))
        case Fault.UNAVAILABLE, _:
            return Reply(error=StoreUnavailable("The store could not be reached."))
        case Fault.ANSWER_LOST, "commit":
            reply = _take(stage, kind, handler, do)
            return reply if reply.error else Reply(error=AmbiguousCommit("The store did not answer in time."))
        case Fault.ANSWER_LOST, _:
            _take(stage, kind, handler, do)
            return Reply(error=RetryableError("The broker did not confirm.", code="not_confirmed"))
        case Fault.NOT_DONE, _:
            return Reply(error=AmbiguousCommit("The store did not answer in time."))
        case Fault.CONFLICT, _:
            return Reply(error=StaleWrite("Something that was relied on has changed."))
        case Fault.LOST, _:
            do()
            return Reply()
        case Fault.DUPLICATED, _:
            stage.world.waiting += [*(messages := do()), *messages]
            return Reply()
        case Fault.REORDERED, _:
            stage.world.overtaken += do()
            return Reply()
        case Fault.DELAYED, _:
            stage.world.delayed += do()
            return Reply()
        case ((Fault.AHEAD | Fault.BEHIND), _):
            handler.skew = SKEW if fault is Fault.AHEAD else -SKEW
            return Reply(stage.now())
        case Fault.TIMED_OUT, "read":
            return Reply(ToolOutcome(ending="failed", error="It did not end in time.", lost=True))
        case _:
            assert isinstance(do, Change)
            return Reply(_timed_out(stage, do, fault))


def _take(stage: Stage, kind: PortKind, handler: Handler, do: Callable[[], Any]) -> Reply:
    """The call as it should go."""
    try:
        value = do()
    except Exception as error:  # noqa: BLE001  # the handler hears it, now and whenever it is done once more
        return Reply(error=error)
    if kind == "publish":
        stage.world.waiting += value
        return Reply()
    return Reply(value)


def _timed_out(stage: Stage, change: Change, fault: Fault | None) -> ToolOutcome:
    """A changing tool did not end in time. What it did, and whether anybody will hear of it, is another matter."""
    call = change.call
    match fault:
        case Fault.ACTED_UNHEARD:
            change()
        case Fault.ACTED_HEARD_LATE:
            outcome = change()
            stage.world.late.append(LateCall(call, lambda: outcome))
        case Fault.ACTED_LATE:
            stage.world.late.append(LateCall(call, lambda: change(stage.in_time(call))))
        case _:
            pass
    return ToolOutcome(ending="unknown", arguments=call.arguments, error=f"{call.tool} did not end in time.", lost=True)
