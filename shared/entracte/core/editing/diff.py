"""What an edit changes, as a unified diff, in time that grows with the text and not with its square."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from msgspec import Struct

from entracte.core.editing.edit import Change
from entracte.core.editing.lines import ending_of, line_at, lines_of, starts_of

CONTEXT = 2
"""Lines around a change that are shown."""

_COMPARED = 200
"""Lines of a region, before and after together, up to which they are compared line by line."""

_SIGNS = {"\n": "␊", "\r\n": "␍␊", "\r": "␍", "": ""}


class _Region(Struct, frozen=True):
    """Lines from `first` to before `last` become `new`."""

    first: int
    last: int
    new: list[str]


def diff_of_changes(text: str, changes: Sequence[Change]) -> Iterator[str]:
    """The diff of changes whose places are known: ``@@`` lines, and lines that begin with a blank, ``-`` or ``+``.

    Args:
        changes: In the order of their places, none over another.
    """
    lines = lines_of(text)
    starts = starts_of(lines)
    spans: list[tuple[int, int, list[Change]]] = []
    for change in changes:
        first, last = _lines_around(lines, starts, change)
        if spans and first < spans[-1][1]:
            spans[-1] = (spans[-1][0], max(last, spans[-1][1]), [*spans[-1][2], change])
        else:
            spans.append((first, last, [change]))
    return _diff(lines, [_Region(a, b, _after(text, starts, a, b, inside)) for a, b, inside in spans])


def diff_of_texts(before: str, after: str) -> Iterator[str]:
    """The diff of two texts of which nothing else is known."""
    old, new = lines_of(before), lines_of(after)
    return _diff(old, [_Region(0, len(old), new)] if old != new else [])


def _lines_around(lines: list[str], starts: list[int], change: Change) -> tuple[int, int]:
    """The lines that a change touches: the first, and the one after the last."""
    first = line_at(starts, change.start)
    last = min(len(lines), line_at(starts, max(change.start, change.end - 1)) + 1)
    ends_a_line = change.new.endswith(("\n", "\r")) if change.new else change.start == starts[first]
    if last < len(lines) and change.end == starts[last] and not ends_a_line:
        last += 1  # the line that follows is joined to it
    return first, last


def _after(text: str, starts: list[int], first: int, last: int, changes: list[Change]) -> list[str]:
    """Lines of a region as they are after its changes."""
    pieces, at = [], starts[first]
    for change in changes:
        pieces += [text[at : change.start], change.new]
        at = change.end
    return lines_of("".join([*pieces, text[at : starts[last]]]))


def _diff(lines: list[str], regions: list[_Region]) -> Iterator[str]:
    shift = 0
    hunk: list[_Region] = []
    for region in (small for whole in regions for small in _narrowed(lines, whole)):
        if hunk and region.first - hunk[-1].last > 2 * CONTEXT:
            yield from _hunk(lines, hunk, shift)
            shift += sum(len(r.new) - (r.last - r.first) for r in hunk)
            hunk = []
        hunk.append(region)
    if hunk:
        yield from _hunk(lines, hunk, shift)


def _narrowed(lines: list[str], region: _Region) -> Iterator[_Region]:
    """The region without the lines that stay: those at its ends, and those within where there are few."""
    first, last, new = region.first, region.last, region.new
    head = 0
    while head < min(last - first, len(new)) and lines[first + head] == new[head]:
        head += 1
    tail = 0
    while tail < min(last - first, len(new)) - head and lines[last - 1 - tail] == new[len(new) - 1 - tail]:
        tail += 1
    first, last, new = first + head, last - tail, new[head : len(new) - tail]
    if last - first + len(new) > _COMPARED:
        yield _Region(first, last, new)
        return
    for tag, a, b, c, d in SequenceMatcher(None, lines[first:last], new, autojunk=False).get_opcodes():
        if tag != "equal":
            yield _Region(first + a, first + b, new[c:d])


def _hunk(lines: list[str], regions: list[_Region], shift: int) -> Iterator[str]:
    start, end = max(0, regions[0].first - CONTEXT), min(len(lines), regions[-1].last + CONTEXT)
    added = sum(len(region.new) - (region.last - region.first) for region in regions)
    yield f"@@ -{_range(start, end - start)} +{_range(start + shift, end - start + added)} @@"
    usual = (ending_of(lines[0]) if lines else "") or "\n"
    at = start
    for region in regions:
        yield from (_shown(" ", line, usual) for line in lines[at : region.first])
        yield from (_shown("-", line, usual) for line in lines[region.first : region.last])
        yield from (_shown("+", line, usual) for line in region.new)
        at = region.last
    yield from (_shown(" ", line, usual) for line in lines[at:end])


def _range(start: int, length: int) -> str:
    """A hunk's range, as diff counts: from 1, or from the line before where it is empty."""
    return str(start + 1) if length == 1 else f"{start + 1 if length else start},{length}"


def _shown(sign: str, line: str, usual: str) -> str:
    """A line without the text's usual ending. Another ending shows, as it may be all that has changed."""
    ending = ending_of(line)
    return sign + line.removesuffix(ending) + ("" if ending == usual else _SIGNS[ending])
