"""A folder that paths cannot leave, whatever links lie in it and whoever moves them meanwhile.

A path is resolved first, so that links within the folder are good; what it resolves to is then opened part by part, and
no part may be a link any more: whoever puts one there in between gains nothing (openat(2), O_NOFOLLOW).
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path

from entracte.errors import ConfigurationError, ToolError

MAX_PATH_CHARS = 1000

MAX_NAMED = 12
"""Names that somebody is told who asked for one that is not there."""


class Root:
    """One folder.

    Attributes:
        path: Absolute, without links.
    """

    def __init__(self, path: str | Path) -> None:
        """Look at it.

        Raises:
            ConfigurationError: It is no folder.
        """
        self.path = Path(path).resolve()
        if not self.path.is_dir():
            raise ConfigurationError(f"{str(path)!r} is no folder.", remedy="Give file tools one that is there.")

    def parts(self, path: str) -> tuple[str, ...]:
        """The names that lead from the folder to what a path means, links resolved; none for the folder itself.

        Args:
            path: Relative to the folder, with slashes. What it names need not be there.

        Raises:
            ToolError: It leads out of the folder, or is no path.
        """
        if len(path) > MAX_PATH_CHARS or "\0" in path or not _encodable(path):
            raise ToolError(f"{path[:200]!r} is no path.")
        try:
            return (self.path / path).resolve().relative_to(self.path).parts
        except (ValueError, OSError, RuntimeError):  # outside; a loop of links
            raise ToolError(f"{path!r} leads out of the folder.", remedy="Give a path within it.") from None

    @contextmanager
    def folder(self, parts: tuple[str, ...], *, make: bool = False) -> Iterator[int]:
        """A descriptor of the folder that these names lead to.

        Args:
            make: Make what is not there.

        Raises:
            ToolError: There is no such folder, or a link has been put on the way.
        """
        at = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            for index, name in enumerate(parts):
                shown = "/".join(parts[: index + 1])
                with _told(shown, at):
                    if make:
                        with suppress(FileExistsError):
                            os.mkdir(name, dir_fd=at)
                    inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=at)
                os.close(at)
                at = inner
            yield at
        finally:
            os.close(at)

    @contextmanager
    def file(self, parts: tuple[str, ...]) -> Iterator[int]:
        """A descriptor of the regular file that these names lead to, for reading.

        Raises:
            ToolError: There is no such file, or it is no regular one.
        """
        shown = "/".join(parts)
        if not parts:
            raise ToolError("The folder itself is no file.")
        with self.folder(parts[:-1]) as folder, _told(shown, folder):
            # Without O_NONBLOCK, opening a pipe would wait for somebody who writes into it.
            opened = os.open(parts[-1], os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
        try:
            if not stat.S_ISREG(os.fstat(opened).st_mode):
                raise ToolError(f"{shown!r} is no regular file.")
            yield opened
        finally:
            os.close(opened)

    def missing(self, parts: tuple[str, ...]) -> int:
        """How many of the last names have nothing behind them."""
        for there in range(len(parts), 0, -1):
            if os.path.lexists(self.path.joinpath(*parts[:there])):
                return len(parts) - there
        return len(parts)


@contextmanager
def _told(shown: str, folder: int) -> Iterator[None]:
    """Say what is wrong with a path in words for an agent.

    Args:
        folder: Where its last name was looked for.
    """
    try:
        yield
    except FileNotFoundError:
        raise ToolError(f"There is no {shown!r}.", remedy=f"What there is: {_some_of(folder)}.") from None
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise ToolError(f"{shown!r} is no folder, or a link that has just been put there.") from None
        raise ToolError(f"{shown!r} cannot be opened: {error.strerror}.") from None


def _some_of(folder: int) -> str:
    with os.scandir(folder) as entries:
        names = [entry.name for entry in islice(entries, MAX_NAMED + 1)]
    told = [name.encode(errors="backslashreplace").decode() for name in sorted(names[:MAX_NAMED])]
    return ", ".join([*told, "…"] if len(names) > MAX_NAMED else told) or "nothing"


def _encodable(path: str) -> bool:
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        return False
    return True
