"""A Python function as a tool: its signature read once, its arguments checked at each call."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, ValidationError, create_model
from pydantic_core import to_jsonable_python

from entracte.adapters.python.context import ToolContext
from entracte.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class ToolResult:
    """A result with changes to state beside it."""

    value: Any
    state: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class PythonFunction:
    """A callable with the model of its arguments.

    Attributes:
        context: Name of the parameter that takes the `ToolContext`; empty when there is none.
    """

    call: Callable[..., Any]
    arguments: type[BaseModel]
    context: str = ""

    @property
    def parameters(self) -> dict[str, Any]:
        """JSON Schema of the arguments."""
        bare: dict[str, Any] = {"type": "object", "properties": {}, "additionalProperties": False}
        return bare | dict(_untitled(self.arguments.model_json_schema()))

    def check(self, arguments: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
        """Arguments as JSON in the types of the signature, and what is wrong with them, or an empty string."""
        try:
            return self.arguments.model_validate(arguments).model_dump(mode="json", exclude_unset=True), ""
        except ValidationError as error:
            return {}, "; ".join(_fault(e) for e in error.errors(include_url=False, include_input=False)[:5])

    def run(self, arguments: Mapping[str, Any], ctx: ToolContext[Any]) -> Any:
        """Call it, and wait for it when it is asynchronous. Gives plain JSON types wherever that is possible."""
        checked = self.arguments.model_validate(arguments)
        given = {name: getattr(checked, name) for name in type(checked).model_fields}
        if self.context:
            given[self.context] = ctx
        return taken(self.call(**given), ctx)


def read_function(function: Callable[..., Any]) -> PythonFunction:
    """Read a function's signature.

    Raises:
        ConfigurationError: A parameter that cannot be given by name, or an annotation that does not resolve.
    """
    where = f"Tool {getattr(function, '__name__', function)!r}"
    try:
        hints = get_type_hints(function, include_extras=True)
    except NameError as error:
        raise ConfigurationError(
            f"{where}: an annotation does not resolve: {error}.", remedy="Define the type at module level."
        ) from None
    fields: dict[str, Any] = {}
    context = ""
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise ConfigurationError(
                f"{where}: parameter {name!r} cannot be given by name.", remedy="Write it as a plain parameter."
            )
        hint = hints.get(name, Any)
        if hint is ToolContext or get_origin(hint) is ToolContext:
            context = name
            continue
        if name.startswith("_"):
            raise ConfigurationError(f"{where}: parameter {name!r} begins with an underscore.", remedy="Rename it.")
        default = ... if parameter.default is parameter.empty else parameter.default
        fields[name] = (hint, default)
    arguments = create_model(
        f"{getattr(function, '__name__', 'tool')}_arguments", __config__=ConfigDict(extra="forbid"), **fields
    )
    return PythonFunction(function, arguments, context)


def taken(result: Any, ctx: ToolContext[Any]) -> Any:
    """What a function gave, waited for when it is asynchronous, its state changes noted, its value as JSON."""
    if inspect.isawaitable(result):
        result = asyncio.run(_awaited(result))
    if isinstance(result, ToolResult):
        if result.state:
            ctx.update_state(result.state)
        result = result.value
    return as_json(result)


def as_json(value: Any) -> Any:
    """The value in plain JSON types; what has no JSON form stays as it is, for the payload codec to name its place."""
    try:
        return to_jsonable_python(value, inf_nan_mode="constants", fallback=lambda odd: odd)
    except (ValueError, RecursionError):  # a cycle, a lone surrogate
        return value


async def _awaited(result: Any) -> Any:
    return await result


def _fault(error: Any) -> str:
    place = "".join(f"/{part}" for part in error["loc"]) or "the arguments"
    return f"{place}: {error['msg']}"


def _untitled(value: Any) -> Any:
    """A schema without the titles that pydantic adds: tokens that tell a model nothing."""
    match value:
        case dict():
            return {k: _untitled(v) for k, v in value.items() if not (k == "title" and isinstance(v, str))}
        case list():
            return [_untitled(item) for item in value]
        case _:
            return value
