"""The trial's questions, ten for each job, and what a right answer to each contains."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict
from ruamel.yaml import YAML

from crm.small import Job


class Question(BaseModel):
    """One question.

    Attributes:
        answer: A right answer in words.
        expect: Regular expressions that every right answer matches, case ignored.
        calls: Regular expressions for the calls without which nobody can know or do it, each as ``tool {arguments}``.
        data: SQL query for the values that a right answer names.
        change: Fields that are to be different afterwards, by customer's id. Nothing else is.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    ask: str
    answer: str
    expect: tuple[str, ...]
    calls: tuple[str, ...]
    data: str
    change: Mapping[int, Mapping[str, Any]] = {}


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    version: Literal[1]
    jobs: Mapping[Job, tuple[Question, ...]]


def missing(question: Question, answer: str) -> list[str]:
    """The expressions that an answer does not match; a right answer misses none."""
    return [pattern for pattern in question.expect if not re.search(pattern, answer, re.IGNORECASE)]


def uncalled(question: Question, calls: Sequence[str]) -> list[str]:
    """The expressions that none of the calls matches."""
    return [wanted for wanted in question.calls if not any(re.search(wanted, call, re.IGNORECASE) for call in calls)]


QUESTIONS: Final = _File.model_validate(YAML(typ="safe").load(Path(__file__).with_name("questions.yaml"))).jobs
