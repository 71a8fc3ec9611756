"""The best answer so far, of a frame that ends before its agent answers: what it knows, in plain words."""

from __future__ import annotations

from collections.abc import Iterator

from entracte.core.blueprint import AgentSpec, Blueprint
from entracte.core.documents.frame import Frame
from entracte.core.documents.session import Session

UNJUDGED = "gave (not judged):"
"""Marks results in a frame's feedback that nobody has turned into state."""

MAX_CHARS = 8000

NO_BUDGET = "There was no budget left to finish this."

IN_CIRCLES = "This went round in circles and was not finished."

_NOT_KNOWLEDGE = frozenset({"goals", "tasks", "questions"})
"""Keys of state that say what is to be done, not what was found."""


def best_answer(
    blueprint: Blueprint, agent: AgentSpec, frame: Frame, session: Session, *, why: str = NO_BUDGET
) -> str | None:
    """What is known, as a text; None where nothing is, or where the agent's answers have a shape of their own.

    Args:
        why: There is no other answer.
    """
    known = [] if agent.output is not None else list(dict.fromkeys(_known(blueprint, frame, session)))
    if not known:
        return None
    text = f"{why} What is known so far:\n" + "\n".join(f"- {line}" for line in known)
    return text if len(text) <= MAX_CHARS else f"{text[:MAX_CHARS]} …"


def _known(blueprint: Blueprint, frame: Frame, session: Session) -> Iterator[str]:
    both = {**session.state, **frame.local}
    for name in blueprint.state:
        if name in both and name not in _NOT_KNOWLEDGE:
            yield from (item.text for item in both[name].items)
    yield from (exchange.results for exchange in frame.exchanges)
    yield from (line for line in frame.feedback if UNJUDGED in line)
