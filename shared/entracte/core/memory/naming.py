"""What memories are called."""

from __future__ import annotations

import hashlib
import re

from entracte.errors import NotFound

_ID = re.compile(r"m_[0-9a-f]{12}")

_WHERE = "Ids are those of entracte memories list, of GET /v1/memories, and of an agent's recall."


def memory_id(key: str) -> str:
    """Id of the memory that comes of this: a call's idempotency key, or a run and a number."""
    return f"m_{hashlib.sha256(key.encode()).hexdigest()[:12]}"


def is_id(reference: str) -> bool:
    """Whether it has the form of an id; nothing else becomes part of a path."""
    return bool(_ID.fullmatch(reference))


def absent(reference: str) -> NotFound:
    """The error for an id of nothing."""
    return NotFound(f"There is no memory {reference[:80]!r}.", code="memory_not_found", remedy=_WHERE)
