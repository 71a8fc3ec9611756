"""A notice, and a gate that one is made of."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from entracte.core.documents.gate import Gate, GateFacts
from entracte.core.payload import Payload
from entracte.ports.notifier import Notice

NOW = datetime(2026, 1, 1, 9, tzinfo=UTC)


def a_notice(**fields: Any) -> Notice:
    """A notice of a gate."""
    given = {"kind": "gate.opened", "run": "r", "gate": "r.1.0.1", "to": ("ops@example.com",)}
    said = {"title": "Send this mail to ada?", "lines": ("Send e-mail", "- to: ada"), "how": "entracte approve r.1.0.1"}
    return Notice(**given | said | fields)


def a_gate(*, facts: dict[str, Any] | None = None, **fields: Any) -> Gate:
    """A gate that waits for its owner, ada."""
    named = {"kind": "approval", "action": "r.1.0", "frame": "r", "session": "s", "owner": "ada", "agent": "desk"}
    given = {"tool": "send", "number": 1, "digest": "sha256:1", "arguments": Payload.of({"to": "ada"})}
    z = GateFacts(**named | given | (facts or {}))
    said = {"question": "Send this mail to ada?", "preview": ("Send e-mail", "- to: ada")}
    return Gate(**{"run": "r", "created": NOW, "z": z} | said | fields)
