"""Logs: one line a handled message, event name first, the same keys always. No prompts, secrets or arguments."""

from __future__ import annotations

import json
import logging
import sys


class JsonLines(logging.Formatter):
    """One JSON object a line, in the fields that Cloud Logging knows."""

    def format(self, record: logging.LogRecord) -> str:
        line = {"severity": record.levelname, "message": record.getMessage(), "logger": record.name}
        if record.exc_text:  # all that a filter has left of it
            line["stack_trace"] = record.exc_text
        elif record.exc_info:
            line["stack_trace"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


def set_up_logs(*, structured: bool, level: str = "INFO") -> None:
    """Send the log of Entracte to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines() if structured else logging.Formatter("%(message)s"))
    logger = logging.getLogger("entracte")
    logger.handlers[:] = [handler]
    logger.setLevel(level.upper())
    logger.propagate = False
