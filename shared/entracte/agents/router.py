"""Declaring a router: kinds of messages in plain words, and who answers them."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from entracte.agents.agent import Agent
from entracte.core.blueprint import RouterSpec, RouteSpec
from entracte.errors import ConfigurationError


class Route(Struct, frozen=True):
    """One kind of message.

    Attributes:
        name: What callers name it by, and the journal.
        description: Which messages belong to it: the light model reads this.
        agent: Who answers them, or its name.
    """

    name: str
    description: str
    agent: Agent | str


class Router(Struct, frozen=True, kw_only=True):
    """Has the light model sort each message before anything is planned, unless its caller names a route or an agent.

    Attributes:
        default: Route on doubt, and where the model's reply cannot be used; the network's entry by default.
    """

    routes: Sequence[Route]
    default: str = ""

    def spec(self) -> RouterSpec:
        """The router as plain data.

        Raises:
            ConfigurationError: No routes, two of one name, one without a description, or an unknown default.
        """
        routes: dict[str, RouteSpec] = {}
        for route in self.routes:
            if route.name in routes:
                raise ConfigurationError(f"Two routes are called {route.name!r}.", remedy="Rename one.")
            if not route.name or not route.description.strip():
                raise ConfigurationError(
                    f"Route {route.name!r} needs a name, and a description that the model can sort by."
                )
            agent = route.agent if isinstance(route.agent, str) else route.agent.name
            routes[route.name] = RouteSpec(description=route.description.strip(), agent=agent)
        if not routes:
            raise ConfigurationError("The router has no routes.")
        if self.default and self.default not in routes:
            raise ConfigurationError(
                f"The router's default {self.default!r} is none of its routes.", remedy=f"Routes: {', '.join(routes)}."
            )
        return RouterSpec(routes=routes, default=self.default)
