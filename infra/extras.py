"""Optional libraries that a network needs, told by its source: nothing is imported to be packed.

Each is an extra in pyproject.toml. A network of which none of these holds carries none of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ASK_MODELS = frozenset({"evaluate", "memorize", "plan"})
RUN_TOOLS = frozenset({"execute", "mcp", "undo"})
OPEN_NETWORK = ASK_MODELS | RUN_TOOLS | {"api", "approve", "sweep"}
"""All but gate_edit, which knows no network."""


@dataclass(frozen=True, slots=True)
class Extra:
    """An extra, and what in a network's source asks for it.

    Attributes:
        name: In pyproject.toml.
        files: Pattern of the files that are looked at.
        sign: What stands in one of them.
        functions: Those that come to import it.
    """

    name: str
    files: str
    sign: re.Pattern[str]
    functions: frozenset[str]


EXTRAS = (
    Extra("gemini", "*.py", re.compile(r"""["']gemini/"""), ASK_MODELS),
    Extra("masking", "*.py", re.compile(r"entracte\.harness\b"), OPEN_NETWORK),
    Extra("mcp", "*.yaml", re.compile(r"^servers:", re.MULTILINE), RUN_TOOLS),
    Extra(
        "vertex", "*.py", re.compile(r"entracte\.toolbox\.memory\b|\bMemory\("), RUN_TOOLS
    ),  # tools ask the embedding model
    Extra("web", "*.py", re.compile(r"entracte\.toolbox\.web\b"), RUN_TOOLS),
)


def extras_of(function: str, package: Path) -> Iterator[str]:
    """Names of the extras that a function of this network carries.

    Args:
        package: Folder of the network's package.
    """
    for extra in EXTRAS:
        if function in extra.functions and any(
            extra.sign.search(file.read_text("utf-8")) for file in sorted(package.rglob(extra.files))
        ):
            yield extra.name
