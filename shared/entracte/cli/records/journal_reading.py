"""Frames and actions as a journal tells of them, for places that give nothing but the journal.

A journal does not say which verdict a result got, what a call warned of, what class a tool has, or what takes a call
back; those stay empty.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from entracte.cli.records.records import Json

_UNDONE = {"claimed": "reverting", "reverted": "reverted", "unverified": "reverted"}
"""Status of a call after a move of an undo."""


class JournalReading(Struct):
    """What has been read of one run's journal so far, by id, in the shapes of `entracte.runtime.services.rendering`."""

    frames: dict[str, dict[str, Any]] = {}
    actions: dict[str, dict[str, Any]] = {}

    @classmethod
    def of(cls, run: Json, entries: Iterable[Json]) -> JournalReading:
        """Read all entries of a run, oldest first."""
        reading = cls()
        for entry in entries:
            reading._read(entry)
        for id in reading.frames:
            if id in reading.actions:
                reading.actions[id]["kind"] = "agent"
        if (root := reading.frames.get(run["id"])) is not None and run["stop_reason"] not in ("", "cancelled"):
            root |= {"phase": "ended", "stop_reason": run["stop_reason"], "error": run["error"]}
        return reading

    def _read(self, entry: Json) -> None:
        frame = self.frames.setdefault(entry["frame"], _new_frame(entry))
        frame["step"] = max(frame["step"], entry["step"])
        if entry["phase"] == "evaluate":
            frame["phase"] = "plan"
        for event in entry["events"]:
            data = event["data"]
            match event["type"]:
                case "plan.ready":
                    frame["phase"] = "execute"
                    for call in data["calls"]:
                        self.actions[call["action"]] = _new_action(entry, call)
                case "tool.called":
                    action = self.actions.setdefault(data["action"], _new_action(entry, data))
                    action |= {"status": "started", "attempt": data["attempt"], "arguments": data["arguments"]}
                    action["started"] = action["started"] or entry["at"]
                case "tool.result":
                    self._end(entry, data)
                case "gate.opened":
                    status = "unknown" if data["kind"] == "in_doubt" else "gated"
                    self.actions[data["action"]] |= {"status": status, "gate": data["gate"]}
                case "gate.decided" if not data["refused"]:
                    self._decide(entry, data)
                case "run.undone" if data["how"] in _UNDONE:
                    self.actions[data["action"]]["status"] = _UNDONE[data["how"]]
                case "state.updated":
                    _apply(frame["state"], data["applied"])
                case _:
                    pass

    def _end(self, entry: Json, data: dict[str, Any]) -> None:
        action = self.actions.setdefault(data["action"], _new_action(entry, data))
        action |= {"status": data["status"], "result": data.get("result"), "error": data.get("error", "")}
        action["ended"] = entry["at"]
        if (child := self.frames.get(data["action"])) is not None:
            child |= {"phase": "ended", "stop_reason": "answered" if data["status"] == "applied" else "error"}

    def _decide(self, entry: Json, data: dict[str, Any]) -> None:
        """What a decision makes of the call that waited for it."""
        action = self.actions[data["gate"].rpartition(".")[0]]
        match data["status"], data["decision"], action["status"]:
            case "approved", _, _:
                action |= {"status": "approved"}
            case "denied" | "expired" as status, _, _:
                # A retry that was not let through: its call was made before, and nobody knows what it did.
                action |= {"status": "unknown" if action["attempt"] else status, "ended": entry["at"]}
            case "decided", answer, "gated":
                action |= {"status": "applied", "result": answer, "ended": entry["at"]}
            case "decided", "happened", _:
                action |= {"status": "applied", "error": "", "ended": entry["at"]}
            case "decided", "retry", _:
                action |= {"status": "approved", "error": ""}
            case _:  # not enough people yet, or given up
                pass


def _new_frame(entry: Json) -> dict[str, Any]:
    parent = entry["frame"] if "." in entry["frame"] else ""
    return {"id": entry["frame"], "agent": entry["agent"], "parent": parent, "step": 0, "phase": "plan",
            "stop_reason": "", "error": "", "state": {}}  # fmt: skip


def _new_action(entry: Json, call: Json) -> dict[str, Any]:
    return {
        "id": call["action"],
        "frame": entry["frame"],
        "agent": entry["agent"],
        "tool": call["tool"],
        "kind": "tool",
        "effect": "",
        "policy_class": "",
        "status": "proposed",
        "step": entry["step"],
        "attempt": 0,
        "arguments": call.get("arguments", {}),
        "result": None,
        "error": "",
        "warnings": [],
        "verdict": "",
        "verdict_note": "",
        "gate": "",
        "snapshot": None,
        "after": None,
        "inverse": None,
        "started": None,
        "ended": None,
    }


def _apply(state: dict[str, list[dict[str, str]]], changes: Iterable[dict[str, str]]) -> None:
    """Take changes of a frame's own state up, item by item."""
    for change in changes:
        if change["scope"] != "local":
            continue
        items = [item for item in state.get(change["key"], []) if item["id"] != change["id"]]
        if change["text"]:
            items.append({"id": change["id"], "text": change["text"]})
        state[change["key"]] = sorted(items, key=lambda item: item["id"])
