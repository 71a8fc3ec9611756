"""What Firestore's errors mean to the caller of a store. Each of them means something: none is let through.

https://cloud.google.com/firestore/docs/understand-error-codes
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from google.api_core import exceptions
from google.auth.exceptions import GoogleAuthError

from entracte.errors import (
    AmbiguousCommit,
    ConfigurationError,
    EntracteError,
    InvalidInput,
    StaleWrite,
    StoreUnavailable,
)
from entracte.ports.store import INDEX_MISSING


@contextmanager
def faults(place: str, meaning: Callable[[str, Exception], EntracteError]) -> Iterator[None]:
    """Around a call of the client.

    Args:
        place: The database, for messages.
        meaning: `commit_fault` or `read_fault`.
    """
    try:
        yield
    except (exceptions.GoogleAPIError, GoogleAuthError) as error:
        raise meaning(place, error) from error


def commit_fault(place: str, error: Exception) -> EntracteError:
    """What an error of a commit means."""
    match error:
        case exceptions.AlreadyExists() | exceptions.FailedPrecondition() | exceptions.Aborted():
            return StaleWrite(f"{place}: a document has changed since it was read: {error}")
        case exceptions.NotFound() if _says_no_database(error):
            return _wrong_set_up(place, error)
        case exceptions.NotFound():
            return StaleWrite(f"{place}: a document is gone: {error}")
        case exceptions.InvalidArgument():
            return InvalidInput(f"{place} refuses a write: {error}")
        case exceptions.PermissionDenied() | exceptions.Unauthenticated():
            return _wrong_set_up(place, error)
        case exceptions.ResourceExhausted() | GoogleAuthError():
            return StoreUnavailable(f"{place} took no write: {error}")
        case _:
            return AmbiguousCommit(f"{place} did not say whether it committed: {error}")


def read_fault(place: str, error: Exception) -> EntracteError:
    """What an error of a read means."""
    match error:
        case exceptions.InvalidArgument():
            return InvalidInput(f"{place} refuses to read: {error}")
        case exceptions.FailedPrecondition():
            # The message holds a link that makes the missing index.
            return ConfigurationError(
                f"{place} cannot answer: {error}", remedy="Deploy the indexes.", code=INDEX_MISSING
            )
        case exceptions.PermissionDenied() | exceptions.Unauthenticated() | exceptions.NotFound():
            return _wrong_set_up(place, error)
        case _:
            return StoreUnavailable(f"{place} cannot be read: {error}")


def _says_no_database(error: exceptions.NotFound) -> bool:
    return "database" in str(error.message).split("projects/")[0].lower()


def _wrong_set_up(place: str, error: Exception) -> ConfigurationError:
    return ConfigurationError(
        f"{place} cannot be used: {error}",
        remedy="The database must exist, and the service account needs roles/datastore.user on its project.",
    )
