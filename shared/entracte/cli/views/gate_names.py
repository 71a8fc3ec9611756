"""What people call a gate, and the commands that decide it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from entracte.cli.invocation import Invocation
from entracte.cli.records.records import Json
from entracte.cli.runners.model_choice import NETWORKS_OWN, ModelChoice
from entracte.errors import InvalidInput, NotFound

_RUN_CHARS = 8
"""Characters of a run's id that are shown."""

_NAMED = 10
"""Most gates that a refusal names."""


def short_name(id: str) -> str:
    """A gate's or action's id with the run's shortened: ``023ebb45.1.0.2.0.1``."""
    run, dot, rest = id.partition(".")
    return f"{run[:_RUN_CHARS]}{dot}{rest}"


def means(reference: str, id: str) -> bool:
    """Whether a reference is the id, its beginning, or its beginning with the run's id shortened."""
    run, dot, rest = reference.partition(".")
    return id.startswith(reference) or (bool(dot) and id.startswith(run) and id.partition(".")[2].startswith(rest))


def find_gate(gates: Sequence[Json], reference: str) -> Json:
    """The gate that is meant: of those that wait, else of those that were decided; the only waiting one by default.

    Raises:
        NotFound: None, or more than one.
    """
    waiting = [gate for gate in gates if gate["status"] == "waiting"]
    exact = [gate for gate in gates if reference in (gate["id"], short_name(gate["id"]))]
    matching = exact or [gate for gate in waiting if means(reference, gate["id"])]
    if not matching and reference:
        matching = [gate for gate in gates if means(reference, gate["id"])]
    if not matching:
        what = f"There is no gate {reference[:120]!r}." if reference else "Nothing waits for a decision."
        remedy = "entracte gates --status all lists them." if reference else ""
        raise NotFound(what, remedy=remedy, code="gate_not_found")
    if len(matching) > 1:
        names = ", ".join(short_name(gate["id"]) for gate in matching[:_NAMED])
        more = f" and {len(matching) - _NAMED} more" if len(matching) > _NAMED else ""
        raise NotFound(
            f"{len(matching)} gates could be meant: {names}{more}.",
            remedy="Name one of them. entracte gates lists those that wait, with --status all the decided too.",
            code="gate_ambiguous",
        )
    return matching[0]


def commands_for(gate: Json, called: Invocation, choice: ModelChoice = NETWORKS_OWN) -> list[str]:
    """The commands that decide a gate, as they can be typed; a question's asks for the answer.

    Args:
        choice: Model that its run goes on with.
    """
    name = short_name(gate["id"])
    match gate["kind"]:
        case "question":
            return [called.command(f"answer {name}{choice.words}")]
        case "in_doubt":
            return [called.command(f"answer {name} {word}{choice.words}") for word in gate["decisions"]]
        case _:
            by = _speaking_as(gate) if not called.options.url else ""
            return [called.command(f"{word} {name}{by}{choice.words}") for word in ("approve", "deny")]


def _speaking_as(gate: Json) -> str:
    """On this machine, where nobody signs in, the next approver has to say who they are."""
    said = {vote["by"] for vote in gate["votes"] if not vote["refused"]}
    awaited = [name for name in gate["approvers"] if name not in said]
    return f" --by {shlex.quote(awaited[0])}" if awaited else ""


def check_word(gate: Json, word: str, called: Invocation) -> None:
    """Refuse a decision before it is sent that means nothing at this gate.

    Raises:
        InvalidInput: Says which commands decide it.
    """
    if word.strip().lower().replace(" ", "_").replace("-", "_") not in gate["decisions"]:
        shown = repr(word if len(word) <= 60 else f"{word[:60]}…")
        ways = " or ".join(commands_for(gate, called))
        raise InvalidInput(f"{shown} decides nothing here: {gate['question']}", remedy=f"Decide it: {ways}")
