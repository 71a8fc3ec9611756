"""Worlds that remember: scripted models, an embedding model whose vectors a test can read, and every store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from entracte.agents import Agent, Memory, Models, Network
from entracte.core.modelling import ModelReply
from entracte.errors import ModelUnavailable
from entracte.ports.store import Store
from entracte.testing.world import World
from tests.runtime.script import Script

MEMORY = Memory()

SUBJECTS = ("tea", "train", "cat", "money")
"""What the embedding model understands; each is a direction."""


class Meaning:
    """Embedder port: how often each subject, by its word or one that means the same, is in a text.

    Attributes:
        asked: Texts, in order.
        down: It answers nothing.
    """

    SAME: ClassVar[dict[str, str]] = {
        "beverage": "tea",
        "drink": "tea",
        "railway": "train",
        "kitten": "cat",
        "euro": "money",
    }

    def __init__(self, *, down: bool = False) -> None:
        self.asked: list[str] = []
        self.down = down

    def embed(self, texts: Sequence[str], *, deadline_s: float) -> list[tuple[float, ...]]:
        self.asked += texts
        if self.down:
            raise ModelUnavailable("The embedding model is down.")
        return [self._vector(text.casefold()) for text in texts]

    def _vector(self, text: str) -> tuple[float, ...]:
        for word, subject in self.SAME.items():
            text = text.replace(word, subject)
        return (*(float(text.count(subject)) for subject in SUBJECTS), 0.01)


class Remembering(Script):
    """A script that also judges and writes memories."""

    def __init__(self, plans=("done",), *, judge=(), refine=()):
        super().__init__(list(plans))
        self._others |= {"judge": judge or [verdict()], "refine": refine or [written()]}


def verdict(what: str = "", why: str = "small talk") -> ModelReply:
    """What a judge says: to keep this, or nothing."""
    return ModelReply(value={"keep": bool(what), "what": what, "why": why})


def written(*texts: str, category: str = "preference", tags: Sequence[str] = ()) -> ModelReply:
    """What the writer says."""
    return ModelReply(value={"memories": [{"text": t, "category": category, "tags": list(tags)} for t in texts]})


def a_world(
    model: Script,
    *tools,
    embedder: Meaning | None = None,
    store: Store | None = None,
    memory: Memory | None = MEMORY,
    **agent,
) -> World:
    """A world of one agent, which remembers unless it is told not to."""
    desk = Agent(name="desk", prompt="You answer.", tools=tools, **agent)
    models = Models(
        main="scripted/main", judge="scripted/judge", light="scripted/light", embed="openai/e" if embedder else ""
    )
    network = Network(entry=desk, models=models, memory=memory)
    return World(network, model, store=store, embedder=embedder)
