"""Replies from a script, for demos and tests: no key, no network, the same every time.

A reply depends on the request alone, so that any number of processes, crashes and redeliveries see the same model.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from entracte.adapters.models.dialect import reduced
from entracte.adapters.models.minimal import minimal
from entracte.adapters.models.prompt import system_text, user_text
from entracte.adapters.models.reading import read_value
from entracte.adapters.models.scripted.rules import Rule, ScriptedFault, ScriptedReply, read_rules
from entracte.adapters.models.scripted.script import read_script_file
from entracte.core.modelling import Delta, Fault, ModelReply, ModelRequest, OnDelta, Usage, WantedCall
from entracte.core.payload import canonical
from entracte.core.template import Template
from entracte.errors import InvalidInput, ModelRefused

CHARS_PER_TOKEN = 4
"""Tokens are guessed rather than counted, so that budgets and displays have figures."""

_WORDS = re.compile(r"\s*\S+\s*$|\s*\S+")

UNSCRIPTED_TEXT = "(nothing scripted)"


class Script:
    """A model that replies by rules; the first that fits counts."""

    def __init__(self, rules: tuple[Rule, ...], source: str) -> None:
        self._rules = rules
        self._source = source

    def __repr__(self) -> str:
        return f"Script({self._source!r}, {len(self._rules)} replies)"

    @classmethod
    def load(cls, name: str) -> Script:
        """Read a YAML or JSON file: a path from the current folder, or ``package:resource``.

        Raises:
            ConfigurationError: It is not there, or no script; names file and place.
        """
        return cls(read_rules(read_script_file(name), name), name)

    def generate(self, request: ModelRequest, *, deadline_s: float, on_delta: OnDelta | None = None) -> ModelReply:
        """Ask once, as the model port says. It takes no time, and is told word by word.

        Raises:
            ModelRefused: No rule fits a plan, or a reply refers to what the request does not hold.
        """
        rule = next((rule for rule in self._rules if rule.when.fits(request)), None)
        reply = self._unscripted(request) if rule is None else _replied(rule, request)
        if on_delta is not None:
            for delta in _told(request, reply):
                on_delta(delta)
        asked = len(system_text(request)) + len(user_text(request))
        said: Any = [[call.tool, call.arguments] for call in reply.calls] or reply.value
        usage = Usage(
            prompt_tokens=asked // CHARS_PER_TOKEN,
            output_tokens=(len(canonical(said)) + len(reply.thought)) // CHARS_PER_TOKEN,
            model_calls=1,
        )
        return replace(reply, usage=usage, served="scripted")

    def _unscripted(self, request: ModelRequest) -> ModelReply:
        """Something harmless, but for a plan, where nothing is."""
        if request.purpose != "plan":
            value = UNSCRIPTED_TEXT if request.schema is None else minimal(reduced(request.schema))
            reply = read_value(request, value)
            if reply.fault is None:
                return reply
        raise ModelRefused(
            f"{self._source} has no reply for agent {request.agent!r}, purpose {request.purpose!r}, "
            f"step {request.step}, input {request.part('input')[:200]!r}.",
            remedy="Add a rule whose `when` fits them.",
        )


def _told(request: ModelRequest, reply: ModelReply) -> Iterator[Delta]:
    """What a stream of the reply would tell."""
    yield from (Delta("thought", word) for word in _WORDS.findall(reply.thought))
    if request.schema is None and isinstance(reply.value, str):
        yield from (Delta("text", word) for word in _WORDS.findall(reply.value))


def _replied(rule: Rule, request: ModelRequest) -> ModelReply:
    match rule.answer:
        case ScriptedFault(kind=kind, message=message):
            return ModelReply(fault=Fault(kind, message))
        case Template() as template:
            filled = _in_run(rule.run, request.run, _filled(template, rule.place, request))
            reply = ScriptedReply.model_validate(filled)
    if reply.calls and not request.tools:
        return ModelReply(fault=Fault("malformed", "Nothing may be called here."))
    if reply.calls:
        return ModelReply(calls=tuple(WantedCall(call.tool, call.args) for call in reply.calls), thought=reply.thought)
    value = reply.value
    if request.purpose != "plan" and request.schema is not None and isinstance(value, dict):
        floor = minimal(reduced(request.schema))
        value = {**(floor if isinstance(floor, dict) else {}), **value}
    return read_value(request, value, reply.thought)


def _in_run(recorded: str, run: str, reply: Any) -> Any:
    """The reply with the current run's id in place of the one that it was recorded in: calls are named after runs."""
    return json.loads(canonical(reply).replace(recorded, run)) if recorded else reply


def _filled(template: Template, place: str, request: ModelRequest) -> Any:
    """The reply with its references filled in from the request's parts."""
    used = {reference.root for reference in template.references}
    try:
        return template.resolve({root: _part(request, root.removeprefix("$")) for root in used})
    except InvalidInput as error:
        raise ModelRefused(
            f"{place}: {error.message}", remedy="The script was written for other results than the calls have had."
        ) from None


def _part(request: ModelRequest, title: str) -> Any:
    """A part as JSON, or as the text that it is."""
    text = request.part(title)
    try:
        return json.loads(text)
    except ValueError:
        return text
