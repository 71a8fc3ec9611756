"""The `tool` decorator: a typed function becomes a tool."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, overload

from entracte.adapters.python.function import PythonFunction, read_function
from entracte.core.tool_spec import Effect, ToolSpec
from entracte.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: what is known of it, and the function that does it. Calling it calls the function."""

    spec: ToolSpec
    function: PythonFunction

    @property
    def name(self) -> str:
        return self.spec.name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function.call(*args, **kwargs)


@overload
def tool(function: Callable[..., Any], /) -> Tool: ...
@overload
def tool(
    *,
    name: str = "",
    effect: Effect | None = None,
    evaluation: str = "",
    timeout_s: float = 30,
    idempotent: bool = False,
    persist: bool = False,
) -> Callable[[Callable[..., Any]], Tool]: ...
def tool(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str = "",
    effect: Effect | None = None,
    evaluation: str = "",
    timeout_s: float = 30,
    idempotent: bool = False,
    persist: bool = False,
) -> Tool | Callable[[Callable[..., Any]], Tool]:
    """Make a tool of a function. Signature and docstring give its schema, its summary (first line) and its instruction.

    Args:
        name: Name that agents call it by; the function's own by default.
        effect: ``readonly`` for a tool that changes nothing. Without it, the tool counts as one that may.
        evaluation: By what a result is judged, such as "At least one hit; else broaden the query and retry."
        timeout_s: Seconds a call may take.
        idempotent: A second call with the same ``ctx.idempotency_key`` does nothing more.
        persist: Results are worth keeping as artifacts. Recorded with the tool; nothing saves artifacts yet.

    Raises:
        ConfigurationError: The function cannot be a tool; says why.
    """

    def make(function: Callable[..., Any]) -> Tool:
        read = read_function(function)
        label = name or function.__name__
        if effect not in (None, "readonly", "changing"):
            raise ConfigurationError(
                f"Tool {label!r}: effect is {effect!r}.", remedy="Write 'readonly', or leave it out."
            )
        if timeout_s <= 0:
            raise ConfigurationError(f"Tool {label!r}: timeout_s is {timeout_s}; it must be more than 0 seconds.")
        summary, _, instruction = inspect.cleandoc(function.__doc__ or "").partition("\n")
        if not summary:
            raise ConfigurationError(
                f"Tool {label!r} has no docstring.", remedy="Its first line tells the model what it does."
            )
        spec = ToolSpec(
            name=label,
            summary=summary.strip(),
            instruction=instruction.strip(),
            parameters=read.parameters,
            effect=effect or "changing",
            evaluation=evaluation,
            timeout_s=timeout_s,
            idempotent=idempotent,
            persist=persist,
        )
        return Tool(spec, read)

    return make if function is None else make(function)
