"""Where tools keep what they change on this machine: beside the runs, so that an undo finds both from any folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

_BESIDE: ContextVar[Path | None] = ContextVar("beside", default=None)


def data_folder() -> Path:
    """Folder of the store that keeps the runs, as an absolute path: the nearest ``.entracte`` above, as for commands.

    Within a network's `deps` it is that of the store that is open, whatever named it. Where runs are kept in memory or
    in Firestore, it is ``.entracte`` in the current folder.
    """
    if (beside := _BESIDE.get()) is not None:
        return beside
    from entracte.runtime.settings import folder_of, read_settings  # not in functions, whose tools keep no files

    return folder_of(read_settings().store)


@contextmanager
def data_beside(folder: Path | None) -> Iterator[None]:
    """Have `data_folder` give this one until the end of the block; None leaves it to find one."""
    token = _BESIDE.set(folder)
    try:
        yield
    finally:
        _BESIDE.reset(token)
