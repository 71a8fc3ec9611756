"""Rows in columns, without a blank at the end of any line: what goes into a pipe is read by programs too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

_GAP = 2


def in_columns(rows: Sequence[Sequence[Text]], *, right: frozenset[int] = frozenset()) -> Iterator[Text]:
    """A line for each row, each column as wide as its widest cell.

    Args:
        right: Columns that are aligned to the right.
    """
    widths = [max(cell.cell_len for cell in column) for column in zip(*rows, strict=True)]
    for row in rows:
        line = Text(no_wrap=True, overflow="ellipsis")
        for index, (cell, width) in enumerate(zip(row, widths, strict=True)):
            blanks = " " * (width - cell.cell_len)
            is_last = index == len(row) - 1
            line += Text(blanks) + cell if index in right else cell + Text("" if is_last else blanks)
            line += Text("" if is_last else " " * _GAP)
        yield line
