"""A manifest's value against its shape, with all faults at once.

What does not fit is cut out or replaced by a stand-in, and remembered, so that everything else can still be checked.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from pydantic import ValidationError

from entracte.core.policy.faults import Path, Problem, shown
from entracte.core.policy.source import found_at
from entracte.core.policy.text.fault_words import problem_of
from entracte.core.policy.text.shapes import ManifestShape

_ROUNDS = 10
"""Cutting out a value hardly ever brings another fault to light."""

_STAND_INS: Mapping[str, Any] = {"version": 1, "match": "stand-in", "class": "readonly", "tool": "stand-in"}
"""For required keys, so that the rest of what holds them can be checked."""


_EMPTY = ManifestShape.model_validate({"version": 1})


class Fitted(Struct, frozen=True, kw_only=True):
    """A manifest of the right shape.

    Attributes:
        shape: What fits, with stand-ins.
        bad: Paths at which something else was written, or something required was not.
        problems: Why.
    """

    shape: ManifestShape
    bad: frozenset[Path]
    problems: tuple[Problem, ...]


def fit(value: Any, written: Any) -> Fitted:
    """Fit a value to the shape of a manifest.

    Args:
        value: With variables filled in, so possibly secret.
        written: As it was written, to be shown.
    """
    if not isinstance(value, dict):
        expected = "a mapping with version, servers and tools"
        problem = Problem(path=(), what="the manifest", expected=expected, found=shown(written))
        return Fitted(shape=_EMPTY, bad=frozenset({()}), problems=(problem,))
    value = copy.deepcopy(value)
    problems: list[Problem] = []
    bad: set[Path] = set()
    for _ in range(_ROUNDS):
        try:
            shape = ManifestShape.model_validate(value)
        except ValidationError as error:
            for detail in error.errors(include_url=False, include_input=False):
                problem = problem_of(detail, written)
                problems.append(problem)
                bad |= {problem.path, _cut(value, problem.path, unknown=detail["type"] == "extra_forbidden")}
        else:
            return Fitted(shape=shape, bad=frozenset(bad), problems=tuple(problems))
    return Fitted(shape=_EMPTY, bad=frozenset(bad), problems=tuple(problems))


def _cut(value: Any, path: Path, *, unknown: bool) -> Path:
    """Take out what does not fit, and give the path of what was taken."""
    match path:
        case ("tools", int(index)):
            value["tools"][index] = {"match": "stand-in", "class": "readonly"}
            return path
        case (*above, int()):  # an item: what is left of its list might mean something else
            return _cut(value, tuple(above), unknown=True)
        case _:
            pass
    try:
        holder = found_at(value, path[:-1])
    except (KeyError, TypeError):
        return path  # was cut out with what held it
    name = str(path[-1])
    if name in _STAND_INS and not unknown:
        holder[name] = _STAND_INS[name]
    else:
        holder.pop(name, None)
    return path
