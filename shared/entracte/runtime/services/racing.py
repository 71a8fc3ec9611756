"""Writing what others write as well: read, decide, commit; and all of it again where somebody was faster."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from entracte.errors import AmbiguousCommit, RetryableError, StaleWrite, StoreUnavailable

MAX_RACES = 8

T = TypeVar("T")


def raced(attempt: Callable[[bool], T], what: str, pause: Callable[[int], object]) -> T:
    """What the first try gives that is written for certain.

    Args:
        attempt: Reads, decides and commits. Is given whether the try before it may have been written all the same, of
            which what it reads has to tell.
        what: For errors.
        pause: Waits a little after so many tries.

    Raises:
        RetryableError: Every race was lost (code ``contended``): nothing was written.
        AmbiguousCommit: Nobody knows whether it was.
    """
    unclear = False
    for race in range(1, MAX_RACES + 1):
        try:
            return attempt(unclear)
        except StaleWrite:
            unclear = False
        except AmbiguousCommit:
            unclear = True
        except StoreUnavailable as error:
            if unclear:  # or its caller would say that nothing was written
                raise AmbiguousCommit(f"Nobody knows whether {what} was written: {error.message}") from None
            raise
        pause(race)
    if unclear:
        raise AmbiguousCommit(f"Nobody knows whether {what} was written.")
    raise RetryableError(f"Lost {MAX_RACES} races for {what}.", code="contended")
