"""Writing a file as a whole, and putting back what was there, to the last byte.

What is to be written is written beside the file first and then takes its place at once: nobody ever reads half of it.
"""

from __future__ import annotations

import os
import stat
from base64 import b64decode, b64encode
from contextlib import suppress
from hashlib import sha256
from typing import Any
from uuid import uuid4

from entracte.errors import ToolError
from entracte.toolbox.files.reading import whole
from entracte.toolbox.files.root import Root

MAX_BYTES = 1_000_000
"""Of a file that is written over: more could not be kept for undo."""


def version_of(body: bytes | None) -> str:
    """Equal for equal contents; ``new`` where there is no file."""
    return "new" if body is None else sha256(body).hexdigest()[:16]


def present(root: Root, parts: tuple[str, ...]) -> bytes | None:
    """What is in the file now, or None when there is none.

    Raises:
        ToolError: Something else is there, or too much.
    """
    return None if root.missing(parts) else whole(root, parts, MAX_BYTES)


def record_of(root: Root, parts: tuple[str, ...]) -> dict[str, Any]:
    """Everything that it takes to put back a file, or its absence.

    ``new_folders`` says how many of the folders on the way are not there.
    """
    missing = root.missing(parts)
    if missing:
        return {"there": False, "new_folders": missing - 1}
    body = whole(root, parts, MAX_BYTES)
    with root.file(parts) as opened:
        mode = stat.S_IMODE(os.fstat(opened).st_mode)
    try:
        content, encoding = body.decode(), "utf-8"
    except UnicodeDecodeError:
        content, encoding = b64encode(body).decode(), "base64"
    return {"there": True, "content": content, "encoding": encoding, "mode": mode}


def put(root: Root, parts: tuple[str, ...], body: bytes, mode: int | None = None) -> None:
    """Make a file have this content. Keeps the mode of a file that is there; makes folders that are not.

    Raises:
        ToolError: It cannot; nothing has changed, but for folders.
    """
    shown = "/".join(parts)
    with root.folder(parts[:-1], make=True) as folder:
        if mode is None:
            try:
                mode = stat.S_IMODE(os.stat(parts[-1], dir_fd=folder, follow_symlinks=False).st_mode)
            except FileNotFoundError:
                mode = 0o644
        beside = f".{uuid4().hex}.tmp"
        try:
            opened = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=folder)
            with os.fdopen(opened, "wb") as file:
                file.write(body)
                file.flush()
                os.fchmod(file.fileno(), mode)
                os.fsync(file.fileno())
            os.replace(beside, parts[-1], src_dir_fd=folder, dst_dir_fd=folder)
        except OSError as error:
            with suppress(OSError):
                os.unlink(beside, dir_fd=folder)
            raise ToolError(f"{shown!r} cannot be written: {error.strerror}.") from None


def put_back(root: Root, parts: tuple[str, ...], record: dict[str, Any]) -> None:
    """Make it what it was: the file with its mode, or no file and none of the folders that were made for it."""
    if record["there"]:
        content = str(record["content"])
        body = b64decode(content) if record["encoding"] == "base64" else content.encode()
        put(root, parts, body, int(record["mode"]))
        return
    if not root.missing(parts):
        with root.folder(parts[:-1]) as folder:
            os.unlink(parts[-1], dir_fd=folder)
    for depth in range(len(parts) - 1, len(parts) - 1 - int(record["new_folders"]), -1):
        try:
            with root.folder(parts[: depth - 1]) as folder:
                os.rmdir(parts[depth - 1], dir_fd=folder)
        except (OSError, ToolError):
            return  # not empty: somebody has put something there since, which is theirs
