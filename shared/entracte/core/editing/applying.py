"""Applying edits: every snippet is looked for in the text as it was, and all of the edits apply or none."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from msgspec import Struct

from entracte.core.editing.edit import Change, Edit
from entracte.core.editing.finding import MAX_PLACES, Searched
from entracte.core.editing.indentation import reindented
from entracte.core.editing.lines import ending_of, lines_of, with_endings
from entracte.errors import InvalidInput

MAX_EDITS = 100
"""Edits of one call."""

_SHOWN = 60
"""Characters of a snippet that an error quotes."""


class Edited(Struct, frozen=True):
    """A text after its edits.

    Attributes:
        changes: In the order of their places.
    """

    text: str
    changes: tuple[Change, ...]


def apply_edits(text: str, edits: Sequence[Edit]) -> Edited:
    """Apply all of the edits, or none.

    Raises:
        InvalidInput: A snippet that is not there or stands there more than once, or edits that overlap. Names every
            fault and its place (code ``edit_refused``).
    """
    if not 0 < len(edits) <= MAX_EDITS:
        raise _refused([f"There are {len(edits)} edits; one call takes 1 to {MAX_EDITS}."])
    searched = Searched(text)
    located = [_located(searched, edit, number) for number, edit in enumerate(edits, 1)]
    if faults := [found for found in located if isinstance(found, str)]:
        raise _refused(faults)
    numbered = sorted(
        ((change, number) for number, change in enumerate(located, 1) if isinstance(change, Change)),
        key=lambda pair: (pair[0].start, pair[0].end),
    )
    if faults := [
        f"Edits {min(a, b)} and {max(a, b)} overlap at line {second.line}: make them one."
        for (first, a), (second, b) in pairwise(numbered)
        if second.start < first.end or second.start == first.start
    ]:
        raise _refused(faults)
    changes = tuple(change for change, _ in numbered)
    pieces, at = [], 0
    for change in changes:
        pieces += [text[at : change.start], change.new]
        at = change.end
    return Edited("".join([*pieces, text[at:]]), changes)


def _located(searched: Searched, edit: Edit, number: int) -> Change | str:
    """The edit at its place, or why it has none."""
    if not edit.search:
        if searched.text:
            return f"Edit {number} has nothing to search for: quote the text that it replaces."
        return Change(start=0, end=0, new=edit.replace, line=1, how="exact")
    how, places = searched.places(edit.search)
    match places:
        case []:
            return _missing(searched, edit, number)
        case [(start, end)]:
            new = _fitted(searched, edit, start, end, reindent=how == "indentation")
            return Change(start=start, end=end, new=new, line=searched.line(start), how=how)
        case _:
            lines = ", ".join(str(searched.line(start)) for start, _ in places[:MAX_PLACES])
            times = f"more than {MAX_PLACES}" if len(places) > MAX_PLACES else len(places)
            return (
                f"Edit {number}: {_quoted(edit.search)} stands there {times} times, at lines {lines}: "
                "quote more of what is around the one that is meant."
            )


def _missing(searched: Searched, edit: Edit, number: int) -> str:
    told = f"Edit {number}: {_quoted(edit.search)} is not there"
    first = next((line for line in lines_of(edit.search) if line.strip()), "")
    if alike := searched.lines_like(first):
        return f"{told}; its first line is, at line {', '.join(map(str, alike))}, but what follows differs."
    return f"{told}: copy the text exactly as it stands there."


def _fitted(searched: Searched, edit: Edit, start: int, end: int, *, reindent: bool) -> str:
    """The replacement with the place's indentation and line endings."""
    new = edit.replace
    if reindent:
        wanted, first = lines_of(edit.search), searched.line(start) - 1
        new = "".join(reindented(lines_of(new), wanted, searched.lines[first : first + len(wanted)]))
    if edit.search.endswith(("\n", "\r")) and not searched.text[start:end].endswith(("\n", "\r")):
        new = new.removesuffix("\n").removesuffix("\r")  # the text's last line, which has no ending
    if "\r" in edit.search:  # whoever wrote it sees line endings, and means those of the replacement
        return new
    ending = _ending_near(searched, start)
    return with_endings(new, ending) if ending else new


def _ending_near(searched: Searched, offset: int) -> str:
    """How the line at an offset ends; for the last line, how the one before does."""
    if not searched.lines:
        return ""
    line = searched.line(offset) - 1
    return ending_of(searched.lines[line]) or (ending_of(searched.lines[line - 1]) if line else "")


def _quoted(snippet: str) -> str:
    first = next((line for line in lines_of(snippet) if line.strip()), snippet).strip("\r\n")
    return repr(first if len(first) <= _SHOWN else f"{first[:_SHOWN]}…")


def _refused(faults: Sequence[str]) -> InvalidInput:
    return InvalidInput(
        " ".join([*faults[:10], *([f"And {len(faults) - 10} more faults."] if len(faults) > 10 else [])]),
        remedy="Nothing was changed.",
        code="edit_refused",
    )
