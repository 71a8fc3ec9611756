"""Listing the files of a folder, link by link not followed."""

from __future__ import annotations

import os
import stat
from fnmatch import fnmatchcase
from typing import Any

from entracte.errors import ToolError
from entracte.toolbox.files.root import Root

MAX_SEEN = 20_000
"""Entries of a folder tree that are looked at."""

MAX_SHOWN = 500

MAX_DEPTH = 40


def listed(root: Root, path: str, pattern: str, *, deep: bool) -> dict[str, Any]:
    """Entries whose name or path below the folder matches, by path; folders end with a slash.

    Raises:
        ToolError: There is no such folder.
    """
    start = root.parts(path)
    found: list[dict[str, Any]] = []
    waiting, seen = [start], 0
    while waiting:
        parts = waiting.pop()
        try:
            with root.folder(parts) as folder:
                entries = [(entry.name, entry.stat(follow_symlinks=False)) for entry in _some(folder, MAX_SEEN - seen)]
        except ToolError:
            if parts == start:
                raise
            continue  # taken away, or closed to us
        seen += len(entries)
        for name, status in entries:
            below = "/".join((*parts, name)[len(start) :])
            if not pattern or fnmatchcase(name, pattern) or fnmatchcase(below, pattern):
                found.append(_entry("/".join((*parts, name)), status))
            if deep and stat.S_ISDIR(status.st_mode) and len(parts) < MAX_DEPTH:
                waiting.append((*parts, name))
    found.sort(key=lambda entry: str(entry["path"]))
    more = f"{len(found) - MAX_SHOWN:,} more" if len(found) > MAX_SHOWN else ""
    if seen >= MAX_SEEN:
        more = f"{more or 'no more'} of the {MAX_SEEN:,} entries that were looked at; there are others"
    return {"files": found[:MAX_SHOWN], "more": more}


def _some(folder: int, count: int) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        return [entry for entry, _ in zip(entries, range(count), strict=False)]


def _entry(path: str, status: os.stat_result) -> dict[str, Any]:
    shown = path.encode(errors="backslashreplace").decode()
    match stat.S_IFMT(status.st_mode):
        case stat.S_IFREG:
            return {"path": shown, "bytes": status.st_size}
        case stat.S_IFDIR:
            return {"path": f"{shown}/"}
        case stat.S_IFLNK:
            return {"path": shown, "kind": "link"}
        case _:
            return {"path": shown, "kind": "device or pipe"}
