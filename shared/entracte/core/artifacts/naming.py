"""What artifacts are called: ids, and references by id or title."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from entracte.core.documents.artifact import Artifact
from entracte.errors import NotFound

MAX_CANDIDATES = 10
"""Artifacts that an error names."""

_ID = re.compile(r"a_[0-9a-f]{12}")


def artifact_id(key: str) -> str:
    """Id of the artifact that a call with this idempotency key makes."""
    return f"a_{hashlib.sha256(key.encode()).hexdigest()[:12]}"


def is_id(reference: str) -> bool:
    """Whether it has the form of an id."""
    return bool(_ID.fullmatch(reference))


def find(reference: str, artifacts: Sequence[Artifact]) -> Artifact:
    """The artifact of that id or title, or the only one whose id or title begins so, in capitals or not.

    Raises:
        NotFound: None, or more than one; names the candidates (code ``artifact_not_found``, ``artifact_ambiguous``).
    """
    wanted = " ".join(reference.split())
    exact = [a for a in artifacts if wanted in (a.id, a.title)]
    begun = [a for a in artifacts if a.title.casefold().startswith(wanted.casefold()) or a.id.startswith(wanted)]
    found = exact or (begun if wanted else [])
    match found:
        case [artifact]:
            return artifact
        case []:
            raise absent(reference, artifacts)
        case _:
            raise NotFound(
                f"{len(found)} artifacts are called {reference[:80]!r} or begin so: {_named(found)}.",
                remedy="Give the id.",
                code="artifact_ambiguous",
            )


def absent(reference: str, others: Sequence[Artifact] = ()) -> NotFound:
    """The error for a reference to nothing."""
    there = f" There are: {_named(others)}." if others else ""
    return NotFound(f"There is no artifact {reference[:80]!r}.{there}", code="artifact_not_found")


def _named(artifacts: Sequence[Artifact]) -> str:
    named = [f"{a.title!r} ({a.id})" for a in artifacts[:MAX_CANDIDATES]]
    more = len(artifacts) - len(named)
    return ", ".join(named) + (f" and {more} more" if more else "")
