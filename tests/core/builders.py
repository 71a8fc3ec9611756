"""Documents for tests, valid in every field that a test does not care about."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from entracte.core.blueprint import AgentSpec, Blueprint, Roles
from entracte.core.budget import Limits, Share
from entracte.core.documents.action import Action, Lease
from entracte.core.documents.frame import Cursor, Frame
from entracte.core.documents.run import Run
from entracte.core.documents.session import Session
from entracte.core.payload import Payload
from entracte.core.state import DEFAULT_KEYS, Key

NOW = datetime(2026, 1, 1, 9, tzinfo=UTC)


def a_run(**fields: Any) -> Run:
    """A running run."""
    given = {"status": "running", "created": NOW, "updated": NOW, "input": Payload.of({"message": "Go."})}
    names = {"id": "r", "owner": "ada", "session": "s", "network": "n", "network_version": "1", "agent": "desk"}
    return Run(**names | given | fields)


def a_frame(*, step: int = 1, phase: str = "execute", **fields: Any) -> Frame:
    """The root frame of `a_run`."""
    names = {"id": "r", "run": "r", "session": "s", "owner": "ada", "agent": "desk"}
    given = {"input": Payload.of({"message": "Go."}), "share": Share.whole(Limits()), "moved": NOW, "due": NOW}
    return Frame(**names | given | {"cursor": Cursor(step=step, phase=phase)} | fields)


def an_action(index: int = 0, *, calls: int = 1, frame: str = "r", step: int = 1, **fields: Any) -> Action:
    """A proposed call of `a_frame`."""
    names = {"run": "r", "session": "s", "owner": "ada", "agent": "desk", "kind": "tool", "tool": "look_up"}
    place = {"id": f"{frame}.{step}.{index}", "frame": frame, "step": step, "index": index, "calls": calls}
    return Action(**names | place | {"arguments": Payload.of({}), "created": NOW} | fields)


def a_lease(**fields: Any) -> Lease:
    """A lease that ends now."""
    return Lease(**{"holder": "d", "worker": "w", "expires": NOW} | fields)


def a_session(**fields: Any) -> Session:
    """The session of `a_run`."""
    return Session(**{"id": "s", "owner": "ada", "created": NOW, "updated": NOW} | fields)


def a_blueprint(*agents: AgentSpec, state: dict[str, Key] | None = None, **fields: Any) -> Blueprint:
    """A network of agents without tools; `desk` by default."""
    named = {agent.name: agent for agent in agents or (AgentSpec(name="desk", prompt="You answer."),)}
    given = {"name": "n", "version": "1", "entry": next(iter(named)), "agents": named, "tools": {}}
    rest = {"roles": Roles(main="scripted/x"), "state": state or DEFAULT_KEYS, "limits": Limits()}
    return Blueprint(**given | rest | fields)
