"""Answering what an agent asks, or what is known of a call in doubt."""

from __future__ import annotations

from entracte.cli.gates.decide_gates import decide
from entracte.cli.invocation import Invocation
from entracte.cli.records.records import Json
from entracte.cli.runners.gate_decision import Decision
from entracte.cli.runners.model_choice import ModelChoice
from entracte.cli.runners.opening import open_records
from entracte.cli.terminal.keyboard import at_keyboard, read_line
from entracte.cli.views.gate_names import check_word, find_gate, means
from entracte.cli.views.gate_view import asked
from entracte.errors import InvalidInput

_NAME_CHARS = 8
"""A shorter word alone is an answer, not the beginning of an id: somebody may well answer with 4."""


def answer_one(called: Invocation, words: list[str], decision: Decision, choice: ModelChoice) -> int:
    """Answer a gate; the exit code, as of `entracte run`.

    Args:
        words: The gate and the answer, or one of them.
        decision: What goes with the answer, whose word is empty.
    """
    with open_records(called.options) as records:
        gates = records.gates()
    match words:
        case [reference, text]:
            gate = find_gate(gates, reference)
        case [word] if len(word) >= _NAME_CHARS and any(means(word, gate["id"]) for gate in gates):
            gate = find_gate(gates, word)
            text = _ask(called, gate)
        case [text]:
            gate = find_gate([gate for gate in gates if "approve" not in gate["decisions"]], "")
        case _:
            raise InvalidInput("No answer is given.", remedy=f"What is asked: {called.command('gates')}")
    if gate["kind"] != "question":
        check_word(gate, text, called)
    return decide(called, [gate], decision.saying(text), choice)


def _ask(called: Invocation, gate: Json) -> str:
    """The answer, from the keyboard."""
    text = ""
    if at_keyboard(called):
        for line in asked(gate):
            called.screen.note(line, style="")
        text = read_line(called.screen, "Your answer: ")
    if not text:
        raise InvalidInput("No answer is given.", remedy="Write it behind the gate.")
    return text
