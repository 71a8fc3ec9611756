"""Lines of the log as Cloud Logging reads them."""

from __future__ import annotations

import json
import logging
import sys
from typing import Any

from entracte.runtime.log import TRACEPARENT, JsonLines
from entracte.runtime.masking.log import ScrubbedLines
from tests.masking.clinic import EMAIL


def line_of(
    message: str, *args: object, exc_info: Any = None, scrub: bool = False, traceparent: str = ""
) -> dict[str, Any]:
    """The line of one record."""
    record = logging.LogRecord("entracte", logging.WARNING, "f.py", 1, message, args, exc_info)
    if scrub:
        ScrubbedLines(lambda text: text.replace(EMAIL, "⟨email⟩")).filter(record)
    token = TRACEPARENT.set(traceparent)
    try:
        found: dict[str, Any] = json.loads(JsonLines("my-project").format(record))
    finally:
        TRACEPARENT.reset(token)
    return found


def test_keys_of_a_line_are_fields() -> None:
    """Numbers as numbers; what only follows an equals sign in a note is none."""
    line = line_of("message_handled run_id=%s subject=%s duration_ms=%s note=%s", "r1", "r1.1", 12, "x=y run_id=evil")

    assert {name: line[name] for name in ("severity", "run_id", "subject", "duration_ms")} == {
        "severity": "WARNING",
        "run_id": "r1",
        "subject": "r1.1",
        "duration_ms": 12,
    }
    assert "note" not in line and "logging.googleapis.com/trace" not in line


def test_a_line_names_its_trace() -> None:
    """So that it is shown beside its span."""
    line = line_of("x", traceparent="00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")

    assert line["logging.googleapis.com/trace"] == "projects/my-project/traces/0af7651916cd43dd8448eb211c80319c"
    assert line["logging.googleapis.com/spanId"] == "b7ad6b7169203331"


def test_stack_traces_are_scrubbed_too() -> None:
    """What was raised quotes a value: neither message nor trace shows it."""
    try:
        raise ValueError(f"no {EMAIL}")
    except ValueError:
        line = line_of("failed for %s", EMAIL, exc_info=sys.exc_info(), scrub=True)

    assert "ValueError: no ⟨email⟩" in line["stack_trace"]
    assert EMAIL not in json.dumps(line)
