"""What an approver sees of a call: a few lines of text, the important ones first.

    Change fields of one customer's record.
    plan: Free → Pro
    + reason: asked by phone
      id: 17

A change of a long text is a diff, and a long text without a prior value stands under its name, with a bar before each
line, so that no line of it can pass for one of ours.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from difflib import unified_diff
from itertools import islice
from typing import Any

from entracte.core.payload import canonical
from entracte.core.policy.visible import shortened, visible

MAX_LINES = 60
MAX_WIDTH = 200
"""Characters of a line."""

MAX_FIELDS = 200
"""Arguments that are looked at."""

_LONG = 100
"""From so many characters on, a change of a text is shown as a diff."""

_SHOWN = MAX_LINES * MAX_WIDTH
"""Characters of one value that are looked at: more could not be shown."""

_MISSING = object()

Block = list[str]
"""Lines of one field."""


def preview(
    title: str,
    arguments: Mapping[str, Any],
    record: Any = None,
    *,
    prior: Mapping[str, Any] | None = None,
    diff: Sequence[str] = (),
) -> tuple[str, ...]:
    """The lines: the title, what changes or is new, then what stays.

    Args:
        title: What the tool does, or its name.
        arguments: Effective arguments, masked where a masker applies.
        record: The snapshot. Its fields that no argument names are shown too, so that one sees whose they are.
        prior: Value that each argument would replace (prior_values.py); the record's field of its name, by default.
        diff: What would change, as the tool itself tells it. Then the arguments are shown in one line each.
    """
    fields = record if isinstance(record, dict) else {}
    prior = fields if prior is None else prior
    fresh, same = list[Block](), list[Block]()
    if len(arguments) > MAX_FIELDS:
        fresh.append([f"… and {len(arguments) - MAX_FIELDS:,} more arguments"])
    if diff:
        fresh.append(["what changes:", *(part for line in diff[:MAX_LINES] for part in _signed(line))])
        same += [_unchanged(name, value) for name, value in islice(arguments.items(), MAX_FIELDS)]
    for name, value in islice(arguments.items(), 0 if diff else MAX_FIELDS):
        before = prior.get(name, _MISSING)
        if before is _MISSING:
            fresh.append(_added(visible(name), value))
        elif canonical(before) == canonical(value):
            same.append(_unchanged(name, value))
        else:
            fresh.append(_changed(visible(name), before, value))
    others = ((name, value) for name, value in fields.items() if name not in arguments)
    same += [_unchanged(name, value) for name, value in islice(others, MAX_FIELDS)]
    # Short ones first: however long the body of a mail is, it cannot push its address out of sight.
    return (shortened(visible(title), MAX_WIDTH), *_fitted([*sorted(fresh, key=_is_long), *same], MAX_LINES - 1))


def _is_long(block: Block) -> bool:
    return len(block) > 1


def _unchanged(name: str, value: Any) -> Block:
    return [shortened(f"  {visible(name)}: {_one_line(value)}", MAX_WIDTH)]


def _added(name: str, value: Any) -> Block:
    line = f"+ {name}: {_one_line(value)}"
    if len(line) <= MAX_WIDTH and not _has_lines(value):
        return [line]
    text = value if isinstance(value, str) else canonical(value)
    return [f"+ {_header(name, text)}", *(part for line in text[:_SHOWN].split("\n") for part in _barred(line))]


def _changed(name: str, before: Any, after: Any) -> Block:
    line = f"{name}: {_one_line(before)} → {_one_line(after)}"
    if len(line) <= MAX_WIDTH and not any(
        _has_lines(v) or len(v) > _LONG for v in (before, after) if isinstance(v, str)
    ):
        return [line]
    old, new = (v if isinstance(v, str) else canonical(v) for v in (before, after))
    lines = unified_diff(old[:_SHOWN].split("\n"), new[:_SHOWN].split("\n"), n=2, lineterm="")
    if old[:_SHOWN] == new[:_SHOWN]:
        return [_header(name, new), f"| … equal for {_SHOWN:,} characters, and different after that"]
    return [_header(name, new), *_diffed(lines)]


def _diffed(lines: Iterator[str]) -> Iterator[str]:
    for number, line in enumerate(lines):
        if number < 2:
            continue  # names of files
        if line.startswith("@@"):
            if number > 2:
                yield "| …"
        else:
            yield from _barred(line[1:], line[0])


def _signed(line: str) -> Iterator[str]:
    """A line of a unified diff behind a bar."""
    return _barred(line) if line.startswith("@@") else _barred(line[1:], line[:1])


def _header(name: str, text: str) -> str:
    return f"{shortened(name, 100)} ({len(text):,} characters):"


def _has_lines(value: Any) -> bool:
    return isinstance(value, str) and "\n" in value


def _one_line(value: Any) -> str:
    """A value on one line. A text is in quotes where it would be taken for something else."""
    if not isinstance(value, str):
        return visible(canonical(value)[:_SHOWN])
    looks_odd = not value or value != value.strip() or "→" in value or _is_json(value[:_LONG])
    return visible(json.dumps(value[:_SHOWN], ensure_ascii=False) if looks_odd else value[:_SHOWN])


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _barred(text: str, sign: str = " ") -> Iterator[str]:
    """A text behind a bar, on as many lines as it needs."""
    shown, width = visible(text), MAX_WIDTH - 3
    for start in range(0, max(len(shown), 1), width):
        yield f"|{sign} {shown[start : start + width]}".rstrip()


def _fitted(blocks: list[Block], room: int) -> list[str]:
    """All blocks in so many lines. Where there are too many, long blocks are cut, the longest first."""
    longest = room
    while sum(min(len(block), longest) for block in blocks) > room and longest > 2:
        longest -= 1
    lines = [line for block in blocks for line in _cut(block, longest)]
    return lines if len(lines) <= room else [*lines[: room - 1], f"… and {len(lines) - room + 1:,} more lines"]


def _cut(block: Block, longest: int) -> Block:
    return block if len(block) <= longest else [*block[: longest - 1], "| … and more, which is not shown here"]
