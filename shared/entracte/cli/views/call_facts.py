"""What is kept of a call beside its arguments and result: who decided on it, and what takes it back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.text import Text

from entracte.cli.records.records import Json
from entracte.cli.terminal.plain_text import call_line, one_line
from entracte.cli.views.gate_view import vote_line


def class_of(action: Json) -> str:
    """What the policy says of the tool, or as much of it as was known when the call was planned; empty for an agent."""
    known: str = action["policy_class"] or action["effect"]
    return known if action["kind"] == "tool" else ""


def decision_lines(gates: Iterable[Json]) -> Iterator[Text]:
    """What was asked of people, and what they said."""
    for gate in gates:
        if gate["votes"]:
            yield from (Text("? ", "yellow") + vote_line(vote) for vote in gate["votes"])
        else:
            yield Text(f"? {gate['status']}: {one_line(gate['question'])}", "yellow")


def inverse_line(action: Json) -> Text | None:
    """The call that takes it back, as it would be written; None where the policy has none."""
    inverse = action["inverse"]
    if inverse is None:
        return None
    if inverse["arguments"] is None:
        return Text(f"! cannot be taken back: {one_line(inverse['unresolved'])}", "yellow")
    return Text(f"↶ {call_line(inverse['tool'], inverse['arguments'])}", "cyan")
