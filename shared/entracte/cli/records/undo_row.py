"""What an undo does with each call: read from a run's journal, or from a dry run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict, replace

from entracte.cli.records.records import Json


class UndoRow(Struct, frozen=True, kw_only=True):
    """One call.

    Attributes:
        verdict: ``reverted``, ``unverified``, ``already``, ``permanent``, ``skipped``, ``stopped``, ``kept``; in a dry
            run, ``revert`` and ``stop`` stand for what has not happened.
        inverse: Tool and arguments of the call that takes it back; None where there is none.
        note: Why.
        shown: Values before, expected and found, where they differ.
    """

    action: str
    tool: str
    arguments: Any
    verdict: str
    inverse: Json | None = None
    note: str = ""
    shown: Json | None = None

    def as_json(self) -> dict[str, Any]:
        """The row as a JSON object."""
        return asdict(self)


def rows_of_journal(journal: Iterable[Json], actions: Sequence[Json]) -> list[UndoRow]:
    """The rows of the last undo, newest effect first; none when there was no undo."""
    told: dict[str, Json] = {}
    order: list[str] = []
    for entry in journal:
        for event in entry["events"]:
            data = event["data"]
            match event["type"], data.get("how"):
                case "run.undone", "asked":
                    told, order = {}, []
                case "run.undone", "ordered":
                    order = [*data["actions"], *data["kept"]]
                case "run.undone", "reverted" | "unverified" | "permanent" | "skipped" | "stopped":
                    told[data["action"]] = data
                case _:
                    pass
    by_id = {action["id"]: action for action in actions}
    return [_row(by_id[id], told.get(id)) for id in order if id in by_id]


def rows_of_dry_run(steps: Iterable[Json]) -> list[UndoRow]:
    """The rows of a dry run, newest effect first."""
    return [
        UndoRow(
            action=step["action"],
            tool=step["tool"],
            arguments=step["arguments"],
            verdict=step["fate"],
            inverse=step["inverse"],
            note=step["note"],
            shown=step["shown"],
        )
        for step in steps
    ]


def with_inverses(rows: Iterable[UndoRow], plan: Iterable[UndoRow]) -> list[UndoRow]:
    """The rows, with the inverse calls of a plan where they have none."""
    planned = {row.action: row.inverse for row in plan}
    return [replace(row, inverse=row.inverse or planned.get(row.action)) for row in rows]


def is_whole(rows: Iterable[UndoRow]) -> bool:
    """Whether everything is taken back, or will be."""
    return all(row.verdict not in ("permanent", "stopped", "stop", "kept") for row in rows)


def _row(action: Json, told: Json | None) -> UndoRow:
    """A row; an action of which nothing is told was not reached."""
    verdict, note = (told["how"], told["note"]) if told is not None else ("kept", "")
    if verdict == "reverted" and note.startswith("already"):
        verdict, note = "already", "it is as before"
    inverse = action["inverse"]
    shown = {name: told[name] for name in ("before", "expected", "found")} if told and "found" in told else None
    return UndoRow(
        action=action["id"],
        tool=action["tool"],
        arguments=action["arguments"],
        verdict=verdict,
        inverse=inverse if inverse is not None and inverse["arguments"] is not None else None,
        note=note,
        shown=shown,
    )
