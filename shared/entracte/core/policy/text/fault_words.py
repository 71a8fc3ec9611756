"""What pydantic finds in a manifest, in the words of people who write manifests."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from pydantic_core import ErrorDetails

from entracte.core.policy.faults import Path, Problem, label, shown
from entracte.core.policy.source import found_at
from entracte.core.policy.text.shapes import MATCH, WORDS, CallShape, ManifestShape, RuleShape, ServerShape, Shape

_TYPES = {
    "bool_type": "true or false",
    "dict_type": "a mapping",
    "empty": "a value, or no such key",
    "int_type": "a whole number",
    "list_type": "a list",
    "model_type": "a mapping",
    "string_too_short": "text that is not empty",
    "string_type": "text, in quotes if need be",
}


def problem_of(error: ErrorDetails, written: Any) -> Problem:
    """The problem that a validation error stands for.

    Args:
        written: The manifest's value as it was written, from which the problem says what was found.
    """
    path: Path = error["loc"]
    match error["type"]:
        case "extra_forbidden":
            keys = _keys(path[:-1])
            name = str(path[-1])
            close = get_close_matches(name, keys, n=1, cutoff=0.7)
            expected = f"{close[0]} (or one of {', '.join(keys)})" if close else f"one of {', '.join(keys)}"
            return Problem(
                path=path, what=f"{label(path)}: unknown key", expected=expected, found=shown(name), at_key=True
            )
        case "missing":
            holder = found_at(written, path[:-1])
            found = f"only {', '.join(str(key) for key in list(holder)[:20])}" if holder else "nothing"
            return Problem(path=path, what=f"{label(path)} is missing", expected=_missing(path), found=found)
        case _ if path[-1:] == ("[key]",):
            path = path[:-1]
            what = f"{label(path)}: the name"
            return Problem(path=path, what=what, expected=_expected(error), found=shown(str(path[-1])), at_key=True)
        case _:
            return Problem(path=path, what=label(path), expected=_expected(error), found=shown(found_at(written, path)))


def _expected(error: ErrorDetails) -> str:
    context = error.get("ctx", {})
    match error["type"]:
        case "literal_error":
            return str(context["expected"])
        case "string_pattern_mismatch":
            return WORDS[context["pattern"]]
        case "greater_than_equal":
            return f"{context['ge']} or more"
        case kind:
            return _TYPES.get(kind) or error["msg"].removeprefix("Input should be ")


def _missing(path: Path) -> str:
    match path[-1]:
        case "class":
            return "class: readonly, reversible, compensable or irreversible"
        case "match":
            return f"match: {WORDS[MATCH]}"
        case "version":
            return "version: 1"
        case name:
            return f"{name}: the exact name of a tool"


def _keys(path: Path) -> list[str]:
    shape: type[Shape]
    match path:
        case ():
            shape = ManifestShape
        case ("servers", _):
            shape = ServerShape
        case ("tools", _):
            shape = RuleShape
        case _:
            shape = CallShape
    return sorted(field.alias or name for name, field in shape.model_fields.items())
