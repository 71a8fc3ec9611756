"""A gate as text: what is asked, why, what would be done, who has said what, and how it is decided."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from rich.text import Text

from entracte.cli.invocation import Invocation
from entracte.cli.records.records import Json
from entracte.cli.terminal.hanging import Hanging
from entracte.cli.terminal.plain_text import one_line, plain
from entracte.cli.terminal.quantities import age
from entracte.cli.views.gate_names import commands_for, short_name

GATE_STYLES = {"waiting": "bold yellow", "approved": "green", "denied": "red", "decided": "green"}

_KINDS = {
    "approval": "approval",
    "in_doubt": "in doubt",
    "question": "question",
    "absence": "nothing to put back",
    "unresolvable": "no way back",
}


def gate_view(gate: Json, called: Invocation, *, network: str = "") -> Iterator[Text | Hanging]:
    """A gate with everything that whoever decides it should know.

    Args:
        network: Whose it is, where there are several.
    """
    made = datetime.fromisoformat(gate["created"])
    facts = [_KINDS.get(gate["kind"], str(gate["kind"])), f"{age(made, datetime.now(UTC))} ago"]
    facts.append(f"asked by {one_line(gate['asked_by'])}")
    facts += [f"of {one_line(network)}"] if network else []
    yield Text.assemble(
        (short_name(gate["id"]), "bold"),
        "  ",
        (gate["status"], GATE_STYLES.get(gate["status"], "")),
        (f"  {', '.join(facts)}", "dim"),
    )
    yield from (Hanging(Text("  "), line) for line in asked(gate))
    yield from (Hanging(Text("  "), vote_line(vote)) for vote in gate["votes"])
    if gate["status"] == "waiting":
        yield from (Hanging(Text("  "), Text(command, "cyan")) for command in commands_for(gate, called))


def asked(gate: Json) -> Iterator[Text]:
    """Question, why, preview, and on whom it depends."""
    yield Text(one_line(gate["question"]), "bold")
    yield Text(one_line(gate["why"]), "dim")
    yield from (Text(plain(line)) for line in gate["preview"])
    if conditions := list(_conditions(gate)):
        yield Text(f"{'; '.join(conditions)}.", "dim")


def vote_line(vote: Json) -> Text:
    """Who said what, when, how and why."""
    when = f"{datetime.fromisoformat(vote['at']).astimezone():%Y-%m-%d %H:%M}"
    edited = " with other arguments" if vote["edited"] else ""
    line = Text(f"{one_line(vote['by'], 100)}: {one_line(vote['decision'], 400)}{edited}, {when}, {vote['via']}")
    if vote["reason"]:
        line.append(f": {one_line(vote['reason'])}")
    if vote["refused"]:
        line.append(f"  does not count: {one_line(vote['note'])}", "yellow")
    return line


def _conditions(gate: Json) -> Iterator[str]:
    if gate["approvers"]:
        yield f"decided by {', '.join(map(one_line, gate['approvers']))}"
    if gate["quorum"] > 1:
        yield f"{gate['quorum']} people have to approve"
    if gate["four_eyes"]:
        yield "somebody else than whoever asked for the run has to approve"
    if gate["expires"]:
        yield f"counts as denied from {datetime.fromisoformat(gate['expires']).astimezone():%Y-%m-%d %H:%M}"
