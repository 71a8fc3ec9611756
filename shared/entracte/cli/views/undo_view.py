"""An undo as text: what each call did, the call that takes it back, and how that went."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from rich.text import Text

from entracte.cli.records.records import Json
from entracte.cli.records.undo_row import UndoRow
from entracte.cli.terminal.hanging import Hanging
from entracte.cli.terminal.plain_text import call_line, one_line, value_line

_MARKS = {
    "reverted": ("↶", "cyan"),
    "revert": ("↶", "cyan"),
    "unverified": ("↶", "yellow"),
    "already": ("·", "dim"),
    "skipped": ("·", "dim"),
    "kept": ("·", "dim"),
    "permanent": ("!", "yellow"),
    "stopped": ("!", "red"),
    "stop": ("!", "red"),
}

_VERDICT_COLUMNS = 13

_MAX_FIELDS = 20
"""Fields of a record that are shown where it differs."""


def undo_view(run: str, rows: Iterable[UndoRow]) -> Iterator[Hanging]:
    """The rows, each with the name by which ``--to`` knows its call."""
    for row in rows:
        mark, style = _MARKS.get(row.verdict, ("·", ""))
        call = Text.assemble((row.action.removeprefix(f"{run}."), "dim"), "  ", call_line(row.tool, row.arguments))
        yield Hanging(Text(f"{mark} {row.verdict}".ljust(_VERDICT_COLUMNS), style), call)
        indent = Text(" " * _VERDICT_COLUMNS)
        if row.inverse is not None:
            yield Hanging(indent + "→ ", Text(call_line(row.inverse["tool"], row.inverse["arguments"])))
        if row.note:
            yield Hanging(indent, Text(one_line(row.note), "dim" if mark == "·" else style))
        if row.shown is not None:
            yield from (Hanging(indent + Text(f"{label:<10}", "dim"), Text(text)) for label, text in _values(row.shown))


def summary(rows: Iterable[UndoRow]) -> str:
    """How many of each: ``3 reverted, 1 permanent``."""
    verdicts = [row.verdict for row in rows]
    return ", ".join(f"{verdicts.count(verdict)} {verdict}" for verdict in dict.fromkeys(verdicts))


def _values(shown: Json) -> Iterator[tuple[str, str]]:
    """The values, of records only the fields in which they differ."""
    values = {name: shown[name] for name in ("before", "expected", "found")}
    if all(isinstance(value, dict) for value in values.values()):
        names = dict.fromkeys(name for value in values.values() for name in value)
        differing = [name for name in names if len({value_line(v.get(name, _NONE)) for v in values.values()}) > 1]
        values = {label: {n: v[n] for n in differing[:_MAX_FIELDS] if n in v} for label, v in values.items()}
    for label, value in values.items():
        yield label, _text(value)


_NONE = "\0"
"""Stands for a field that is not there."""


def _text(value: Any) -> str:
    return "not there" if value is None else value_line(value)
