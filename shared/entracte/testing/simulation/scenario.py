"""What a simulation plays: a network, what it is asked, and what people do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from entracte.agents.network import Network
from entracte.core.documents.gate import Gate
from entracte.ports.model import Model
from entracte.testing.simulation.effects import Effect

Decide = Callable[[Gate], str]
"""What a person says to a gate: ``approve``, ``deny``, an answer to a question; nothing where nobody answers."""

Act = Literal["cancel", "undo", "stall", "resume"]
"""What the owner of the run does besides: cancel it at once; undo it when it has closed; resume it. That it stalls is
nobody's doing: the message that asks for its second step comes back too often.
"""


def agree(gate: Gate) -> str:
    """Approve everything, and answer questions with yes."""
    return "yes" if gate.z.kind == "question" else "approve"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One thing to simulate, again and again.

    Attributes:
        network: Makes the network, with its tools in their first state; called before each simulation.
        message: What the run is asked with: text, or the entry agent's input.
        model: Answers every request; it must answer equal requests equally. None opens the network's own models.
        decide: What people say to gates. A gate in doubt is answered with the truth.
        insists: People whose answer is not confirmed give it again; others only if they find that the gate still waits.
        acts: What the owner does besides, in this order.
        racing: Acts after the first are asked for while that is at work: once it has returned or stands still.
        late_after: Calls that end late do so after so many deliveries of the undo, the request for it among them, and
            the undo is asked for while such a call is under way; 0 for as soon as nothing else moves.
        outside: What tools have made of the world, as JSON: compared with that after the run without faults.
        faults_from: Faults strike from the first handler of this name on; empty for all.
    """

    network: Callable[[], Network]
    message: Any
    model: Callable[[], Model] | None = None
    decide: Decide = agree
    insists: bool = True
    acts: Sequence[Act] = ()
    racing: bool = False
    late_after: int = 0
    outside: Callable[[], Any] | None = None
    faults_from: str = ""


def the_truth(gate: Gate, effects: Sequence[Effect]) -> str:
    """What somebody says who has looked: it happened, or it shall be tried again."""
    return "happened" if any(effect.key == gate.z.action for effect in effects) else "retry"
