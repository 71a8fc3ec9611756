"""A model for tests that replies as it is told."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from entracte.adapters.models.scripted.model import Script
from entracte.adapters.models.scripted.rules import read_rules
from entracte.core.modelling import ModelReply, ModelRequest, OnDelta


class ScriptedModel:
    """Replies by the rules of a script, or by a function, and remembers what it was asked.

    Args:
        replies: Rules as in a script file, ``[{"when": {…}, "reply": {…}}]``, or a function of the request.

    Attributes:
        requests: Every request so far, in order.
    """

    def __init__(self, replies: Sequence[Mapping[str, Any]] | Callable[[ModelRequest], ModelReply]) -> None:
        self.requests: list[ModelRequest] = []
        self._reply = replies if callable(replies) else None
        rules = [] if callable(replies) else list(replies)
        self._script = Script(read_rules({"version": 1, "replies": rules}, "script"), "script")

    def generate(self, request: ModelRequest, *, deadline_s: float, on_delta: OnDelta | None = None) -> ModelReply:
        """Ask once, as the model port says. A function tells nothing while it writes."""
        self.requests.append(request)
        if self._reply is not None:
            return self._reply(request)
        return self._script.generate(request, deadline_s=deadline_s, on_delta=on_delta)
