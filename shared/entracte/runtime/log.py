"""Logs: one line a handled message, event name first, the same keys always. No prompts, secrets or arguments.

On Cloud Run a line is a JSON object, in the fields that Cloud Logging knows
(https://docs.cloud.google.com/logging/docs/structured-logging), with the keys of the line as fields of their own.
"""

from __future__ import annotations

import json
import logging
import re
import sys
from contextvars import ContextVar

TRACEPARENT: ContextVar[str] = ContextVar("entracte_traceparent", default="")
"""Trace that this thread's work belongs to, where traces are kept."""

_KEYS = re.compile(r"(?:^| )(action|attempt|duration_ms|gate|kind|run_id|subject|type)=([^\s=]+)")

_NUMBERS = ("attempt", "duration_ms")


class JsonLines(logging.Formatter):
    """One JSON object a line.

    Args:
        project: Google Cloud project that traces are named in.
    """

    def __init__(self, project: str = "") -> None:
        super().__init__()
        self._project = project

    def format(self, record: logging.LogRecord) -> str:
        message = record.getMessage()
        line: dict[str, object] = {"severity": record.levelname, "message": message, "logger": record.name}
        for name, value in _KEYS.findall(message):
            line.setdefault(name, int(value) if name in _NUMBERS and value.isdigit() else value)
        if traceparent := TRACEPARENT.get():
            _, trace, span, _ = traceparent.split("-")
            line |= {
                "logging.googleapis.com/trace": f"projects/{self._project}/traces/{trace}",
                "logging.googleapis.com/spanId": span,
                "logging.googleapis.com/trace_sampled": True,
            }
        if record.exc_text:  # all that a filter has left of it
            line["stack_trace"] = record.exc_text
        elif record.exc_info:
            line["stack_trace"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


def set_up_logs(*, structured: bool, level: str = "INFO", project: str = "") -> None:
    """Send the log of Entracte to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines(project) if structured else logging.Formatter("%(message)s"))
    logger = logging.getLogger("entracte")
    logger.handlers[:] = [handler]
    logger.setLevel(level.upper())
    logger.propagate = False
