"""A model for tests that replies as it is told."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from entracte.adapters.models.script_rules import read_rules
from entracte.adapters.models.scripted import Script
from entracte.core.modelling import ModelReply, ModelRequest


class ScriptedModel:
    """Replies by the rules of a script, or by a function, and remembers what it was asked.

    Args:
        replies: Rules as in a script file, ``[{"when": {…}, "reply": {…}}]``, or a function of the request.

    Attributes:
        requests: Every request so far, in order.
    """

    def __init__(self, replies: Sequence[Mapping[str, Any]] | Callable[[ModelRequest], ModelReply]) -> None:
        self.requests: list[ModelRequest] = []
        if callable(replies):
            self._reply = replies
        else:
            script = Script(read_rules({"version": 1, "replies": list(replies)}, "script"), "script")
            self._reply = lambda request: script.generate(request, deadline_s=0)

    def generate(self, request: ModelRequest, *, deadline_s: float) -> ModelReply:
        """Ask once, as the model port says."""
        self.requests.append(request)
        return self._reply(request)
