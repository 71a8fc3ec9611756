"""What operators do behind the API, as `Client.operations` offers it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote

Json = Mapping[str, Any]


class Operations:
    """Upkeep of a deployment. Everybody who is not one of its operators is refused.

    Args:
        ask: Sends a request and gives the answer's JSON; raises the errors of `entracte.errors`.
    """

    def __init__(self, ask: Callable[..., Any]) -> None:
        self._ask = ask

    def erase(self, owner: str, *, dry_run: bool = True) -> Json:
        """Delete what is kept of an owner, for good; by default only say what it is.

        Takes 20 seconds at most: until the answer is ``complete``, ask again.

        Raises:
            Conflict: One of their runs is open.
        """
        return dict(self._ask("POST", "/v1/erasures", json={"owner": owner, "dry_run": dry_run}))

    def letters(self, *, limit: int = 50) -> tuple[Json, ...]:
        """Messages that nobody could read, the one that came last first; at most 200."""
        return tuple(self._ask("GET", "/v1/letters", params={"limit": str(limit)}, again=True)["items"])

    def drop_letter(self, letter: str) -> Json:
        """Delete one; gives what is shown of it."""
        return dict(self._ask("DELETE", f"/v1/letters/{quote(letter, safe='')}"))
