"""An app on somebody's device: Firestore's REST API, which asks the rules as the Firebase SDK does.

The emulator takes a token that nobody signed (``alg: none``) for the user it names.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx

ALLOWED, DENIED = 200, 403


@dataclass(frozen=True, slots=True)
class Database:
    """The database of one project in the emulator.

    Attributes:
        http: With the emulator's address as its base.
    """

    http: httpx.Client
    project: str

    def set_rules(self, source: str) -> None:
        """Have all requests but those of the functions ask these rules. Fails if they are not understood."""
        files = [{"name": "firestore.rules", "content": source}]
        answer = self.http.put(f"/emulator/v1/projects/{self.project}:securityRules", json={"rules": {"files": files}})
        assert answer.status_code == ALLOWED, answer.text

    def url(self, path: str) -> str:
        """Where a document is; the root of all for an empty path."""
        return f"/v1/projects/{self.project}/databases/(default)/documents{f'/{path}' if path else ''}"


@dataclass(frozen=True, slots=True)
class App:
    """What one user's app asks for. Each method gives the HTTP status: ALLOWED or DENIED.

    Attributes:
        claims: Of the user's token, as Firebase writes them; None when nobody has signed in.
    """

    database: Database
    claims: Mapping[str, Any] | None

    def read(self, path: str) -> int:
        """Read a document."""
        return self._status("GET", path)

    def ask(self, parent: str, query: Mapping[str, Any]) -> tuple[int, list[str]]:
        """Run a query below a document, or at the top for an empty path; gives also the ids that were found."""
        url = f"{self.database.url(parent)}:runQuery"
        answer = self.database.http.post(url, json={"structuredQuery": query}, headers=self._headers())
        found = [row["document"]["name"] for row in answer.json() if "document" in row]
        return answer.status_code, [name.rpartition("/")[2] for name in found]

    def write(self, path: str, fields: Mapping[str, Any]) -> int:
        """Change some fields of a document, which is made when it is not there."""
        return self._status("PATCH", path, {"updateMask.fieldPaths": list(fields)}, {"fields": _encoded(fields)})

    def delete(self, path: str) -> int:
        """Remove a document."""
        return self._status("DELETE", path)

    def _status(self, method: str, path: str, params: Mapping[str, Any] | None = None, body: Any = None) -> int:
        url, headers = self.database.url(path), self._headers()
        return self.database.http.request(method, url, params=params, json=body, headers=headers).status_code

    def _headers(self) -> dict[str, str]:
        if self.claims is None:
            return {}
        parts = ({"alg": "none", "typ": "JWT"}, self.claims)
        header, claims = (base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts)
        return {"Authorization": f"Bearer {header}.{claims}."}


def user(database: Database, uid: str, *, email: str = "", verified: bool = True) -> App:
    """The app of somebody who has signed in."""
    proof = {"email": email, "email_verified": verified} if email else {}
    return App(database, {"sub": uid, "user_id": uid, "aud": database.project, **proof})


def field(name: str, op: str, value: str) -> dict[str, Any]:
    """One condition of a query."""
    return {"fieldFilter": {"field": {"fieldPath": name}, "op": op, "value": {"stringValue": value}}}


def query(collection: str, *conditions: dict[str, Any], newest_first: str = "") -> dict[str, Any]:
    """A query, as the SDK sends it."""
    asked: dict[str, Any] = {"from": [{"collectionId": collection}]}
    if conditions:
        asked["where"] = {"compositeFilter": {"op": "AND", "filters": list(conditions)}}
    if newest_first:
        asked["orderBy"] = [{"field": {"fieldPath": newest_first}, "direction": "DESCENDING"}]
    return asked


def _encoded(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Top-level fields; ``z.owner`` makes a map."""
    encoded: dict[str, Any] = {}
    for name, value in fields.items():
        top, _, inner = name.partition(".")
        encoded[top] = {"mapValue": {"fields": {inner: _value(value)}}} if inner else _value(value)
    return encoded


def _value(value: Any) -> dict[str, Any]:
    match value:
        case str():
            return {"stringValue": value}
        case bool():
            return {"booleanValue": value}
        case list():
            return {"arrayValue": {"values": [_value(item) for item in value]}}
        case _:
            raise TypeError(f"{type(value).__name__} is not used by these tests")
