"""What is remembered of the caller, over HTTP."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote

Json = Mapping[str, Any]


class OwnMemories:
    """The caller's long-term memory.

    Args:
        ask: Sends a request and gives the answer's JSON; raises the errors of `entracte.errors`.
    """

    def __init__(self, ask: Callable[..., Any]) -> None:
        self._ask = ask

    def list(self, *, limit: int = 100) -> tuple[Json, ...]:
        """The latest ones, at most 200."""
        return tuple(self._ask("GET", "/v1/memories", params={"limit": str(limit)}, again=True)["items"])

    def get(self, memory: str) -> Json:
        """One of them."""
        return dict(self._ask("GET", _one(memory), again=True))

    def everything(self) -> Json:
        """All of them, and whose they are."""
        return dict(self._ask("GET", "/v1/memories/export", again=True))

    def forget(self, memory: str) -> Json:
        """Delete one for good; gives it as it was."""
        return dict(self._ask("DELETE", _one(memory)))

    def forget_all(self) -> int:
        """Delete all, for good. Gives how many there were."""
        return int(self._ask("DELETE", "/v1/memories")["forgotten"])


def _one(memory: str) -> str:
    return f"/v1/memories/{quote(memory, safe='')}"
