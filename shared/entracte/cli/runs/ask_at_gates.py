"""Asking about what a run waits for, while the person is there."""

from __future__ import annotations

import json
from collections.abc import Callable

from rich.text import Text

from entracte.cli.invocation import Invocation
from entracte.cli.records.records import Json
from entracte.cli.runners.gate_decision import Decision, read_arguments
from entracte.cli.runners.runner import Runner
from entracte.cli.runs.progress import Progress
from entracte.cli.terminal.editor import edited
from entracte.cli.terminal.hanging import Hanging
from entracte.cli.terminal.keyboard import agrees, at_keyboard, choose, read_line
from entracte.cli.terminal.plain_text import call_line
from entracte.cli.terminal.screen import Screen
from entracte.cli.views.gate_view import asked
from entracte.errors import EntracteError

_LATER = "later"
_EDIT = "edit"

_KEYS = {"approve": "a", "deny": "d", "happened": "h", "retry": "r", "give_up": "g", _EDIT: "e", _LATER: "l"}
"""Key of each word, the first letter."""


def ask_at_gates(
    called: Invocation, runner: Runner, progress: Progress, run: Json, *, wait: Callable[[str], Json] | None = None
) -> Json:
    """The run, once the person has nothing more to say: at the end, or where they leave it for later.

    Args:
        wait: In place of the runner's.
    """
    left: set[str] = set()
    while run["status"] == "waiting" and at_keyboard(called):
        gates = [g for g in runner.records.gates(run=run["id"], status="waiting") if g["id"] not in left]
        # All are asked before any is decided: what follows a decision would run over the next question.
        decisions = [(gate, _decision(called.screen, gate)) for gate in gates]
        left |= {gate["id"] for gate, decision in decisions if decision is None}
        with progress.following(run["id"]):
            decided = [_decide(called.screen, runner, gate, said) for gate, said in decisions if said is not None]
            if not any(decided):
                return run
            run = (wait or runner.wait)(run["id"])
            progress.catch_up(run)
    return run


def _decide(screen: Screen, runner: Runner, gate: Json, decision: Decision) -> bool:
    """Whether the gate is decided now. Who is refused is told why, and asked again if the gate still waits."""
    try:
        return bool(runner.decide(gate, decision)["status"] != "waiting")
    except EntracteError as error:
        screen.fail(error.message, error.remedy)
        return False


def _decision(screen: Screen, gate: Json) -> Decision | None:
    """What the person says to a gate; None for later."""
    screen.gap()
    for index, line in enumerate(asked(gate)):
        screen.err.print(Hanging(Text("  " if index else "? ", "bold yellow"), line))
    if gate["kind"] == "question":
        text = _read(screen, "Your answer (empty: later): ")
        return Decision(word=text) if text else None
    words = [*gate["decisions"], *([_EDIT] if gate["editable"] else []), _LATER]
    prompt = f"{', '.join(f'[{word[0]}]{word[1:]}'.replace('_', ' ') for word in words)}: "
    match choose(screen, prompt, {_KEYS[word]: word for word in words}, _LATER):
        case "later":
            return None
        case "edit":
            return _edited(screen, gate)
        case "deny":
            return Decision(word="deny", reason=_read(screen, "Why, for the agent (may stay empty): "))
        case word:
            return Decision(word=word)


def _edited(screen: Screen, gate: Json) -> Decision | None:
    """Approval with other arguments, as the person leaves them in an editor; asks again when they are not meant."""
    before = json.dumps(gate["arguments"], ensure_ascii=False, indent=2)
    try:
        after = edited(before + "\n", suffix=".json")
        arguments = read_arguments(after)
    except EntracteError as error:
        screen.fail(error.message, error.remedy)
        return _decision(screen, gate)
    if arguments != gate["arguments"]:
        screen.err.print(Hanging(Text("→ ", "bold yellow"), Text(call_line(gate["tool"], arguments))))
        if agrees(screen, "Approve with these arguments?"):
            return Decision(word="approve", arguments=after)
    screen.note("The arguments are as they were.")
    return _decision(screen, gate)


def _read(screen: Screen, prompt: str) -> str:
    try:
        return read_line(screen, prompt)
    except KeyboardInterrupt:
        screen.err.print()
        return ""
