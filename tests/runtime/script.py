"""A model that says what a test has written down for it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from entracte.core.modelling import Fault, FaultKind, ModelReply, ModelRequest, OnDelta, Usage, WantedCall
from entracte.errors import EntracteError

Line = ModelReply | EntracteError | Callable[[ModelRequest], ModelReply] | str | dict[str, Any]
"""What the model says: a reply, an error of its service, a function of the request, or a bare value."""

USAGE = Usage(prompt_tokens=100, output_tokens=10)


def calls(*wanted: tuple[str, Any], thought: str = "") -> ModelReply:
    """A reply that asks for calls: ``("look_up", {"name": "Ada"})``."""
    return ModelReply(calls=tuple(WantedCall(tool, arguments) for tool, arguments in wanted), thought=thought)


def fault(kind: FaultKind = "empty", message: str = "The reply was empty.") -> ModelReply:
    """A reply that cannot be used."""
    return ModelReply(fault=Fault(kind, message))


def judging(
    state: Mapping[str, Any] | None = None, *, verdict: str = "ok", note: str = ""
) -> Callable[[ModelRequest], ModelReply]:
    """Evaluate's reply: the same verdict on every call, and a diff."""

    def reply(request: ModelRequest) -> ModelReply:
        verdicts = [{"call": call["call"], "verdict": verdict, "note": note} for call in results(request)]
        return ModelReply(value={"verdicts": verdicts, "state": dict(state or {})})

    return reply


def results(request: ModelRequest) -> list[dict[str, Any]]:
    """What an evaluate request shows of the step's calls."""
    shown: list[dict[str, Any]] = json.loads(request.part("results"))
    return shown


class Script:
    """Model port: each frame hears the lines of its agent one after the other, the last one for ever.

    Args:
        plans: Lines by agent for choosing calls or answering; a bare sequence is agent ``desk``'s.
        interpret, evaluate, route, merge, and others by what they are for: Lines of every agent.

    Attributes:
        requests: What was asked, in order.
    """

    def __init__(
        self,
        plans: Mapping[str, Sequence[Line]] | Sequence[Line],
        *,
        interpret: Sequence[Line] = ({"goals": [], "tasks": []},),
        evaluate: Sequence[Line] = (judging(),),
        route: Sequence[Line] = (),
        merge: Sequence[Line] = ({"merges": []},),
        **others: Sequence[Line],
    ) -> None:
        self._plans = plans if isinstance(plans, Mapping) else {"desk": plans}
        self._others: dict[str, Sequence[Line]] = {
            "interpret": interpret,
            "evaluate": evaluate,
            "route": route,
            "merge": merge,
            **others,
        }
        self._said: Counter[tuple[str, str]] = Counter()
        self.requests: list[ModelRequest] = []

    def generate(self, request: ModelRequest, *, deadline_s: float, on_delta: OnDelta | None = None) -> ModelReply:
        self.requests.append(request)
        lines = self._others.get(request.purpose) or self._plans[request.agent]
        line = lines[min(self._said[request.purpose, request.frame], len(lines) - 1)]
        self._said[request.purpose, request.frame] += 1
        match line:
            case EntracteError():
                raise line
            case ModelReply():
                reply = line
            case str() | dict():
                reply = ModelReply(value=line)
            case _:
                reply = line(request)
        return (
            reply
            if reply.usage != Usage()
            else ModelReply(
                calls=reply.calls,
                value=reply.value,
                thought=reply.thought,
                fault=reply.fault,
                usage=USAGE,
                served="script-1",
            )
        )

    def asked(self, purpose: str, agent: str = "desk") -> list[ModelRequest]:
        """Requests of a purpose that an agent made."""
        return [request for request in self.requests if (request.purpose, request.agent) == (purpose, agent)]
