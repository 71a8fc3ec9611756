"""Small worlds: one agent called desk, the tools of the test, and a script."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from entracte.agents import UNGATED, Agent, Models, Network, Tool, ToolSpec
from entracte.core.documents.action import Action
from entracte.core.documents.frame import Frame
from entracte.core.documents.run import Run
from entracte.core.events import Event, events_of
from entracte.core.payload import Payload
from entracte.ports.model import Model
from entracte.ports.store import Store
from entracte.testing.world import World
from tests.runtime.script import Script

MODEL = Models(main="scripted/model")


def a_world(
    model: Model,
    *tools: Tool,
    agents: Sequence[Agent] = (),
    desk: Mapping[str, Any] | None = None,
    plain: Sequence[ToolSpec] = (),
    store: Store | None = None,
    **network: Any,
) -> World:
    """A world in which `desk` has the tools and agents.

    Args:
        desk: Its other attributes.
        plain: Tools as plain data.
        store: Where its documents are; in memory, by default.
        network: The network's other arguments.
    """
    names = (*tools, *(spec.name for spec in plain))
    entry = Agent(**{"name": "desk", "prompt": "You answer.", "tools": names, "agents": agents} | dict(desk or {}))
    return World(
        Network(entry=entry, tools=plain, **{"policy": UNGATED, "models": MODEL} | network), model, store=store
    )


def actions(world: World, run: Run) -> list[Action]:
    """The run's actions, oldest first."""
    return list(world.process.runs.actions(run))


def the_action(world: World, run: Run) -> Action:
    """The only action of the run."""
    (action,) = actions(world, run)
    return action


def frame(world: World, run: Run, frame_id: str = "") -> Frame:
    """A frame of the run; the root by default."""
    return next(frame for frame in world.process.runs.frames(run) if frame.id == (frame_id or run.id))


def events(world: World, run: Run, *types: str) -> list[Event]:
    """Events of the run's journal, oldest first, of these types or all."""
    entries = world.process.runs.journal(run, limit=1000).items
    return [event for entry in entries for event in events_of(entry) if not types or event.type in types]


def value(payload: Payload | None) -> Any:
    """What a payload holds."""
    assert payload is not None
    return payload.value


def told(model: Script, step: int, agent: str = "desk") -> list[str]:
    """Feedback that the agent was given when it was last asked at a step."""
    request = [request for request in model.asked("plan", agent) if request.step == step][-1]
    return [line.removeprefix("- ") for line in request.part("feedback").splitlines()]
