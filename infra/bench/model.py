"""A model that answers at once, so that what is measured is ours."""

from __future__ import annotations

import json

from entracte.core.modelling import ModelReply, ModelRequest, OnDelta, WantedCall


class QuickModel:
    """One call a step; a tally in one fact, and a new fact every ten steps."""

    def __init__(self, steps: int) -> None:
        self.steps = steps

    def generate(self, request: ModelRequest, *, deadline_s: float, on_delta: OnDelta | None = None) -> ModelReply:
        if request.purpose == "interpret":
            return ModelReply(value={"goals": ["Look often."], "tasks": ["to do: look"]})
        if request.purpose == "plan":
            return (
                ModelReply(calls=(WantedCall("look", {}),)) if request.step <= self.steps else ModelReply(value="done")
            )
        tally = f"Looked {request.step} times; nothing odd so far."
        facts = [tally if request.step == 1 else {"id": "F_001", "text": tally}]
        if request.step % 10 == 0:
            facts.append(f"After {request.step} looks the number was noted down for the report.")
        verdict = {"call": "1", "verdict": "ok", "note": ""}
        return ModelReply(value={"verdicts": [verdict], "state": {"facts": facts}})


class CountingModel(QuickModel):
    """Counts what it is sent.

    Attributes:
        sent_bytes: Bytes of system text, parts and schemas by step, plan and evaluate together.
    """

    def __init__(self, steps: int) -> None:
        super().__init__(steps)
        self.sent_bytes: dict[int, int] = {}

    def generate(self, request: ModelRequest, *, deadline_s: float, on_delta: OnDelta | None = None) -> ModelReply:
        schemas = [json.dumps([t.name, t.description, dict(t.parameters)]) for t in request.tools]
        sent = [request.system, *(p.text for p in request.parts), *schemas, json.dumps(request.schema)]
        self.sent_bytes[request.step] = self.sent_bytes.get(request.step, 0) + sum(len(text.encode()) for text in sent)
        return super().generate(request, deadline_s=deadline_s, on_delta=on_delta)
