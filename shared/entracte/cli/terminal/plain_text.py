"""Text from models, tools and people, made safe to show.

A terminal obeys control sequences wherever they come from: a tool's result could move the cursor, change the title or
hide what follows (CWE-150). So nothing is shown as it came.
"""

from __future__ import annotations

import json
import re
from typing import Any

# Escape sequences in 7-bit and 8-bit form (ECMA-48, 5.4 and 8.3): whole ones go, so that no "[31m" is left of them.
_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)"  # OSC, DCS, …: titles, links
    r"|\x1b[ -/]*[0-~]"
)

# C0, DEL, C1, and the marks that make text read in another order than it is written (CVE-2021-42574).
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")

_IN_JSON = re.compile(r"[\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def plain(text: str) -> str:
    """The text without control characters; line feeds and tabs stay, carriage returns become line feeds."""
    return _CONTROL.sub("", _SEQUENCE.sub("", text).replace("\r\n", "\n").replace("\r", "\n"))


def one_line(text: str, limit: int = 2000) -> str:
    """The text on one line of at most so many characters; runs of white space become one blank."""
    line = " ".join(plain(text[: 4 * limit]).split())
    return line if len(line) <= limit and len(text) <= 4 * limit else f"{line[: limit - 1]}…"


def json_text(value: Any, *, indent: int | None = None) -> str:
    """JSON for people and pipes: the value is unchanged, and what a terminal would obey is written as escapes."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    return _IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def value_line(value: Any, limit: int = 2000) -> str:
    """A JSON value on one line, shortened."""
    return one_line(json.dumps(value, ensure_ascii=False), limit)


def call_line(tool: str, arguments: Any, limit: int = 2000) -> str:
    """A call as it would be written: ``search(query="Ada", limit=3)``."""
    if not isinstance(arguments, dict):
        return one_line(f"{tool}({value_line(arguments, limit)})", limit)
    inside = ", ".join(f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in arguments.items())
    return one_line(f"{tool}({inside})", limit)
