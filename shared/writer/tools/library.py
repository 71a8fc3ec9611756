"""A library that fits into a file: library.yaml."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, Field
from ruamel.yaml import YAML

from entracte.agents import tool


class Entry(BaseModel):
    """What a book says of something."""

    source: str
    text: str


@cache
def entries() -> tuple[Entry, ...]:
    """Everything that the library holds."""
    return tuple(map(Entry.model_validate, YAML(typ="safe").load(Path(__file__).parents[1] / "library.yaml")))


@tool(
    effect="readonly", persist="web_search", evaluation="The entry is about what was asked; quote it with its source."
)
def search_library(
    words: Annotated[str, Field(min_length=1, max_length=100, description="A few words.")],
) -> list[Entry]:
    """Search the library. Entries that have all of the words are found, and kept on the desk."""
    wanted = set(re.findall(r"\w+", words.lower()))
    return [entry for entry in entries() if wanted <= set(re.findall(r"\w+", entry.text.lower()))]
