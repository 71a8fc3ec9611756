"""Decompressing a body piece by piece, so that a small one that swells without end costs no more than its limit."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator

from entracte.errors import ToolError

_PIECE_BYTES = 64 * 1024


class Bounded:
    """A stream up to so many bytes, as they travel: some swell to nothing at all, and never end.

    Attributes:
        cut: There was more.
    """

    def __init__(self, stream: Iterator[bytes], max_bytes: int) -> None:
        self._stream = stream
        self._left = max_bytes
        self.cut = False

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._stream:
            yield piece[: self._left]
            self.cut = len(piece) > self._left
            if self.cut:
                return
            self._left -= len(piece)


def inflated(stream: Iterable[bytes], encoding: str) -> Iterator[bytes]:
    """A body's bytes in pieces of at most 64 KB, however far a piece of the stream swells.

    Args:
        encoding: What the header ``Content-Encoding`` says.

    Raises:
        ToolError: Another encoding than those that were asked for, or it is broken.
    """
    match encoding.strip().lower():
        case "" | "identity":
            yield from stream
        case "gzip" | "x-gzip" | "deflate":
            yield from _unzipped(stream)
        case other:
            raise ToolError(f"The answer is encoded as {other[:40]!r}, which was not asked for.")


def _unzipped(stream: Iterable[bytes]) -> Iterator[bytes]:
    unzip = None
    for piece in stream:
        if unzip is None and piece:
            unzip = zlib.decompressobj(_window(piece))
        while unzip is not None and piece and not unzip.eof:
            try:
                out = unzip.decompress(piece, _PIECE_BYTES)
            except zlib.error as error:
                raise ToolError(f"The answer cannot be decompressed: {error}.") from None
            piece = unzip.unconsumed_tail
            yield out
    if unzip is not None:
        yield unzip.flush()  # a few KB at most: what a last byte or two stood for


def _window(first: bytes) -> int:
    """How zlib has to read it. gzip and zlib show themselves; some servers send bare deflate (RFC 9110, 8.4.1.2)."""
    is_zlib = len(first) > 1 and first[0] & 0x0F == 8 and (first[0] << 8 | first[1]) % 31 == 0
    return 47 if first[:1] == b"\x1f" or is_zlib else -zlib.MAX_WBITS
