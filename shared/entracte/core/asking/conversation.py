"""What was said in a session before, as a request shows it; and the request that has it summed up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import takewhile

from entracte.core.asking import prompts
from entracte.core.asking.roles import ROLE_OF, model_for
from entracte.core.blueprint import Blueprint
from entracte.core.conversation.window import SUMMARY_CHARS, History
from entracte.core.documents.line import Line
from entracte.core.documents.run import Run
from entracte.core.modelling import ModelRequest, Part


def conversation_text(history: History) -> str:
    """The first messages, the summary of those between, and the latest; not the user's message that is answered now."""
    latest = _before_the_latest_question(history.latest)
    summary = (f"(The messages in between, summed up:)\n{history.summary}\n(The latest:)",) if history.summary else ()
    return "\n".join((*_told(history.opening), *summary, *_told(latest)))


def notices_text(history: History) -> str:
    """What the system has said of earlier turns, for agents that do not see the conversation."""
    return "\n".join(_told(line for line in history.lines if line.role == "system"))


def summary_request(blueprint: Blueprint, run: Run, history: History, between: Sequence[Line]) -> ModelRequest:
    """Ask the light model to sum messages up, together with what was summed up before."""
    return ModelRequest(
        purpose="summarise",
        run=run.id,
        frame=run.id,
        agent=run.agent,
        step=0,
        model=model_for(ROLE_OF["summarise"], blueprint, None, run.models),
        system=prompts.SUMMARISE.format(chars=f"{SUMMARY_CHARS // 2:,}"),
        parts=tuple(
            part for part in (Part("summary", history.summary), Part("messages", messages_text(between))) if part.text
        ),
        max_output_tokens=2048,
    )


def messages_text(lines: Sequence[Line]) -> str:
    """Messages as the summariser reads them; by this it is also known which ones it has read."""
    return "\n".join(_told(lines))


def _before_the_latest_question(lines: Sequence[Line]) -> tuple[Line, ...]:
    """Without the user's message at their end, behind which the system may have said something since."""
    behind = tuple(takewhile(lambda line: line.role == "system", reversed(lines)))[::-1]
    said = tuple(lines[: len(lines) - len(behind)])
    return (*said[:-1], *behind) if said and said[-1].role == "user" else tuple(lines)


def _told(lines: Iterable[Line]) -> Iterable[str]:
    for line in lines:
        yield from (f"({line.role} {done})" for done in line.did)
        yield f"{line.role}: {line.text}"
