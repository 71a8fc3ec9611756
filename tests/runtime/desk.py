"""A small network with one of everything: readonly and changing calls, a sub-agent, facts from results."""

from __future__ import annotations

import json
from collections import Counter

from entracte.agents import UNGATED, Agent, Budget, Models, Network, Tool, ToolContext, tool
from entracte.core.modelling import ModelReply, ModelRequest, OnDelta, Usage, WantedCall


class Effects:
    """What the tools have really done, by idempotency key."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self.applied: dict[str, str] = {}


def tools(effects: Effects, *, idempotent: bool) -> list[Tool]:
    """The tools, recording into `effects`."""

    @tool(effect="readonly", evaluation="At least one hit.")
    def look_up(name: str) -> dict[str, str]:
        """Look a customer up."""
        return {"name": name, "plan": "Pro"}

    @tool(idempotent=idempotent)
    def note_down(text: str, ctx: ToolContext[None]) -> str:
        """Write a note."""
        effects.calls[ctx.idempotency_key] += 1
        if not idempotent or ctx.idempotency_key not in effects.applied:
            effects.applied[ctx.idempotency_key] = text
        return f"noted {text}"

    return [look_up, note_down]


class DeskModel:
    """Looks two customers up and notes one down in the first step, asks the clerk in the second, then answers."""

    def generate(self, request: ModelRequest, *, deadline_s: float, on_delta: OnDelta | None = None) -> ModelReply:
        reply = self._reply(request)
        return ModelReply(
            calls=reply.calls, value=reply.value, usage=Usage(prompt_tokens=100, output_tokens=10), served="desk-1"
        )

    def _reply(self, request: ModelRequest) -> ModelReply:
        match request.purpose, request.agent, request.step:
            case "interpret", _, _:
                return ModelReply(value={"goals": ["Answer."], "tasks": ["to do: look up"]})
            case "evaluate", _, _:
                results = json.loads(request.part("results"))
                verdicts = [{"call": r["call"], "verdict": "ok", "note": ""} for r in results]
                facts = [f"{r['tool']}: {json.dumps(r.get('result', r.get('error')))}" for r in results]
                return ModelReply(value={"verdicts": verdicts, "state": {"facts": facts}})
            case "plan", "desk", 1:
                return ModelReply(
                    calls=(
                        WantedCall("look_up", {"name": "Ada"}),
                        WantedCall("look_up", {"name": "Grace"}),
                        WantedCall("note_down", {"text": "first"}),
                        WantedCall("note_down", {"text": "second"}),
                    )
                )
            case "plan", "desk", 2:
                return ModelReply(calls=(WantedCall("clerk", {"message": "note it"}),))
            case "plan", "clerk", 1:
                return ModelReply(calls=(WantedCall("note_down", {"text": "from the clerk"}),))
            case "plan", "clerk", _:
                return ModelReply(value="noted")
            case _:
                return ModelReply(value="Ada is on Pro.")


def desk_network(effects: Effects, *, idempotent: bool = True, budget: Budget | None = None) -> Network:
    """The network."""
    look_up, note_down = tools(effects, idempotent=idempotent)
    clerk = Agent(name="clerk", prompt="You note things down.", tools=[note_down])
    desk = Agent(name="desk", prompt="You answer questions.", tools=[look_up, note_down], agents=[clerk])
    return Network(entry=desk, models=Models(main="scripted/desk"), policy=UNGATED, name="desk", budget=budget)
