"""`${NAME}` in a manifest: for what differs between deployments, which is servers and approvers.

Elsewhere a dollar sign belongs to templates or to nothing. `$$` is a literal one everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from entracte.core.policy.faults import Path, Problem, label, shown

_DOLLAR = re.compile(r"\$(?:(?P<literal>\$)|\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)\})?")


def filled_in(value: Any, variables: Mapping[str, str]) -> tuple[Any, list[Problem]]:
    """The manifest's value with variables filled in, and what could not be.

    A text that could not be filled in is left as it is. What was filled in may be secret: show the source instead.
    """
    problems: list[Problem] = []

    def fill(value: Any, path: Path) -> Any:
        match value:
            case str() if _takes_variables(path):
                faults = list(_problems(value, path, variables))
                problems.extend(faults)
                return value if faults else _DOLLAR.sub(lambda found: _replaced(found, variables), value)
            case dict():
                return {key: fill(item, (*path, key)) for key, item in value.items()}
            case list():
                return [fill(item, (*path, index)) for index, item in enumerate(value)]
            case _:
                return value

    return fill(value, ()), problems


def resolved(text: str, value_of: Callable[[str], str]) -> str:
    """A text with its variables filled in when they are needed: for those that are secrets."""
    return _DOLLAR.sub(lambda found: "$" if found["literal"] else value_of(found["name"]), text)


def variables_in(text: str) -> bool:
    """Whether a text has a `${` that is not a literal dollar sign before a brace."""
    return "${" in text.replace("$$", "")


def _takes_variables(path: Path) -> bool:
    return path[:1] == ("servers",) or (path[:1] == ("tools",) and path[2:3] == ("approvers",))


def _problems(text: str, path: Path, variables: Mapping[str, str]) -> Iterator[Problem]:
    for found in _DOLLAR.finditer(text):
        if (name := found["name"]) and name not in variables:
            yield Problem(
                path=path,
                what=f"{label(path)}: the variable {name} is not set",
                expected=f"a value for {name} in the environment",
                found="none",
            )
        elif found[0] == "$":
            expected = "${NAME} for a variable, or $$ for a dollar sign"
            yield Problem(path=path, what=f"{label(path)}: a lone dollar sign", expected=expected, found=shown(text))


def _replaced(found: re.Match[str], variables: Mapping[str, str]) -> str:
    return "$" if found["literal"] else variables[found["name"]]
