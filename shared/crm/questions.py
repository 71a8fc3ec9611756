"""The look-up questions of the trial, and what a right answer to each contains."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict
from ruamel.yaml import YAML


class Question(BaseModel):
    """One question.

    Attributes:
        answer: A right answer in words.
        expect: Regular expressions that every right answer matches, case ignored.
        data: SQL query for the values that a right answer names.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    ask: str
    answer: str
    expect: tuple[str, ...]
    data: str


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    version: Literal[1]
    questions: tuple[Question, ...]


def missing(question: Question, answer: str) -> list[str]:
    """The expressions that an answer does not match; a right answer misses none."""
    return [pattern for pattern in question.expect if not re.search(pattern, answer, re.IGNORECASE)]


QUESTIONS: Final = _File.model_validate(YAML(typ="safe").load(Path(__file__).with_name("questions.yaml"))).questions
