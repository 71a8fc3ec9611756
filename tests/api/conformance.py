"""Answers against the API's own description of them."""

from __future__ import annotations

import re
from typing import Any

import httpx
from jsonschema import Draft202012Validator


class Conformance:
    """Fails for an answer that the description does not promise.

    Attributes:
        seen: ``METHOD path status`` of every answer so far, with the path as it is described.
    """

    def __init__(self, description: dict[str, Any]) -> None:
        self._description = description
        self.seen: set[str] = set()

    @property
    def promised(self) -> set[str]:
        """Every ``METHOD path status`` of the description."""
        return {
            f"{method.upper()} {path} {status}"
            for path, operations in self._description["paths"].items()
            for method, operation in operations.items()
            for status in operation["responses"]
        }

    def check(self, response: httpx.Response) -> None:
        """A hook for an HTTP client."""
        operation = self._operation(response.request)
        if operation is None:
            return
        path, responses = operation
        where = f"{response.request.method} {path} {response.status_code}"
        promise = responses.get(str(response.status_code))
        assert promise is not None, f"{where} is not described"
        if "content" not in promise:
            assert not response.read(), f"{where} is described as empty"
            self.seen.add(where)
            return
        media_type = response.headers["content-type"].partition(";")[0]
        assert media_type in promise["content"], f"{where}: {media_type} is not described"
        if media_type == "text/event-stream":
            self.seen.add(where)
            return
        response.read()
        schema = promise["content"][media_type]["schema"]
        Draft202012Validator({**schema, "components": self._description["components"]}).validate(response.json())
        for name in promise.get("headers", {}):
            assert name in response.headers, f"{where}: no {name}"
        self.seen.add(where)

    def _operation(self, request: httpx.Request) -> tuple[str, dict[str, Any]] | None:
        for path, operations in self._description["paths"].items():
            pattern = re.sub(r"\{\w+\}", "[^/]+", path)
            operation = operations.get(request.method.lower())
            if operation is not None and re.fullmatch(pattern, request.url.path):
                return path, operation["responses"]
        return None
