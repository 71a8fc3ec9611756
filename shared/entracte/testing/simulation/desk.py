"""The network of Entracte's own proof: a gate, a change with a snapshot, a sub-agent, and reads side by side.

desk (full loop)  step 1: look × 2, send (asks first), clerk      step 2: the answer
clerk (light)     step 1: write (snapshot and inverse)            step 2: its answer
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from entracte.agents import Agent, Budget, Models, Network, Tool, ToolContext, ToolError, tool
from entracte.core.modelling import ModelReply, ModelRequest, OnDelta, Usage, WantedCall
from entracte.core.policy.policy import Policy
from entracte.core.policy.reading import read_manifest
from entracte.testing.simulation.scenario import Act, Scenario

RULES = """
version: 1
tools:
  - {match: look, class: readonly}
  - match: write
    class: reversible
    snapshot: {tool: look, args: {id: $.id}, absent_when: is not there}
    inverse: {tool: write, args: {id: $.id, plan: $snapshot.plan}}
  - match: add
    class: compensable
    inverse: {tool: remove, args: {id: $result.id}, absent_when: is not there}
  - {match: remove, class: irreversible, gate: never}
  - {match: send, class: irreversible}
"""

USAGE = Usage(prompt_tokens=100, output_tokens=10)


class Desk:
    """Records, and mails that were sent.

    Args:
        honours_keys: A second call with the same idempotency key does nothing.
    """

    def __init__(self, *, honours_keys: bool = False) -> None:
        self.records: dict[int, str] = {}
        self.sent: list[str] = []
        self._done: dict[str, Any] = {}
        self._honours_keys = honours_keys
        self.tools = self._tools()
        self.clean()

    def clean(self) -> None:
        """As it was in the beginning."""
        self.records = {1: "Free", 2: "Pro", 3: "Pro"}
        self.sent = []
        self._done = {}

    def outside(self) -> Any:
        """What there is now."""
        return {"records": dict(self.records), "sent": list(self.sent)}

    def _once(self, ctx: ToolContext[None], work: Callable[[], Any]) -> Any:
        """Do it, or give what it gave under the same key."""
        if not self._honours_keys or ctx.idempotency_key not in self._done:
            self._done[ctx.idempotency_key] = work()
        return self._done[ctx.idempotency_key]

    def _write(self, id: int, plan: str) -> str:
        self.records[id] = plan
        return "written"

    def _send(self, to: str) -> str:
        self.sent.append(to)
        return "sent"

    def _tools(self) -> list[Tool]:
        honours = self._honours_keys

        @tool(effect="readonly")
        def look(id: int) -> dict[str, Any]:
            """Look at a record."""
            if id not in self.records:
                raise ToolError(f"Record {id} is not there.")
            return {"id": id, "plan": self.records[id]}

        @tool(idempotent=honours)
        def write(id: int, plan: str, ctx: ToolContext[None]) -> Any:
            """Change a record."""
            return self._once(ctx, lambda: self._write(id, plan))

        @tool(idempotent=honours)
        def add(id: int, ctx: ToolContext[None]) -> Any:
            """Add a record."""
            return self._once(ctx, lambda: {"id": id, "note": self._write(id, "New")})

        @tool(idempotent=honours)
        def remove(id: int, ctx: ToolContext[None]) -> Any:
            """Remove a record."""
            if id not in self.records:
                raise ToolError(f"Record {id} is not there.")
            return self._once(ctx, lambda: self.records.pop(id))

        @tool(idempotent=honours)
        def send(to: str, ctx: ToolContext[None]) -> Any:
            """Send a mail."""
            return self._once(ctx, lambda: self._send(to))

        return [look, write, add, remove, send]


class DeskModel:
    """Answers equal requests equally.

    Args:
        steps: Calls of each agent, step by step; after them it answers.
    """

    def __init__(self, steps: dict[str, list[list[tuple[str, dict[str, Any]]]]]) -> None:
        self._steps = steps

    def generate(self, request: ModelRequest, *, deadline_s: float, on_delta: OnDelta | None = None) -> ModelReply:
        """Model port."""
        match request.purpose:
            case "interpret":
                return ModelReply(value={"goals": ["Do it."], "tasks": ["to do: all of it"]}, usage=USAGE)
            case "evaluate":
                results = json.loads(request.part("results"))
                verdicts = [{"call": result["call"], "verdict": "ok", "note": ""} for result in results]
                state = {"facts": [f"{result['tool']} was called" for result in results]}
                return ModelReply(value={"verdicts": verdicts, "state": state}, usage=USAGE)
            case _:
                steps = self._steps[request.agent]
                if request.step > len(steps):
                    return ModelReply(value="done", usage=USAGE)
                calls = tuple(WantedCall(name, arguments) for name, arguments in steps[request.step - 1])
                return ModelReply(calls=calls, usage=USAGE)


def network(desk: Desk, *, light: bool = False, budget: Budget | None = None) -> Network:
    """Agents over the desk's tools."""
    tools = desk.tools
    clerk = Agent(name="clerk", prompt="You keep the records.", tools=tools, light=True, max_steps=3)
    entry = Agent(name="desk", prompt="You answer.", tools=tools, agents=[clerk], light=light, max_steps=4)
    policy = Policy(read_manifest(RULES, file="policy.yaml", variables={}))
    limits = budget or Budget(wall_s=10**9, depth=2, actions=20, writes=10)
    return Network(entry=entry, models=Models(main="scripted/desk"), policy=policy, budget=limits, name="desk")


