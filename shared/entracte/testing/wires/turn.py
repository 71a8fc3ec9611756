"""What a model's service does with one request, before it is worded for a wire."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from entracte.adapters.models.dialect import wire_name
from entracte.core.modelling import ModelRequest, Usage
from entracte.ports.model import Model

COUNTED = Usage(prompt_tokens=20, cached_tokens=8, thinking_tokens=3, output_tokens=5, model_calls=1)
"""What every reply uses, unless it says otherwise."""

SERVED = "served-1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Says:
    """A reply of the model.

    Attributes:
        request: What is asked: it decides in which form a reply travels.
        text: Words, or what stands in place of the JSON that was asked for.
        value: JSON that was asked for; None for none.
        calls: ``(tool, arguments)``, named as the request names them.
        finish: Why it stopped.
        candidates: Whether there is anything at all.
    """

    request: ModelRequest
    text: str = ""
    value: Any = None
    thought: str = ""
    calls: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    finish: Literal["stop", "length", "safety", "blocked_prompt", "malformed_call", "unknown"] = "stop"
    candidates: bool = True
    usage: Usage = COUNTED

    @property
    def wire_calls(self) -> tuple[tuple[str, Mapping[str, Any]], ...]:
        """The calls under the names that travel."""
        return tuple((wire_name(tool), arguments) for tool, arguments in self.calls)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fails:
    """A status that is not 200.

    Attributes:
        retry_after_s: How long the service asks to wait, in its own way.
    """

    status: int
    message: str = "As the test has it."
    retry_after_s: int | None = None


Trouble = Literal["silent", "cut"]
"""No answer at all; a connection that ends before the answer does."""

Turn = Says | Fails | Trouble


class Wire(Protocol):
    """One way to reach models, with a fake service at its end."""

    tells_thinking: bool
    """Whether the service counts thinking apart from output."""

    def serve(self, *turns: Turn, max_retries: int = 0) -> AbstractContextManager[tuple[Model, list[Any]]]:
        """Serve the turns in order, one a request.

        Returns:
            A context with the adapter that asks the service, and the requests that it received so far.
        """
        ...


def in_two(text: str) -> tuple[str, ...]:
    """A text as a stream breaks it."""
    middle = (len(text) + 1) // 2
    return tuple(piece for piece in (text[:middle], text[middle:]) if piece)
