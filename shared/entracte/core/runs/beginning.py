"""Where a run begins: at an agent, on the route that the caller names, or with the sorting of the message.

Until a message is sorted, its frame is the default route's: whatever keeps it from being sorted, somebody answers.
"""

from __future__ import annotations

from msgspec import Struct

from entracte.core.blueprint import Blueprint, RouterSpec
from entracte.core.documents.journal import EventRecord
from entracte.core.events import record
from entracte.errors import InvalidInput


class Beginning(Struct, frozen=True, kw_only=True):
    """Agent that a run begins at.

    Attributes:
        route: The one that was named; empty where there is none, or none yet.
        unsorted: The message has to be sorted first.
        events: What is told of it.
    """

    agent: str
    route: str = ""
    unsorted: bool = False
    events: tuple[EventRecord, ...] = ()


def beginning_of(blueprint: Blueprint, *, agent: str, route: str) -> Beginning:
    """What the caller's choice comes to. Naming an agent passes the router by.

    Raises:
        InvalidInput: There is no such route, or an agent is named as well.
    """
    if route and agent:
        raise InvalidInput(
            f"The request names the agent {agent!r} and the route {route!r}.",
            remedy="Name one of them: a route says which agent answers.",
            pointer="/route",
            code="agent_and_route",
        )
    router = blueprint.router
    if route:
        return _named(router, route)
    if router is None or agent:
        return Beginning(agent=agent or blueprint.entry)
    return Beginning(agent=router.default_agent(blueprint.entry), unsorted=True)


def _named(router: RouterSpec | None, route: str) -> Beginning:
    found = router.routes.get(route) if router is not None else None
    if found is None:
        known = ", ".join(router.routes) if router is not None else "none; this network has no router"
        raise InvalidInput(
            f"There is no route {route!r}.", remedy=f"Routes: {known}.", pointer="/route", code="unknown_route"
        )
    event = record("run.routed", route=route, agent=found.agent, strategy="caller", reason="The caller named it.")
    return Beginning(agent=found.agent, route=route, events=(event,))
