"""One call of one tool, and what became of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from entracte.agents import tool
from entracte.core.documents.run import Run
from entracte.testing.world import World
from tests.runtime.scenes import a_world, the_action, value
from tests.runtime.script import Script, calls


def called(
    act: Callable[..., Any], *, effect: str = "readonly", arguments: Mapping[str, Any] | None = None, **options: Any
) -> tuple[Run, World, Script]:
    """The run, world and model of a desk whose tool `act` is called once."""
    act.__doc__ = act.__doc__ or "Do something."
    model = Script([calls((act.__name__, arguments or {})), "done"])
    world = a_world(model, tool(effect=effect, **options)(act))
    return world.ask("Go."), world, model


def ended(run: Run, world: World) -> tuple[str, Any, str]:
    """Status, result and error of the only call."""
    action = the_action(world, run)
    return action.status, value(action.result) if action.result else None, action.error
