"""Errors as the command line shows them: a line that says what and where, a line that says what to do, an exit code."""

from __future__ import annotations

from msgspec import Struct

from entracte.errors import ConfigurationError, EntracteError, InvalidInput
from entracte.raised_at import raised_at

FAILED = 1
USAGE = 2
WAITING = 3
INTERRUPTED = 130


class Failure(Struct, frozen=True):
    """An error for people."""

    message: str
    remedy: str
    exit_code: int


def reason(error: Exception) -> str:
    """Why something cannot be read or written, in words: of the system's errors without number and path."""
    return str(getattr(error, "strerror", None) or error)


def failure_of(error: BaseException) -> Failure:
    """What to say of an error. One that nobody foresaw says whose it is, and how to see where it comes from."""
    match error:
        case ConfigurationError() | InvalidInput():
            return Failure(error.message, error.remedy, USAGE)
        case EntracteError():
            return Failure(error.message, error.remedy, FAILED)
        case OSError(strerror=str(why), filename=str(file)):
            return Failure(
                f"{file}: {why}.", "See that it may be read and written, and that the disk has room.", FAILED
            )
        case _:
            message = f"{type(error).__name__}: {error}"
            if place := raised_at(error, innermost=True):
                return Failure(f"{message}{place}", "Give --log-level debug to see how it came there.", FAILED)
            return Failure(message, "This is a bug. Give --log-level debug to see where it happened.", FAILED)
