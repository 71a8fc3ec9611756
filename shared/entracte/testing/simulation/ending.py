"""What a simulation came to, and whether it is what the run without faults came to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from entracte.core.documents.action import Action
from entracte.core.documents.base import Document
from entracte.core.documents.frame import Frame
from entracte.core.documents.gate import Gate
from entracte.core.documents.run import Run
from entracte.core.documents.session import Turn
from entracte.testing.simulation.effects import Effect
from entracte.testing.simulation.moment import Violation
from entracte.testing.simulation.sameness import comparable

_ALSO = frozenset({"parked_ms", "reversal", "undo", "rev", "warnings"})
"""For how long people were awaited; and, of an undo, its keys and its random id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """What a simulation came to.

    Attributes:
        documents: All of them, by path.
        effects: What changing tools did, oldest first.
        outside: What they made of the world, if the scenario can tell.
        events: After how many events the invariants were looked at.
        altered: A fault struck that the agent itself is told of: the run went another way.
        cancelled: The run was cancelled, or stalled: how far it came is a matter of moments.
        replanned: An undo that had stopped was asked for again by somebody who did not know what it had come to.
    """

    documents: Mapping[str, Document]
    effects: tuple[Effect, ...]
    outside: Any
    violations: tuple[Violation, ...]
    events: int
    altered: bool = False
    cancelled: bool = False
    replanned: bool = False

    @property
    def was_in_doubt(self) -> bool:
        """Some action was `unknown` at some time, or some reversal could not be settled."""
        return any(
            (isinstance(found, Gate) and found.z.kind == "in_doubt")
            or (isinstance(found, Action) and found.status in ("unknown", "unrecoverable"))
            for found in self.documents.values()
        )

    @property
    def ended_early(self) -> bool:
        """So much time passed, or so many models had to be asked again, that a budget was used up or sweep gave up."""
        return any(
            (isinstance(found, Frame) and found.stop_reason == "budget")
            or (isinstance(found, Run) and found.status == "stalled")
            for found in self.documents.values()
        )

    @property
    def is_undone(self) -> bool:
        """Everything that the run has done is taken back."""
        return any(isinstance(found, Run) and found.status == "undone" for found in self.documents.values())

    @property
    def has_warnings(self) -> bool:
        """Some call is on record with what could not be found out about it, such as how it left its record."""
        return any(isinstance(found, Action) and found.warnings for found in self.documents.values())

    def acted(self) -> Counter[tuple[str, str]]:
        """How often each tool acted on what, a key that its tool honours counted once."""
        once = {effect.key: effect for effect in self.effects if effect.honours_key}
        always = [effect for effect in self.effects if not effect.honours_key]
        return Counter((effect.tool, effect.digest) for effect in (*once.values(), *always))

    def comparable(self, *, notices: bool) -> dict[str, Any]:
        """The documents, without what may differ.

        Args:
            notices: With what the session was told of each undo.
        """
        kept = {path: doc for path, doc in self.documents.items() if notices or not _is_notice(doc)}
        also = _ALSO if notices else _ALSO | {"turns"}
        return comparable({path: document.encoded() for path, document in kept.items()}, also)


def differences(ending: Ending, undisturbed: Ending) -> Iterator[Violation]:
    """What is not as it is without faults, up to ids given at commit, times, attempts, usage and branches in doubt."""
    if ending.cancelled and ending.is_undone and undisturbed.is_undone:
        yield from _outside(ending, undisturbed)
    if ending.altered or ending.cancelled or ending.ended_early:
        return
    if ending.acted() != undisturbed.acted() and not _undoing(ending, undisturbed):
        missing, more = undisturbed.acted() - ending.acted(), ending.acted() - undisturbed.acted()
        yield Violation("the effects are the same", f"missing: {_named(missing)}; too many: {_named(more)}")
    if ending.was_in_doubt or ending.has_warnings:
        return
    yield from _outside(ending, undisturbed)
    once = not ending.replanned
    now, then = ending.comparable(notices=once), undisturbed.comparable(notices=once)
    for path in sorted({*now, *then}):
        if now.get(path) != then.get(path):
            yield Violation("the documents are the same", f"{path}: {_differing(now.get(path), then.get(path))}")


def _is_notice(document: Document) -> bool:
    return isinstance(document, Turn) and document.role == "system"


def _outside(ending: Ending, undisturbed: Ending) -> Iterator[Violation]:
    if ending.outside != undisturbed.outside:
        yield Violation("the world is the same", f"it is {ending.outside!r}, without faults {undisturbed.outside!r}")


def _undoing(ending: Ending, undisturbed: Ending) -> bool:
    """A reversal in doubt may have been left, or made again under another key; by a false clock, made twice."""
    inverses = [effect for effect in ending.effects if effect.is_inverse]
    times = Counter(effect.key for effect in inverses)
    expected = bool(inverses) or any(effect.is_inverse for effect in undisturbed.effects)
    in_doubt = ending.was_in_doubt or ending.replanned
    return any(e.skewed and times[e.key] > 1 for e in inverses) or (in_doubt and expected)


def _named(effects: Counter[tuple[str, str]]) -> str:
    return ", ".join(f"{tool} on {digest[7:15]} × {times}" for (tool, digest), times in effects.items()) or "none"


def _differing(now: Any, then: Any) -> str:
    if now is None or then is None:
        return "it is not there" if now is None else "it is not there without faults"
    fields = [name for name in {*now, *then} if now.get(name) != then.get(name)]
    return "; ".join(
        f"{name} is {str(now.get(name))[:200]}, not {str(then.get(name))[:200]}" for name in sorted(fields)
    )
