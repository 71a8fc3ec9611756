"""A process that dies between any two moves: nothing is lost, nothing is done twice."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from entracte.testing.crashing import AmbiguousStore, Fuse, each_death
from entracte.testing.simulation.sameness import comparable
from entracte.testing.world import World
from tests.runtime.desk import DeskModel, Effects, desk_network

ASKED = "Which plan is Ada on?"


def a_world(*, idempotent: bool) -> tuple[World, Effects]:
    """The desk network, and what its tools have done."""
    effects = Effects()
    return World(desk_network(effects, idempotent=idempotent), DeskModel()), effects


def every_point(*, idempotent: bool) -> Iterator[tuple[str, tuple[World, Effects]]]:
    """The world after a death at each point, and after everything that time heals."""

    def run_with(fuse: Fuse) -> tuple[World, Effects]:
        world, effects = a_world(idempotent=idempotent)
        world.start(ASKED)
        world.settle(world.dying(fuse))
        world.heal()
        return world, effects

    return each_death(run_with)


@pytest.fixture(scope="module")
def undisturbed() -> dict[str, object]:
    """Documents of the run that nothing disturbs."""
    world, _ = a_world(idempotent=True)
    assert world.ask(ASKED).status == "succeeded"
    return comparable(world.documents())


def test_a_crash_at_any_point_leaves_the_same_documents_where_tools_honour_the_key(undisturbed):
    """Whatever point the process dies at, the final documents are those of the undisturbed run."""
    for where, (world, effects) in every_point(idempotent=True):
        assert comparable(world.documents()) == undisturbed, where
        assert len(effects.applied) == 3, where


def test_a_crash_never_repeats_a_change_that_does_not_honour_the_key():
    """Killed between effect and record, the call is `unknown` and the run waits; it is never made twice."""
    waiting = 0
    for where, (world, effects) in every_point(idempotent=False):
        assert max(effects.calls.values()) == 1, where
        run = next(
            fields for path, fields in world.documents().items() if path.count("/") == 1 and path.startswith("runs/")
        )
        unknown = [f for p, f in world.documents().items() if "/actions/" in p and f["status"] == "unknown"]
        assert run["status"] == ("waiting" if unknown else "succeeded"), where
        waiting += bool(unknown)
    assert waiting > 0, "no point lies between an effect and its record: the test tests nothing"


def test_a_commit_that_succeeds_but_reports_a_deadline_is_recognised(undisturbed):
    """The journal entry carries the writer's token, so the writer knows its own commit."""

    def run_with(fuse: Fuse) -> tuple[World, Effects]:
        world, effects = a_world(idempotent=True)
        world.start(ASKED)
        world.settle(world.new_process(store=lambda s: AmbiguousStore(s, fuse)))
        return world, effects

    for where, (world, effects) in each_death(run_with):
        assert comparable(world.documents()) == undisturbed, where
        assert set(effects.calls.values()) == {1}, where
