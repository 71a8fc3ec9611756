"""Calls that end after their delivery has given them up: what they did is recorded all the same."""

from __future__ import annotations

import logging
from collections.abc import Callable

from entracte.core.calls import Call, ToolOutcome
from entracte.runtime.engine.engine import Engine

log = logging.getLogger("entracte")


def late_results(engine: Engine) -> Callable[[Call, ToolOutcome], None]:
    """Records late ends. It runs in the call's own thread, which nobody waits for, so its faults are logged."""

    def record(call: Call, outcome: ToolOutcome) -> None:
        try:
            note = engine.late(call, outcome)
        except Exception:
            log.exception("late_result_lost run_id=%s action=%s", call.run, call.action)
        else:
            log.info("late_result run_id=%s action=%s ending=%s note=%s", call.run, call.action, outcome.ending, note)

    return record
