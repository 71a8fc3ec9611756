"""A replacement moved to the indentation of the place that it goes to."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

_INDENT = re.compile(r"[^\S\r\n]*")

_TAB = 4
"""Blanks that a tab stands for where the place does not tell."""

_ALIGNED = 400
"""Lines of snippet and replacement together, up to which one is laid beside the other."""


def reindented(replacement: list[str], searched: list[str], place: list[str]) -> list[str]:
    """The replacement's lines as the place is indented.

    A line that stays, or takes the place of one that was written with the same indentation, gets the place's. Another
    one is indented as the snippet's line of its own indentation is at the place, and deeper or less deep ones by as
    much more or less, in the place's tabs or blanks.

    Args:
        searched: Lines of the snippet, one for each line of the place.
    """
    pairs = [(_indent(a), _indent(b)) for a, b in zip(searched, place, strict=True) if a.strip()]
    known: dict[str, str] = {}
    for written, there in pairs:
        known.setdefault(written, there)
    scale = _Scale(pairs)
    beside = _beside(searched, replacement)
    return [
        _indent(place[beside[index]]) + line[len(_indent(line)) :]
        if index in beside and line.strip() and _indent(line) == _indent(searched[beside[index]])
        else _moved(line, known, scale)
        for index, line in enumerate(replacement)
    ]


def _beside(searched: list[str], replacement: list[str]) -> dict[int, int]:
    """Index of the snippet's line that each of the replacement's lines is, or takes the place of."""
    if len(searched) + len(replacement) > _ALIGNED:
        return {}
    old_lines, new_lines = ([line.strip() for line in lines] for lines in (searched, replacement))
    beside: dict[int, int] = {}
    for tag, a, b, c, d in SequenceMatcher(None, old_lines, new_lines, autojunk=False).get_opcodes():
        if tag in ("equal", "replace"):
            beside |= {new: old for old, new in zip(range(a, b), range(c, d), strict=False) if old_lines[old]}
    return beside


class _Scale:
    """How indentation as it was written becomes indentation as it is at the place."""

    def __init__(self, pairs: list[tuple[str, str]]) -> None:
        written = "".join(a for a, _ in pairs)
        there = "".join(b for _, b in pairs)
        self._to_tabs = "\t" in there and " " not in there and "\t" not in written
        self._to_blanks = " " in there and "\t" not in there and "\t" in written and " " not in written
        widths = (
            len(a) / len(b) if self._to_tabs else len(b) / len(a)
            for a, b in pairs
            if a and b and (self._to_tabs or self._to_blanks)
        )
        width = next((w for w in widths if w >= 1), _TAB)
        self._width = int(width) if width == int(width) else _TAB

    def convert(self, blanks: str) -> str:
        """Some indentation, in the place's characters."""
        if self._to_tabs:
            return "\t" * (len(blanks) // self._width) + " " * (len(blanks) % self._width)
        if self._to_blanks:
            return " " * (self._width * len(blanks))
        return blanks


def _moved(line: str, known: dict[str, str], scale: _Scale) -> str:
    if not line.strip():
        return line
    indent, rest = _indent(line), line[len(_indent(line)) :]
    if indent in known:
        return known[indent] + rest
    inner = max((written for written in known if indent.startswith(written)), key=len, default=None)
    if inner is not None:
        return known[inner] + scale.convert(indent[len(inner) :]) + rest
    outer = min((written for written in known if written.startswith(indent)), key=len, default=None)
    if outer is None:
        return line
    less = len(scale.convert(outer[len(indent) :]))
    return known[outer][: max(0, len(known[outer]) - less)] + rest


def _indent(line: str) -> str:
    found = _INDENT.match(line)
    return found[0] if found is not None else ""
