"""A session's artifacts over HTTP."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote

Json = Mapping[str, Any]


class SessionArtifacts:
    """The artifacts that a session sees. A reference is an id, a title, or the only beginning of one.

    Args:
        ask: Sends a request and gives the answer's JSON; raises the errors of `entracte.errors`.
    """

    def __init__(self, ask: Callable[..., Any], session: str) -> None:
        self._ask = ask
        self._path = f"/v1/sessions/{quote(session, safe='')}/artifacts"

    def list(self, *, tag: str = "") -> tuple[Json, ...]:
        """All of them without contents, the one changed last first."""
        return tuple(self._ask("GET", self._path, params={"tag": tag} if tag else {}, again=True)["items"])

    def get(self, reference: str) -> Json:
        """One, with its content."""
        return dict(self._ask("GET", self._one(reference), again=True))

    def create(self, *, title: str, content: str, **fields: Any) -> Json:
        """Put one on the desk.

        Args:
            fields: ``type``, ``tags``, ``active``, ``shared``.
        """
        return dict(self._ask("POST", self._path, json={"title": title, "content": content, **fields}))

    def change(self, reference: str, *, version: str = "", **changes: Any) -> Json:
        """Change its ``title``, ``type``, ``tags``, ``content`` or ``active``.

        Args:
            version: That it must still have; any by default.

        Raises:
            Conflict: It has another version by now.
        """
        return dict(self._ask("PATCH", self._one(reference), json={**changes, "version": version}))

    def delete(self, reference: str) -> Json:
        """Delete one for good; gives it as it was."""
        return dict(self._ask("DELETE", self._one(reference)))

    def _one(self, reference: str) -> str:
        if "/" in reference:  # servers and proxies decode %2F, and take it for the next part of the path
            titles = {item["title"]: str(item["id"]) for item in reversed(self.list())}
            reference = titles.get(reference, reference)
        return f"{self._path}/{quote(reference, safe='')}"
