"""``infra/requirements.lock`` as a graph: each pin, and the pins that ask for it."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from environment import LOCK

_PIN = re.compile(r"^([a-z0-9.-]+)==\S.*(?:\n[ ]{4}.*)*", re.MULTILINE)
_ASKED_BY = re.compile(r"^    # (?:via +|  +)(\S+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Pin:
    """One library at one version.

    Attributes:
        text: Its lines in a requirements file: version, marker, hashes.
        asked_by: Names of the libraries that need it.
    """

    name: str
    text: str
    asked_by: frozenset[str]


def pins(lock: Path = LOCK) -> tuple[Pin, ...]:
    """What a lock holds, by name. Its comments, which uv writes, say who asked for what."""
    return tuple(
        Pin(
            name=found[1],
            text="\n".join(line for line in found[0].splitlines() if not line.lstrip().startswith("#")),
            asked_by=frozenset(_ASKED_BY.findall(found[0])),
        )
        for found in _PIN.finditer(lock.read_text())
    )


def closure(names: Collection[str], locked: tuple[Pin, ...]) -> tuple[Pin, ...]:
    """The pins of these libraries and of all that they need, by name.

    Raises:
        KeyError: The lock does not hold one of them; names it.
    """
    if missing := set(names) - {pin.name for pin in locked}:
        raise KeyError(f"{', '.join(sorted(missing))} not in the lock; add to pyproject.toml and run dev.py lock")
    wanted = set(names)
    while more := {pin.name for pin in locked if pin.asked_by & wanted} - wanted:
        wanted |= more
    return tuple(pin for pin in locked if pin.name in wanted)
