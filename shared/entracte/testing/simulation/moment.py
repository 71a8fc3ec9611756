"""What invariants look at: one event, with the documents right before and after it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, TypeVar

from entracte.core.addresses import action_path, frame_path, run_path
from entracte.core.blueprint import Blueprint
from entracte.core.documents.action import Action
from entracte.core.documents.base import Document
from entracte.core.documents.frame import Frame
from entracte.core.documents.gate import Gate
from entracte.core.documents.run import Run
from entracte.core.messages import Message
from entracte.core.modelling import ModelRequest
from entracte.testing.simulation.effects import Effect, HeardEnd

D = TypeVar("D", bound=Document)

EventKind = Literal["commit", "publish", "model", "effect", "rest"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """One event of a simulation.

    Attributes:
        kind: A commit that went through; messages handed to the bus; a model asked; a changing tool that acted; or
            everything at rest, once nothing moves any more by itself.
        now: The true time.
        documents: All of them as they are after the event, by path.
        changed: Those that the commit wrote, each as it was before (None for a new one) and as it is.
        messages: What is published.
        request: What the model is asked.
        effects: All effects so far, oldest first; an event `effect` is about the last.
        heard: Ends of changing calls that deliveries have heard and dealt with.
        journal: Paths of the journal's entries in the order of their commits.
    """

    kind: EventKind
    now: datetime
    blueprint: Blueprint
    documents: Mapping[str, Document]
    changed: Mapping[str, tuple[Document | None, Document]] = field(default_factory=dict)
    messages: Sequence[Message] = ()
    request: ModelRequest | None = None
    effects: Sequence[Effect] = ()
    heard: Sequence[HeardEnd] = ()
    journal: Sequence[str] = ()

    def of(self, kind: type[D]) -> Iterator[D]:
        """All documents of a kind."""
        return (document for document in self.documents.values() if isinstance(document, kind))

    def moves(self, kind: type[D]) -> Iterator[tuple[D | None, D]]:
        """What the commit did to documents of a kind: before (None for a new one) and after."""
        for before, after in self.changed.values():
            if isinstance(after, kind):
                yield before if isinstance(before, kind) else None, after

    def run(self, id: str) -> Run | None:
        found = self.documents.get(run_path(id))
        return found if isinstance(found, Run) else None

    def frame(self, run: str, id: str) -> Frame | None:
        found = self.documents.get(frame_path(run, id))
        return found if isinstance(found, Frame) else None

    def action(self, id: str) -> Action | None:
        found = self.documents.get(action_path(id.partition(".")[0], id))
        return found if isinstance(found, Action) else None

    def gate(self, id: str) -> Gate | None:
        found = self.documents.get(f"gates/{id}")
        return found if isinstance(found, Gate) else None

    def was_in_doubt(self, action: str) -> bool:
        """Whether the action is or ever was `unknown`, or its reversal given up as unrecoverable."""
        found = self.action(action)
        if found is not None and found.status in ("unknown", "unrecoverable"):
            return True
        return any(gate.z.action == action and gate.z.kind == "in_doubt" for gate in self.of(Gate))


Check = Callable[[Moment], Iterator[str]]


@dataclass(frozen=True, slots=True)
class Invariant:
    """Something that always holds.

    Attributes:
        name: What it is called in reports.
        sentence: What it proves.
        check: Gives what is wrong, in words; nothing when it holds.
    """

    name: str
    sentence: str
    check: Check


@dataclass(frozen=True, slots=True)
class Violation:
    """An invariant that did not hold."""

    invariant: str
    what: str

    def __str__(self) -> str:
        return f"{self.invariant}: {self.what}"
