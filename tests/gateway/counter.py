"""A shop behind the gateway: clients ask for calls, people decide, time passes."""

from __future__ import annotations

from typing import Any

from entracte.core.addresses import action_path
from entracte.core.client_calls.opening import Client
from entracte.core.documents.action import Action
from entracte.core.documents.gate import Gate
from entracte.core.documents.run import Run
from entracte.core.policy.policy import Policy
from entracte.core.situation import Docs
from entracte.runtime.compose import Runtime
from entracte.runtime.services.client_calls import Answered, ClientCalls
from entracte.runtime.services.page import Page
from entracte.testing.world import World
from tests.gates.scene import shop_network
from tests.gates.shop import Shop, policy
from tests.runtime.script import Script

ADA = Client(owner="ada", session="s1", name="desktop 1.0")
AGAIN = Client(owner="ada", session="s2", name="desktop 1.0")
BOB = Client(owner="bob", session="s3")


class Counter:
    """Clients at the counter of the shop.

    Args:
        rules: Policy; that of `policy()` by default.
    """

    def __init__(self, shop: Shop | None = None, rules: Policy | None = None) -> None:
        self.shop = shop or Shop()
        self.world = World(shop_network(self.shop, rules or policy()), Script([]))
        self.calls = ClientCalls(self.world.process.engine)

    def ask(self, tool: str, client: Client = ADA, **arguments: Any) -> Answered:
        """One call of a client."""
        return self.calls.call(client, tool, arguments)

    def elsewhere(self, process: Runtime | None = None) -> ClientCalls:
        """The same store in another process."""
        return ClientCalls((process or self.world.new_process()).engine)

    def decide(self, answered: Answered, decision: str, **how: Any) -> Gate:
        """A person decides the gate that a call waits at."""
        assert answered.gate is not None
        return self.world.process.gates.decide(
            answered.gate.id, decision, user=how.pop("by", "ada"), via="cli", operator=True, **how
        )

    def leave(self, client: Client = ADA) -> None:
        """The client ends its session."""
        self.calls.end(client)

    def action(self, answered: Answered) -> Action:
        """The action as it is now."""
        path = action_path(answered.action.run, answered.action.id)
        found = Docs(self.world.process.engine.repository.load((path,)).documents).find(path, Action)
        assert found is not None
        return found

    def run(self, answered: Answered) -> Run:
        """The run that the call belongs to."""
        return self.world.process.runs.get(answered.action.run, owner=answered.action.owner)

    @property
    def runs(self) -> Page[Run]:
        """Ada's runs, newest first."""
        return self.world.process.runs.list(owner="ada")

    def pass_time(self, **time: float) -> None:
        """Time passes, and sweep looks until nothing is due."""
        self.world.clock.advance(**time)
        for _ in range(20):
            self.world.settle()
            if not self.world.sweep():
                break
