"""What travels between the phases: a kind and a subject, never data."""

from __future__ import annotations

from typing import Literal

from msgspec import DecodeError
from msgspec.json import decode, encode

from entracte.core.answer import Answer
from entracte.core.evolving import Evolving
from entracte.core.step_calls import Calls
from entracte.errors import NewerSchema, TerminalError

SCHEMA = 1

Kind = Literal["plan", "execute", "evaluate", "approve", "undo", "sweep", "memorize", "summarise"]

AFTERWARDS: frozenset[Kind] = frozenset({"memorize", "summarise"})
"""What is done after an answer. Nobody waits for it, and it brings no frame forward."""


def topic_of(kind: Kind) -> str:
    """The topic, and so the function, that messages of a kind go to: their own, but for summaries.

    These are rare, ask a model as plan does, and would otherwise need a function of their own in each deployment.
    """
    return "plan" if kind == "summarise" else kind


class Message(Evolving, frozen=True, kw_only=True):
    """Asks a phase to look at a subject. Documents decide what is done; a repeated or late message does no harm.

    Attributes:
        kind: Phase that handles it.
        run: Run of the subject.
        session: Session of the run, so that it can be read in the same round trip.
        frame: Frame of the subject.
        step: Step at which the frame is expected (plan, evaluate).
        calls: Number of calls of the step that ended before this message, so that they can be read in the same round
            trip (evaluate, and plan of a light agent).
        action: Action of the subject (execute, undo).
        gate: Gate of the subject (approve).
        answer: What a person said to the gate; None asks to announce it.
        traceparent: Trace that it was sent in, where traces are kept. The push request's own header starts a new one.
    """

    schema_version: int = SCHEMA
    kind: Kind
    run: str
    session: str = ""
    frame: str = ""
    step: int = 0
    calls: Calls = 0
    action: str = ""
    gate: str = ""
    answer: Answer | None = None
    traceparent: str = ""

    def encode(self) -> bytes:
        """UTF-8 JSON."""
        return encode(self)


def decode_message(raw: bytes | str) -> Message:
    """Read a message.

    Raises:
        NewerSchema: It was written by a newer version.
        TerminalError: It is not a message.
    """
    try:
        message = decode(raw, type=Message)
    except DecodeError as error:
        raise TerminalError(f"Not a message: {error}.", code="bad_message") from None
    if message.schema_version > SCHEMA:
        raise NewerSchema(f"The message has schema {message.schema_version}; this version knows {SCHEMA}.")
    return message
