"""What is wrong with a manifest, and where: ``policy.yaml:7:11: tools[0].gate, expected …, found …``."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from entracte.errors import ConfigurationError

MAX_FAULTS = 100
"""Faults that one error shows. The rest is counted."""

Path = tuple[str | int, ...]
"""Keys and indexes from the top of the manifest to a value."""


class Problem(Struct, frozen=True, kw_only=True):
    """Something wrong with the value at a path.

    Attributes:
        at_key: The place meant is that of the key, not of its value.
    """

    path: Path
    what: str
    expected: str
    found: str
    at_key: bool = False


class Fault(Struct, frozen=True, order=True):
    """A problem with its place in the file. Lines and columns count from 1."""

    line: int
    column: int
    what: str
    expected: str
    found: str
    file: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.what}, expected {self.expected}, found {self.found}"


class ManifestError(ConfigurationError):
    """The manifest cannot be understood, so nothing runs under it. Names every fault, a line each.

    Attributes:
        faults: In the order of the file.
    """

    code = "manifest"

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(sorted(set(faults)))
        lines = [str(fault) for fault in self.faults[:MAX_FAULTS]]
        if more := len(self.faults) - len(lines):
            lines.append(f"… and {more} more faults")
        super().__init__("\n".join(lines))


def label(path: Path) -> str:
    """A path as people write it: ``tools[0].snapshot.args``."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")
    return text if len(text) <= 120 else f"{text[:120]}…"


def shown(value: Any) -> str:
    """A value in a few words."""
    match value:
        case None:
            return "nothing"
        case dict():
            return "a mapping"
        case list():
            return "a list"
        case str():
            return repr(value if len(value) <= 60 else f"{value[:60]}…")
        case _:
            return json.dumps(value)[:60]
