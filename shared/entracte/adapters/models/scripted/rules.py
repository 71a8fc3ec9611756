"""The rules of a script: which requests one is for, and what it replies."""

from __future__ import annotations

import re
from typing import Any, Literal

from msgspec import Struct
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from entracte.core.modelling import FaultKind, ModelRequest, Purpose
from entracte.core.template import Template
from entracte.errors import ConfigurationError

ROOTS = ("$results", "$input", "$state")
"""What a reply may refer to: the parts of these titles."""


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class When(_Strict):
    """What a request must be for a rule to apply; what is left out does not matter.

    Attributes:
        frame: What follows the run's id in the frame's; empty for the root frame.
        input, results: Regular expressions, searched for in the parts of these titles; results are JSON. Where it is to
            be decided what is worth remembering, the input is what was asked.
    """

    agent: str | None = None
    purpose: Purpose | None = None
    frame: str | None = None
    step: int | None = None
    input: re.Pattern[str] | None = None
    results: re.Pattern[str] | None = None

    def fits(self, request: ModelRequest) -> bool:
        return (
            self.agent in (None, request.agent)
            and self.purpose in (None, request.purpose)
            and self.frame in (None, request.frame.partition(".")[2])
            and self.step in (None, request.step)
            and (self.input is None or self.input.search(request.part("input") or request.part("asked")) is not None)
            and (self.results is None or self.results.search(request.part("results")) is not None)
        )


class ScriptedCall(_Strict):
    """One call of a reply."""

    tool: str
    args: dict[str, Any] = Field(default_factory=dict)


class ScriptedReply(BaseModel):
    """What a rule replies: calls, or the value under ``answer``, or else the value made of all other keys."""

    model_config = ConfigDict(frozen=True, extra="allow")

    thought: str = ""
    calls: tuple[ScriptedCall, ...] = ()
    answer: Any = None

    @model_validator(mode="after")
    def _is_one_of_them(self) -> ScriptedReply:
        given = [bool(self.calls), "answer" in self.model_fields_set, bool(self.model_extra)]
        if sum(given) != 1:
            raise ValueError("give calls, or answer, or the fields of the value")
        return self

    @property
    def value(self) -> Any:
        """The value; meaningless when there are calls."""
        return self.answer if "answer" in self.model_fields_set else dict(self.model_extra or {})


class ScriptedFault(_Strict):
    """A reply that cannot be used."""

    kind: FaultKind
    message: str = "As the script has it."


class _Rule(_Strict):
    when: When = When()
    run: str = ""
    reply: dict[str, Any] | None = None
    fault: FaultKind | ScriptedFault | None = None

    @model_validator(mode="after")
    def _is_complete(self) -> _Rule:
        if (self.reply is None) == (self.fault is None):
            raise ValueError("give either reply or fault")
        if self.reply is not None:
            ScriptedReply.model_validate(self.reply)
        return self


class _File(_Strict):
    version: Literal[1]
    replies: tuple[_Rule, ...]


class Rule(Struct, frozen=True):
    """One rule, ready to be used.

    Attributes:
        place: File and number, for errors.
        run: Id of the run that it was recorded in; stands for the current run's id wherever it occurs in the reply.
    """

    place: str
    when: When
    answer: Template | ScriptedFault
    run: str = ""


def read_rules(data: Any, source: str) -> tuple[Rule, ...]:
    """The rules of a script's content, ``{"version": 1, "replies": […]}``.

    Raises:
        ConfigurationError: Not a script; names the source and the place in it.
    """
    try:
        replies = _File.model_validate(data).replies
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = "/".join(map(str, first["loc"])) or "the top"
        raise ConfigurationError(f"{source}, {place}: {first['msg']}.", code="bad_script") from None
    return tuple(
        Rule(f"{source}, reply {n}", rule.when, _answer(rule, source, n), rule.run) for n, rule in enumerate(replies)
    )


def _answer(rule: _Rule, source: str, number: int) -> Template | ScriptedFault:
    match rule.fault:
        case ScriptedFault() as fault:
            return fault
        case str() as kind:
            return ScriptedFault(kind=kind)
        case None:
            pass
    try:
        return Template.parse(rule.reply, ROOTS, from_end=True)
    except ConfigurationError as error:
        raise ConfigurationError(f"{source}, reply {number}: {error}", code="bad_script") from None
