"""A run over the shop that may wait at gates, and what people do with them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from entracte.agents import Agent, Budget, Network
from entracte.core.addresses import gate_path
from entracte.core.answer import Answer, Via
from entracte.core.documents.action import Action
from entracte.core.documents.gate import Gate
from entracte.core.documents.run import Run
from entracte.core.messages import Message
from entracte.core.modelling import ModelReply, ModelRequest
from entracte.core.policy.policy import Policy
from entracte.ports.store import Update
from entracte.runtime.compose import Runtime
from entracte.testing.world import World
from tests.gates.shop import Shop, policy
from tests.runtime.scenes import MODEL, actions, told
from tests.runtime.script import Script, calls

SEND = ("send", {"to": "ada"})
PATIENT = Budget(wall_s=10**9)


def shop_network(shop: Shop, rules: Policy, agents: Sequence[Agent] = (), **network: Any) -> Network:
    """An agent called desk who has all of the shop's tools."""
    desk = Agent(name="desk", prompt="You keep a shop.", tools=shop.tools, agents=agents)
    return Network(entry=desk, models=MODEL, policy=rules, **{"budget": PATIENT} | network)


def in_steps(*replies: ModelReply) -> Callable[[ModelRequest], ModelReply]:
    """A line that says the same at a step however often it is asked: so many replies, and then "done"."""

    def line(request: ModelRequest) -> ModelReply:
        return replies[request.step - 1] if request.step <= len(replies) else ModelReply(value="done")

    return line


class Scene:
    """One run.

    Args:
        wanted: What desk calls in its first step; or a model with plans of its own.
        rules: Policy; that of `policy()` by default.
        shop: What the tools work on.
        start: Start the run and deliver until it ends or waits.
        network: More arguments of the network.
    """

    def __init__(
        self,
        *wanted: tuple[str, Any],
        rules: Policy | None = None,
        model: Script | None = None,
        shop: Shop | None = None,
        agents: Sequence[Agent] = (),
        start: bool = True,
        **network: Any,
    ) -> None:
        self.shop = shop or Shop()
        self.model = model or Script([in_steps(calls(*wanted))])
        self.world = World(shop_network(self.shop, rules or policy(), agents, **network), self.model)
        self.id = self.world.start("Go.").id
        if start:
            self.world.settle()

    @property
    def run(self) -> Run:
        return self.world.run(self.id)

    @property
    def status(self) -> str:
        """Of the run."""
        return self.run.status

    @property
    def actions(self) -> list[Action]:
        return actions(self.world, self.run)

    @property
    def statuses(self) -> list[str]:
        """Of the actions, in order."""
        return [action.status for action in self.actions]

    @property
    def action(self) -> Action:
        """The only action."""
        (action,) = self.actions
        return action

    @property
    def gates(self) -> list[Gate]:
        return list(self.world.process.gates.of_run(self.id))

    @property
    def open(self) -> list[Gate]:
        """Gates that wait."""
        return [gate for gate in self.gates if gate.waiting]

    @property
    def gate(self) -> Gate:
        """The only gate that waits."""
        (gate,) = self.open
        return gate

    @property
    def told(self) -> list[str]:
        """What desk was told after its first step."""
        return told(self.model, 2)

    def decide(
        self, decision: str, *, by: str = "ada", gate: Gate | None = None, process: Runtime | None = None, **how: Any
    ) -> Gate:
        """Answer a gate as the API does."""
        gates = (process or self.world.process).gates
        return gates.decide((gate or self.gate).id, decision, user=by, **{"via": "http", "operator": True} | how)

    def message(
        self, decision: str, id: str, *, by: str = "ada", gate: Gate | None = None, via: Via = "console", **how: Any
    ) -> Message:
        """An answer on its way, as a console edit or a link sends it."""
        asked = gate or self.gate
        answer = Answer(id=id, by=by, via=via, decision=decision, **{"operator": True} | how)
        return Message(kind="approve", run=self.id, session="session", gate=asked.id, answer=answer)

    def settle(self) -> None:
        """Deliver until nothing waits."""
        self.world.settle()

    def deliver(self, count: int = 1) -> None:
        """Deliver so many messages, oldest first."""
        for _ in range(count):
            self.world.deliver(self.world.bus.waiting.pop(0))

    def cancel(self) -> None:
        """Cancel the run."""
        self.world.process.runs.cancel(self.id, owner="ada")

    def undo(self, **how: Any) -> Run:
        """Take the run back."""
        self.world.process.runs.undo(self.id, owner="ada", **how)
        self.settle()
        return self.run

    def lease_ends(self) -> None:
        """Time passes until every lease taken by now is over, and sweep looks."""
        self.world.clock.advance(seconds=self.world.process.engine.process.timeout.total_seconds() + 61)
        self.world.sweep()

    def edit(self, path: str, **fields: Any) -> None:
        """Change a stored document as somebody does who may edit it in the console."""
        stored = self.world.store.load([path])[path]
        self.world.store.commit([Update(path, fields, stored.version)])

    def edit_gate(self, gate: Gate, **fields: Any) -> None:
        """Change a gate by hand; ``z__digest`` is the digest in its machine part."""
        stored = dict(self.world.store.load([gate_path(gate.id)])[gate_path(gate.id)].fields)
        inner = {name.removeprefix("z__"): value for name, value in fields.items() if name.startswith("z__")}
        outer = {name: value for name, value in fields.items() if not name.startswith("z__")}
        self.edit(gate_path(gate.id), **outer, **({"z": stored["z"] | inner} if inner else {}))

    def due(self) -> dict[str, Any]:
        """Everything of the run that sweep will look at, with its date."""
        return {path: fields["due"] for path, fields in self.world.documents().items() if fields.get("due") is not None}
