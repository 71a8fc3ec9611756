"""Reading JSON bodies strictly: what is accepted is exactly what can be kept and given back."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from email.message import Message
from typing import Any, NoReturn, TypeVar, cast, get_args

from fastapi import Request
from pydantic import BaseModel, RootModel, ValidationError
from starlette.concurrency import run_in_threadpool

from entracte.core.payload import canonical
from entracte.errors import InvalidInput

MAX_BODY_BYTES = 1024 * 1024

M = TypeVar("M", bound=BaseModel)


def json_body(model: type[M], *, max_bytes: int = MAX_BODY_BYTES) -> Callable[[Request], Awaitable[M]]:
    """A dependency that reads the body as a model.

    Not FastAPI's own way, since that accepts NaN and half characters, tells no line, and has no limit of size.
    """

    async def read(request: Request) -> M:
        text = await _text(request, max_bytes)
        # A mebibyte of small numbers takes half a second, in which nobody else would be answered.
        return _fitted(await run_in_threadpool(parse_json, text), model)

    return read


async def _text(request: Request, max_bytes: int) -> str:
    """The body.

    Raises:
        InvalidInput: Not sent as JSON, too large (however much of it there is), or not UTF-8.
    """
    content_type = Message()
    content_type["content-type"] = request.headers.get("content-type", "")
    kind = content_type.get_content_type()
    # Also where there is no type at all: browsers send such bodies across sites without asking.
    if kind != "application/json" and not (kind.startswith("application/") and kind.endswith("+json")):
        sent = request.headers.get("content-type", "")[:80]
        raise InvalidInput(
            f"The body is sent as {sent!r}." if sent else "The request has no Content-Type.",
            remedy="Send JSON with Content-Type: application/json; {} where there is nothing to say.",
            code="unsupported_media_type",
        )
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > max_bytes:
            raise InvalidInput(f"The body is larger than {max_bytes:,} bytes.", code="too_large")
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"The body is not UTF-8: byte {error.start + 1} is not.", code="invalid_json") from None


def parse_json(text: str) -> Any:
    """The value of a JSON text.

    Raises:
        InvalidInput: Not JSON, with line and column; or a value that cannot be kept, with a pointer to it.
    """
    try:
        value = json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise InvalidInput(
            f"The body is not JSON: {error.msg}, at line {error.lineno}, column {error.colno}.", code="invalid_json"
        ) from None
    except RecursionError:
        raise InvalidInput("The body has too many lists and objects inside each other.", code="not_json") from None
    except ValueError:  # CPython converts no longer ones, since that takes quadratic time
        raise InvalidInput("The body has a number of thousands of digits.", code="not_json") from None
    canonical(value)
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise InvalidInput(f"The body has {name}, which JSON does not have.", code="invalid_json")


def _fitted(value: Any, model: type[M]) -> M:
    try:
        return model.model_validate(value, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
    *path, last = first["loc"] or ("",)
    match first["type"]:
        case "extra_forbidden":
            known = ", ".join(_at(model, path).model_fields)
            words, remedy = f"There is no field {str(last)[:80]!r} here.", f"Fields: {known}."
        case "missing":
            words, remedy = f"The field {last!r} is missing.", ""
        case "value_error":
            words, remedy = str(first["ctx"]["error"]), ""
        case "model_type" | "dict_type":
            words, remedy = "An object is expected here.", ""
        case "list_type":
            words, remedy = "A list is expected here.", ""
        case _:
            words, remedy = f"{first['msg']}.", ""
    raise InvalidInput(words, remedy=remedy, pointer=_pointer(first["loc"]))


def _at(model: type[BaseModel], path: list[str | int]) -> type[BaseModel]:
    """The model of the object that a path leads to."""
    kind: Any = model
    for part in path:
        kind = kind.model_fields["root" if issubclass(kind, RootModel) else str(part)].annotation
        kind = next(inner for inner in (kind, *get_args(kind)) if _is_model(inner))
    return cast(type[BaseModel], kind)


def _is_model(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def _pointer(path: tuple[str | int, ...]) -> str:
    places = path[:-1] if path[-1:] == ("[key]",) else path  # pydantic's way to say that the name itself is meant
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in places)
