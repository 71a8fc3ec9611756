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
from collections.abc import Iterator, Mapping
from difflib import unified_diff
from typing import Any

from entracte.core.payload import canonical
from entracte.core.policy.visible import shortened, visible

MAX_LINES = 60
MAX_WIDTH = 200
"""Characters of a line."""

_LONG = 100
"""From so many characters on, a change of a text is shown as a diff."""

_DIFFED = 20_000
"""Characters of a text that are compared; the rest is only counted."""

_MISSING = object()

Block = list[str]
"""Lines of one field."""


def preview(
    title: str, arguments: Mapping[str, Any], *, prior: Mapping[str, Any] | None = None, record: Any = None
) -> tuple[str, ...]:
    """The lines: the title, changes, what is new, then what stays.

    Args:
        title: What the tool does, or its name.
        arguments: Effective arguments, masked where a masker applies.
        prior: Value that each argument would replace, as far as known (prior_values.py).
        record: The snapshot. Fields that no argument names are shown too, so that an approver sees whose they are.
    """
    prior = prior or {}
    changed, added, same = list[Block](), list[Block](), list[Block]()
    for name, value in arguments.items():
        before = prior.get(name, _MISSING)
        if before is _MISSING:
            added.append(_added(visible(name), value))
        elif canonical(before) == canonical(value):
            same.append(_plain(visible(name), value))
        else:
            changed.append(_changed(visible(name), before, value))
    if isinstance(record, dict):
        same += [_plain(visible(name), value) for name, value in record.items() if name not in arguments]
    # Short ones first: however long the body of a mail is, it cannot push its address out of sight.
    blocks = [*sorted([*changed, *added], key=_is_long), *same]
    return (shortened(visible(title), MAX_WIDTH), *_fitted(blocks, MAX_LINES - 1))


def _is_long(block: Block) -> bool:
    return len(block) > 1


def _changed(name: str, before: Any, after: Any) -> Block:
    line = f"{name}: {_one_line(before)} → {_one_line(after)}"
    if not (isinstance(before, str) and isinstance(after, str)) or not (_is_text(before) or _is_text(after)):
        return [line] if len(line) <= MAX_WIDTH else [f"{name}:", *_barred(_one_line(before), "-"), *_barred(_one_line(after), "+")]
    diff = unified_diff(before[:_DIFFED].splitlines(), after[:_DIFFED].splitlines(), n=2, lineterm="")
    lines = [part for line in list(diff)[2:] for part in _barred(visible(line[1:]), line[:1])]
    if max(len(before), len(after)) > _DIFFED:
        lines.append(f"| … {len(before):,} → {len(after):,} characters, of which the first {_DIFFED:,} are compared")
    return [f"{name}:", *lines]


def _added(name: str, value: Any) -> Block:
    if isinstance(value, str) and "\n" in value.rstrip("\n"):
        return [f"+ {name}:", *(part for line in value.splitlines() for part in _barred(visible(line)))]
    line = f"+ {name}: {_one_line(value)}"
    return [line] if len(line) <= MAX_WIDTH else [f"+ {name}:", *_barred(_one_line(value))]


def _plain(name: str, value: Any) -> Block:
    return [shortened(f"  {name}: {_one_line(value)}", MAX_WIDTH)]


def _is_text(value: str) -> bool:
    return "\n" in value or len(value) > _LONG


def _one_line(value: Any) -> str:
    """A value on one line. A text is in quotes where it would be taken for something else."""
    if not isinstance(value, str):
        return visible(canonical(value))
    looks_odd = not value.strip() or value != value.strip() or "→" in value or _is_json(value)
    return visible(json.dumps(value, ensure_ascii=False) if looks_odd else value)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _barred(text: str, sign: str = " ") -> Iterator[str]:
    """A text behind a bar, on as many lines as it needs."""
    width = MAX_WIDTH - 3
    for start in range(0, max(len(text), 1), width):
        yield f"|{sign} {text[start : start + width]}".rstrip()


def _fitted(blocks: list[Block], room: int) -> list[str]:
    """All blocks in so many lines. Where there are too many, long blocks are cut, the longest first."""
    longest = room
    while sum(min(len(block), longest) for block in blocks) > room and longest > 2:
        longest -= 1
    lines = [line for block in blocks for line in _cut(block, longest)]
    return lines if len(lines) <= room else [*lines[: room - 1], f"… and {len(lines) - room + 1:,} more lines"]


def _cut(block: Block, longest: int) -> Block:
    return block if len(block) <= longest else [*block[: longest - 1], f"| … and {len(block) - longest + 1:,} more lines"]
