"""Entracte's own log on the command line: one line a record, tracebacks only for those who debug."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from entracte.cli.terminal.plain_text import one_line
from entracte.cli.terminal.screen import Screen
from entracte.raised_at import raised_at

_LOGGER = logging.getLogger("entracte")


class _Lines(logging.Handler):
    """Shows records above whatever moves on the screen."""

    def __init__(self, screen: Screen, *, tracebacks: bool) -> None:
        super().__init__()
        self._screen = screen
        self._tracebacks = tracebacks

    def emit(self, record: logging.LogRecord) -> None:
        if _is_told_otherwise(record) and not self._tracebacks:
            return
        error = record.exc_info[1] if record.exc_info else None
        cause = f": {type(error).__name__}: {error}{raised_at(error)}" if error is not None else ""
        self._screen.note(one_line(f"{record.levelname.lower()}: {record.getMessage()}{cause}"))
        if self._tracebacks and record.exc_info:
            self._screen.note(logging.Formatter().formatException(record.exc_info))


def _is_told_otherwise(record: logging.LogRecord) -> bool:
    """Whether people hear of it anyway: as a retry, or as what a run has stalled at. Gates are nowhere else told of."""
    words = str(record.msg)
    if words.startswith("message_given_up kind=%s run_id=%s gate="):
        return isinstance(record.args, tuple) and not record.args[2]
    return words.startswith(("message_failed ", "message_again "))


class _Retries(logging.Handler):
    """Tells of messages that came back, such as those of a model server that does not answer."""

    def __init__(self, tell: Callable[[str, int, str], None]) -> None:
        super().__init__(level=logging.INFO)
        self._tell = tell

    def emit(self, record: logging.LogRecord) -> None:
        if str(record.msg).startswith("message_again ") and isinstance(record.args, tuple) and len(record.args) == 4:
            kind, _, attempt, error = record.args
            self._tell(str(kind), int(str(attempt)), str(error))


def set_up_log(screen: Screen, level: str) -> None:
    """Show the log from that level on."""
    logging.getLogger().handlers[:] = [logging.NullHandler()]  # without any, libraries write their warnings themselves
    handler = _Lines(screen, tracebacks=level == "debug")
    handler.setLevel(level.upper())
    _LOGGER.handlers[:] = [handler]
    _LOGGER.setLevel(min(logging.INFO, handler.level))  # retries are told of at any level
    _LOGGER.propagate = False


def is_debugging() -> bool:
    """Whether people want to see where errors come from."""
    return _LOGGER.isEnabledFor(logging.DEBUG)


@contextmanager
def retries_told(tell: Callable[[str, int, str], None]) -> Iterator[None]:
    """Within the block, call `tell(kind, attempt, error)` for every message that will be tried again."""
    handler = _Retries(tell)
    _LOGGER.addHandler(handler)
    try:
        yield
    finally:
        _LOGGER.removeHandler(handler)
