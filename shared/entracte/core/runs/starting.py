"""Starting a run: its documents, in one commit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from entracte.core.addresses import run_path, session_path, turn_path
from entracte.core.asking.bare_message import bare_message
from entracte.core.blueprint import Blueprint
from entracte.core.budget import Share
from entracte.core.documents.frame import Frame
from entracte.core.documents.run import Run
from entracte.core.documents.session import Session, Turn
from entracte.core.entry import frame_entry
from entracte.core.events import record
from entracte.core.frames.opening import check_input, open_frame
from entracte.core.outcome import Outcome, Put
from entracte.core.payload import Payload, digest
from entracte.core.runs.beginning import beginning_of
from entracte.core.runs.boundary import boundary_of
from entracte.core.situation import Situation
from entracte.errors import InvalidInput


class RunRequest(Struct, frozen=True, kw_only=True):
    """What a caller asks for.

    Attributes:
        input: Value for the agent, ``{"message": "…"}`` by default.
        agent: Agent to start at; empty for the network's entry, or whom its router finds.
        route: Route of the network's router; empty to have the message sorted.
        session: Conversation to go on with; empty for a new one.
        models: Models by role, among those the network allows.
        limits: By name; only ever lower the network's own.
    """

    input: Any
    agent: str = ""
    route: str = ""
    session: str = ""
    models: dict[str, str] = {}
    limits: Mapping[str, int] = {}
    metadata: dict[str, str] = {}
    time_zone: str = "UTC"

    @property
    def digest(self) -> str:
        """Tells a retry from another request under the same key."""
        return digest(
            {
                "input": self.input,
                "agent": self.agent,
                "session": self.session,
                "models": self.models,
                "limits": dict(self.limits) or None,
                "metadata": self.metadata,
                "time_zone": self.time_zone,
            }
            | ({"route": self.route} if self.route else {})  # requests of earlier versions keep their digest
        )


def is_cost_bound(blueprint: Blueprint, request: RunRequest) -> bool:
    """Whether the network's author or the caller has set a limit of cost, rather than nobody."""
    return blueprint.cost_bound or "cost_micro_usd" in request.limits


def start_run(s: Situation, request: RunRequest, *, run_id: str, session: Session, owner: str) -> Outcome:
    """The run, its root frame, the user's turn, and the first message.

    Args:
        session: As loaded, or a new one.

    Raises:
        InvalidInput: Unknown agent or route, or an input that does not fit the agent.
    """
    begins = beginning_of(s.blueprint, agent=request.agent, route=request.route)
    agent = s.agent(begins.agent)
    if agent is None:
        known = ", ".join(s.blueprint.agents)
        raise InvalidInput(
            f"There is no agent {request.agent!r}.", remedy=f"Agents: {known}.", pointer="/agent", code="unknown_agent"
        )
    check_input(agent, request.input)
    value = Payload.of(request.input)
    limits = s.blueprint.limits.at_most(request.limits)
    run = Run(
        id=run_id,
        owner=owner,
        session=session.id,
        network=s.blueprint.name,
        network_version=s.blueprint.version,
        agent=agent.name,
        route=begins.route,
        input=value,
        models=request.models,
        limits=limits,
        cost_bound=is_cost_bound(s.blueprint, request),
        metadata=request.metadata,
        time_zone=request.time_zone,
        request_digest=request.digest,
        created=s.now,
        updated=s.now,
    )
    puts, messages = open_frame(
        s,
        agent,
        frame_id=run_id,
        run=run_id,
        session=session.id,
        owner=owner,
        value=value,
        share=Share.whole(limits),
        limits=limits,
        unsorted=begins.unsorted,
    )
    asked = bare_message(request.input)
    text = asked if isinstance(asked, str) else value.text
    after = session.with_turn("user", text, s.now).evolve(expires=s.kept_until)
    turn = Turn.of(after, run=run_id, role="user", text=text, now=s.now)
    root = next(put.document for put in puts if isinstance(put.document, Frame))
    started = record("run.started", agent=agent.name, input=request.input, session=session.id, network=s.blueprint.name)
    return Outcome(
        puts=(
            Put(run_path(run_id), run),
            *puts,
            Put(session_path(session.id), after),
            Put(turn_path(session.id, after.turns), turn),
        ),
        entry=frame_entry(s, root, "started", phase="start", step=0, events=(started, *begins.events)).evolve(
            boundary=boundary_of(root, after)
        ),
        messages=messages,
    )
