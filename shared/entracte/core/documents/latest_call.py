"""The latest changing call that an owner's MCP clients made of a tool with the same arguments."""

from __future__ import annotations

from entracte.core.documents.base import AwareDatetime, Document


class LatestCall(Document, frozen=True, kw_only=True):
    """Names an action, so that a client which asks again, even after a restart, is answered by what became of it.

    Attributes:
        key: Hash of owner, tool and arguments; its own id.
        told: The client has been told what a person found out about a call in doubt.
        expires: When retention deletes it.
    """

    key: str
    owner: str
    run: str
    action: str
    told: bool = False
    at: AwareDatetime
    expires: AwareDatetime | None = None