def scenario(
    steps: dict[str, Any],
    *,
    honours_keys: bool = False,
    light: bool = False,
    budget: Budget | None = None,
    **more: Any,
) -> Scenario:
    """A scenario over a desk of its own. Building a network costs more than a simulation, so it is built once."""
    desk = Desk(honours_keys=honours_keys)
    built = network(desk, light=light, budget=budget)

    def clean() -> Network:
        desk.clean()
        return built

    return Scenario(network=clean, message="Go.", model=lambda: DeskModel(steps), outside=desk.outside, **more)


def small_scenario(**how: Any) -> Scenario:
    """One agent, one change: small enough for every pair of faults."""
    return scenario({"desk": [[("write", {"id": 1, "plan": "Pro"})]]}, light=True, **how)


def small_gated_scenario(**how: Any) -> Scenario:
    """One agent, one change that a person is asked about first."""
    return scenario({"desk": [[("send", {"to": "ada"})]]}, light=True, **how)


def answered_once_scenario(**how: Any) -> Scenario:
    """A gate answered by somebody who does not ask what became of the answer."""
    return small_gated_scenario(insists=False, **how)


def unanswered_scenario(**how: Any) -> Scenario:
    """A run that is cancelled while it waits at a gate, which nobody answers."""
    return small_gated_scenario(acts=("cancel",), decide=lambda gate: "", **how)


def racing_undos_scenario(**how: Any) -> Scenario:
    """Two people ask at once for the change to be taken back."""
    return small_scenario(acts=("undo", "undo"), racing=True, **how)


def late_scenario(late_after: int, **how: Any) -> Scenario:
    """An undo of a call that is still under way, and ends after so many deliveries of the undo."""
    return small_scenario(acts=("undo",), late_after=late_after, **how)


def resumed_scenario(first: Act, second: Act, **how: Any) -> Scenario:
    """A run that has stalled, undone and resumed at once."""
    return small_scenario(acts=("stall", first, second), racing=True, **how)


def run_scenario(**how: Any) -> Scenario:
    """The run of the proof."""
    calls = [("look", {"id": 2}), ("look", {"id": 3}), ("send", {"to": "ada"}), ("clerk", {"message": "Upgrade 1."})]
    return scenario({"desk": [calls], "clerk": [[("write", {"id": 1, "plan": "Pro"})]]}, **how)


def nested_scenario(**how: Any) -> Scenario:
    """A gate within a sub-agent, beside a change of its caller's."""
    calls = [("clerk", {"message": "Write to Ada."}), ("write", {"id": 2, "plan": "Free"})]
    clerk = [[("send", {"to": "ada"}), ("look", {"id": 3})]]
    return scenario({"desk": [calls], "clerk": clerk}, **{"light": True} | how)


def undo_scenario(**how: Any) -> Scenario:
    """Two changes of one record and a new record, all taken back: faults strike from the undo on."""
    calls = [("write", {"id": 1, "plan": "Pro"}), ("add", {"id": 9}), ("write", {"id": 1, "plan": "Team"})]
    return scenario({"desk": [calls]}, light=True, **{"acts": ("undo",), "faults_from": "undo"} | how)
