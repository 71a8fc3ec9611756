"""The `tool` decorator: a typed function becomes a tool."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, overload

from msgspec import Struct
from msgspec.structs import replace

from entracte.adapters.python.context import ToolContext
from entracte.adapters.python.function import PythonFunction, read_function
from entracte.core.calls import Prepared
from entracte.core.documents.artifact import ArtifactType
from entracte.core.policy.own_rule import read_own_rule
from entracte.core.tool_spec import Effect, ToolSpec
from entracte.errors import ConfigurationError


class Tool(Struct, frozen=True):
    """A tool: what is known of it, and the function that does it. Calling it calls the function.

    Attributes:
        needs: Tools that its own rule calls, to read what a call changes and to take the call back. A network that has
            the tool has these too.
    """

    spec: ToolSpec
    function: PythonFunction
    needs: tuple[Tool, ...] = ()

    @property
    def name(self) -> str:
        return self.spec.name

    def gated(self, gate: Literal["always", "never"]) -> Tool:
        """The same tool, with a person asked before every call of it, or before none.

        Raises:
            ConfigurationError: It brings no rule along; the manifest says when a person is asked.
        """
        if self.spec.rule is None:
            raise ConfigurationError(
                f"Tool {self.name!r} has no rule of its own.", remedy="Write its gate into the policy manifest."
            )
        return replace(self, spec=replace(self.spec, rule=replace(self.spec.rule, gate=gate)))

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
    persist: bool | ArtifactType = False,
    artifacts: bool = False,
    rule: Mapping[str, Any] | None = None,
    needs: Sequence[Tool] = (),
    prepare: Callable[[dict[str, Any], ToolContext[Any]], Prepared] | None = None,
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
    persist: bool | ArtifactType = False,
    artifacts: bool = False,
    rule: Mapping[str, Any] | None = None,
    needs: Sequence[Tool] = (),
    prepare: Callable[[dict[str, Any], ToolContext[Any]], Prepared] | None = None,
) -> Tool | Callable[[Callable[..., Any]], Tool]:
    """Make a tool of a function. Signature and docstring give its schema, its summary (first line) and its instruction.

    Args:
        name: Name that agents call it by; the function's own by default.
        effect: ``readonly`` for a tool that changes nothing. Without it, the tool counts as one that may.
        evaluation: By what a result is judged, such as "At least one hit; else broaden the query and retry."
        timeout_s: Seconds a call may take.
        idempotent: A second call with the same ``ctx.idempotency_key`` does nothing more.
        persist: Results are kept as artifacts of the session, of the type that is named (``project_data`` for True).
        artifacts: It works with artifacts (``ctx.artifacts``): agents are shown which there are.
        rule: What a manifest would say of it, without ``match``; counts where the network's manifest does not name the
            tool. For tools that travel, such as the toolbox's: they know best what their calls leave behind.
        needs: Tools that the rule calls; a network that has this tool has them too.
        prepare: Looks at a call before policy and people do; see `PythonFunction.prepare`.

    Raises:
        ConfigurationError: The function cannot be a tool, or its rule is faulty; says why.
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
            persist="project_data" if persist is True else persist or "",
            artifacts=artifacts,
            rule=read_own_rule(label, rule) if rule is not None else None,
        )
        return Tool(spec, replace(read, prepare=prepare), tuple(needs))

    return make if function is None else make(function)
