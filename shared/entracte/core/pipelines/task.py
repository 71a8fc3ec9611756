"""What a stage is asked with: a text or a value in which ``{result}`` and ``{input}`` stand for what came before.

Only these two, and paths into them (``{result.rows.0.name}``); a brace is written twice. There are no expressions: what
needs more than that is a function. Results are text that nobody has checked; they are filled in once and never read as
a template again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from entracte.errors import InvalidInput

_PIECE = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")

_REFERENCE = re.compile(r"(result|input)((?:\.[A-Za-z0-9_-]+)*)")


def faults_in(template: Any) -> Iterator[str]:
    """What is wrong with a task, in words."""
    match template:
        case str():
            for piece in _PIECE.finditer(template):
                if piece[0] in ("{{", "}}"):
                    continue
                if piece[1] is None or not _REFERENCE.fullmatch(piece[1]):
                    yield f"{piece[0]} is neither {{result}} nor {{input}} nor a part of them; a brace is written twice"
        case Mapping():
            yield from (fault for part in template.values() for fault in faults_in(part))
        case list() | tuple():
            yield from (fault for part in template for fault in faults_in(part))
        case _:
            pass


def filled(template: Any, known: Mapping[str, Any]) -> Any:
    """The task. Within a value, a text that is one reference becomes what it refers to, of whatever type.

    Args:
        known: ``result`` and ``input``.

    Raises:
        InvalidInput: A path leads nowhere.
    """
    return _text(template, known) if isinstance(template, str) else _value(template, known)


def _value(template: Any, known: Mapping[str, Any]) -> Any:
    match template:
        case str() if (whole := _PIECE.fullmatch(template)) and whole[1] is not None:
            return _found(whole[1], known)
        case str():
            return _text(template, known)
        case Mapping():
            return {str(name): _value(part, known) for name, part in template.items()}
        case list() | tuple():
            return [_value(part, known) for part in template]
        case _:
            return template


def _text(template: str, known: Mapping[str, Any]) -> str:
    def piece(found: re.Match[str]) -> str:
        return found[0][0] if found[1] is None else as_text(_found(found[1], known))

    return _PIECE.sub(piece, template)


def as_text(value: Any) -> str:
    """A text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _found(reference: str, known: Mapping[str, Any]) -> Any:
    name, *path = reference.split(".")
    value = known[name]
    for step in path:
        try:
            value = value[int(step)] if isinstance(value, list) else value[step]
        except (KeyError, IndexError, TypeError, ValueError):
            raise InvalidInput(f"{{{reference}}} leads nowhere: there is no {step!r}.") from None
    return value
