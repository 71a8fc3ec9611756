"""Recording a model's replies as a script, so that a run once made with a real model can be replayed for ever."""

from __future__ import annotations

import json
import re
import threading
from pathlib import Path
from typing import Any

from entracte.core.modelling import ModelReply, ModelRequest, OnDelta
from entracte.ports.model import Model


class Recording:
    """A script in the making; ``scripted/FILE`` replays it.

    A reply is known again by agent, purpose, frame, step and input, not by the words around them, which hold dates and
    budgets. Of several replies to the same question the last counts: those before it could not be used.

    Args:
        file: Path of a .json file. What is in it already stays, and is added to.
    """

    def __init__(self, file: str) -> None:
        self._path = Path(file)
        self._writing = threading.Lock()

    def of(self, model: Model) -> Model:
        """The model, with its replies recorded."""
        return _Recorded(model, self)

    def add(self, request: ModelRequest, reply: ModelReply) -> None:
        """Write a reply down. The file is whole at any time."""
        when = {
            "agent": request.agent,
            "purpose": request.purpose,
            "frame": request.frame.partition(".")[2],
            "step": request.step,
            "input": rf"\A{re.escape(request.part('input'))}\Z",
        }
        rule = {"when": when, "run": request.run, "reply": _literal(_reply_json(reply))}
        with self._writing:
            rules = [each for each in self._read() if each["when"] != when]
            script = {"version": 1, "replies": [*rules, rule]}
            beside = self._path.with_name(f"{self._path.name}.new")
            beside.write_text(json.dumps(script, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
            beside.replace(self._path)

    def _read(self) -> list[dict[str, Any]]:
        if not self._path.exists():
            return []
        replies: list[dict[str, Any]] = json.loads(self._path.read_text("utf-8"))["replies"]
        return replies


class _Recorded:
    """A model whose usable replies are written down."""

    def __init__(self, model: Model, recording: Recording) -> None:
        self._model = model
        self._recording = recording

    def __repr__(self) -> str:
        return f"{self._model!r}, recorded"

    def generate(self, request: ModelRequest, *, deadline_s: float, on_delta: OnDelta | None = None) -> ModelReply:
        """Ask the model, as the model port says."""
        reply = self._model.generate(request, deadline_s=deadline_s, on_delta=on_delta)
        if reply.fault is None:
            self._recording.add(request, reply)
        return reply


def _reply_json(reply: ModelReply) -> dict[str, Any]:
    if reply.calls:
        calls = [{"tool": call.tool, "args": call.arguments} for call in reply.calls]
        return {"thought": reply.thought, "calls": calls}
    return {"thought": reply.thought, "answer": reply.value}


def _literal(value: Any) -> Any:
    """The value as a template that stands for itself: ``$$`` is a dollar sign."""
    match value:
        case str():
            return value.replace("$", "$$")
        case dict():
            return {_literal(key): _literal(each) for key, each in value.items()}
        case list():
            return [_literal(each) for each in value]
        case _:
            return value
