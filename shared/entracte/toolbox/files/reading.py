"""Reading files in bounds."""

from __future__ import annotations

import os
from collections.abc import Iterator

from entracte.errors import ToolError
from entracte.toolbox.decoding import decoded
from entracte.toolbox.files.root import Root

PIECE_BYTES = 1024 * 1024

MAX_LINE_CHARS = 2000
"""Of a line that is shown; the rest of it is counted."""


def whole(root: Root, parts: tuple[str, ...], max_bytes: int) -> bytes:
    """A file's bytes.

    Raises:
        ToolError: It is not there, or too long.
    """
    with root.file(parts) as opened:
        size = os.fstat(opened).st_size
        body = b"" if size > max_bytes else b"".join(pieces(opened, max_bytes + 1))
    if size > max_bytes or len(body) > max_bytes:
        raise ToolError(f"{'/'.join(parts)!r} has {max(size, len(body)):,} bytes; at most {max_bytes:,} are read.")
    return body


def pieces(opened: int, max_bytes: int) -> Iterator[bytes]:
    """A file's bytes, a megabyte at most at a time, up to so many: a file may grow while it is read."""
    while max_bytes > 0 and (piece := os.read(opened, min(PIECE_BYTES, max_bytes))):
        max_bytes -= len(piece)
        yield piece


def text_of(body: bytes, shown: str) -> str:
    """A file's text.

    Raises:
        ToolError: It is none.
    """
    text = decoded(body)
    if "\0" in text[:8000]:
        raise ToolError(f"{shown!r} is no text.")
    return text


def shortened(line: str) -> str:
    """A line as it is shown."""
    over = len(line) - MAX_LINE_CHARS
    return line if over <= 0 else f"{line[:MAX_LINE_CHARS]}… {over:,} more characters\n"
