"""A Python function as a tool: its signature read once, its arguments checked at each call."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from msgspec import Struct
from pydantic import BaseModel, ConfigDict, Field, PydanticUserError, TypeAdapter, ValidationError, create_model
from pydantic_core import to_jsonable_python

from entracte.adapters.python.context import ToolContext
from entracte.core.calls import Prepared
from entracte.errors import ConfigurationError


class ToolResult(Struct, frozen=True):
    """A result with changes to state beside it."""

    value: Any
    state: Mapping[str, Any] | None = None


class PythonFunction(Struct, frozen=True):
    """A callable with the model of its arguments.

    Attributes:
        arguments: Its fields are numbered, and have the parameters' names as aliases, so that these may be any.
        parameters: JSON Schema of the arguments.
        context: Name of the parameter that takes the `ToolContext`; empty when there is none.
        returns: Of one that is declared to return records (pydantic models, dataclasses or TypedDicts); None otherwise.
        prepare: Looks at a call of an agent's before policy and people do, once its arguments fit: resolves what they
            refer to, tells what the call would change. Changes nothing. ToolError refuses the call.
    """

    call: Callable[..., Any]
    arguments: type[BaseModel]
    parameters: Mapping[str, Any]
    context: str = ""
    returns: TypeAdapter[Any] | None = None
    prepare: Callable[[dict[str, Any], ToolContext[Any]], Prepared] | None = None

    @property
    def result_schema(self) -> Mapping[str, Any]:
        """JSON Schema of its results; empty where no records are declared, or records without a JSON form."""
        try:
            return self.returns.json_schema(mode="serialization") if self.returns is not None else {}
        except PydanticUserError:
            return {}

    def check(self, arguments: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
        """Arguments as JSON in the types of the signature, and what is wrong with them, or an empty string."""
        try:
            checked = self.arguments.model_validate(arguments)
            return checked.model_dump(mode="json", exclude_unset=True, by_alias=True), ""
        except ValidationError as error:
            return {}, _faults(error, "the arguments")

    def run(self, arguments: Mapping[str, Any], ctx: ToolContext[Any]) -> Any:
        """Call it, and wait for it when it is asynchronous. Gives plain JSON types wherever that is possible."""
        checked = self.arguments.model_validate(arguments)
        given = {str(field.alias): getattr(checked, name) for name, field in type(checked).model_fields.items()}
        if self.context:
            given[self.context] = ctx
        return taken(self.call(**given), ctx, self.returns)


def read_function(function: Callable[..., Any]) -> PythonFunction:
    """Read a function's signature.

    Raises:
        ConfigurationError: No function, a parameter that cannot be given by name, an annotation that does not
            resolve or has no JSON form.
    """
    where = f"Tool {getattr(function, '__name__', function)!r}"
    try:
        hints = get_type_hints(function, include_extras=True)
    except TypeError as error:
        raise ConfigurationError(f"{where}: {error}", remedy="Make a tool of a function.") from None
    except (NameError, SyntaxError) as error:
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
        fields[f"argument_{len(fields)}"] = (Annotated[hint, Field(alias=name)], default)
    try:
        arguments = create_model(f"{function.__name__}_arguments", __config__=ConfigDict(extra="forbid"), **fields)
        schema = arguments.model_json_schema()
    except PydanticUserError:
        odd = next((hint.__metadata__[-1].alias for hint, _ in fields.values() if not _has_json_form(hint)), "?")
        raise ConfigurationError(
            f"{where}: parameter {odd!r} has a type without a JSON form.",
            remedy="Annotate it with JSON types, enums, dataclasses or pydantic models.",
        ) from None
    bare = {"type": "object", "properties": {}, "additionalProperties": False}
    return PythonFunction(function, arguments, bare | _untitled(schema), context, _returns(hints.get("return")))


def _returns(hint: Any) -> TypeAdapter[Any] | None:
    try:
        return TypeAdapter(hint) if _holds_records(hint) else None
    except PydanticUserError:
        return None


def _holds_records(hint: Any) -> bool:
    """Whether fields are declared in it: ``Level``, ``list[Level]``, ``Level | None``."""
    declared = (
        "model_fields",
        "__dataclass_fields__",
        "__required_keys__",
    )  # typing has no word for all its TypedDicts
    return any(hasattr(hint, name) for name in declared) or any(map(_holds_records, get_args(hint)))


def _has_json_form(hint: Any) -> bool:
    try:
        create_model("one", argument=(hint, ...)).model_json_schema()
    except PydanticUserError:
        return False
    return True


def taken(result: Any, ctx: ToolContext[Any], returns: TypeAdapter[Any] | None = None) -> Any:
    """What a function gave, waited for when it is asynchronous, its state changes noted, its value as JSON.

    What it gave is kept though it be not as declared: the call has been made. People are told beside it.
    """
    if inspect.isawaitable(result):
        result = asyncio.run(_awaited(result))
    if isinstance(result, ToolResult):
        if result.state:
            ctx.update_state(result.state)
        result = result.value
    if returns is not None:
        try:
            returns.validate_python(result)
        except ValidationError as error:
            ctx.doubt = f"The result is not as the tool declares it: {_faults(error, 'the result')}."
        except Exception as error:  # noqa: BLE001  # of an author's validator
            ctx.doubt = f"The result could not be compared with what the tool declares: {type(error).__name__}."
    return as_json(result)


def as_json(value: Any) -> Any:
    """The value in plain JSON types; what has no JSON form stays as it is, for the payload codec to name its place."""
    try:
        return to_jsonable_python(value, inf_nan_mode="constants", fallback=lambda odd: odd)
    except (ValueError, RecursionError):  # a cycle, a lone surrogate
        return value


async def _awaited(result: Any) -> Any:
    return await result


def _faults(error: ValidationError, whole: str) -> str:
    return "; ".join(_fault(e, whole) for e in error.errors(include_url=False, include_input=False)[:5])


def _fault(error: Any, whole: str) -> str:
    place = "".join(f"/{part}" for part in error["loc"]) or whole
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
