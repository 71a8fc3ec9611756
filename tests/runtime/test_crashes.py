"""A process that dies between any two moves: nothing is lost, nothing is done twice."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from entracte.runtime.compose import Runtime
from entracte.testing.crashing import AmbiguousStore, Crash, CrashingBus, CrashingStore, Fuse
from entracte.testing.simulation.sameness import comparable
from entracte.testing.world import World
from tests.runtime.desk import DeskModel, Effects, desk_network


def a_world(*, idempotent: bool) -> tuple[World, Effects]:
    """The desk network, and what its tools have done."""
    """A fresh world, and what its tools do."""
    effects = Effects()
    return World(desk_network(effects, idempotent=idempotent), DeskModel()), effects


def run_with(world: World, process: Runtime) -> None:
    """Deliver with a process that may die; its unacknowledged message is delivered again, to another process."""
    world.start("Which plan is Ada on?")
    while world.bus.waiting:
        message = world.bus.waiting.pop(0)
        try:
            world.deliver(message, process)
        except Crash:
            process = world.process
            world.bus.waiting.append(message)
            world.clock.advance(seconds=10)  # a broken connection is a nack, delivered again after the backoff


def heal(world: World) -> None:
    """What time brings: leases end, sweep looks at what is due."""
    for _ in range(5):
        world.clock.advance(minutes=20)
        world.sweep()
        world.settle()


def points(*, idempotent: bool) -> int:
    """How many points a run passes at which its process can die."""
    """Port calls of the whole run: as many places to die at."""
    world, _ = a_world(idempotent=idempotent)
    fuse = Fuse()
    run_with(world, world.new_process(store=lambda s: CrashingStore(s, fuse), bus=lambda b: CrashingBus(b, fuse)))
    return len(fuse.points)


def every_point(*, idempotent: bool) -> Iterator[tuple[int, World, Effects]]:
    """A world for each point, after a process died there and time has healed what it left."""
    """The world after a death at each point and after everything that time heals."""
    for at in range(points(idempotent=idempotent)):
        world, effects = a_world(idempotent=idempotent)
        fuse = Fuse(at)
        run_with(
            world,
            world.new_process(store=lambda s, f=fuse: CrashingStore(s, f), bus=lambda b, f=fuse: CrashingBus(b, f)),
        )
        heal(world)
        yield at, world, effects


@pytest.fixture(scope="module")
def undisturbed() -> dict[str, object]:
    """Documents of a run in which nothing died."""
    """Documents of the run that nothing disturbs."""
    world, _ = a_world(idempotent=True)
    assert world.ask("Which plan is Ada on?").status == "succeeded"
    return comparable(world.documents())


def test_a_crash_at_any_point_leaves_the_same_documents_where_tools_honour_the_key(undisturbed):
    """Whatever point the process dies at, the final documents are those of the undisturbed run."""
    for at, world, effects in every_point(idempotent=True):
        assert comparable(world.documents()) == undisturbed, f"after a crash at point {at}"
        assert len(effects.applied) == 3, f"after a crash at point {at}"


def test_a_crash_never_repeats_a_change_that_does_not_honour_the_key():
    """Killed between effect and record, the call is `unknown` and the run waits; it is never made twice."""
    waiting = 0
    for at, world, effects in every_point(idempotent=False):
        assert max(effects.calls.values()) == 1, f"repeated after a crash at point {at}"
        run = next(
            fields for path, fields in world.documents().items() if path.count("/") == 1 and path.startswith("runs/")
        )
        unknown = [f for p, f in world.documents().items() if "/actions/" in p and f["status"] == "unknown"]
        assert run["status"] == ("waiting" if unknown else "succeeded"), f"after a crash at point {at}"
        waiting += bool(unknown)
    assert waiting > 0, "no point lies between an effect and its record: the test tests nothing"


def test_a_commit_that_succeeds_but_reports_a_deadline_is_recognised(undisturbed):
    """The journal entry carries the writer's token, so the writer knows its own commit."""
    world, _ = a_world(idempotent=True)
    fuse = Fuse()
    run_with(world, world.new_process(store=lambda s: AmbiguousStore(s, fuse)))
    for at in range(len(fuse.points)):
        world, effects = a_world(idempotent=True)
        blown = Fuse(at)
        run_with(world, world.new_process(store=lambda s, f=blown: AmbiguousStore(s, f)))
        assert comparable(world.documents()) == undisturbed, f"after an ambiguous commit at {at}"
        assert set(effects.calls.values()) == {1}, f"repeated after an ambiguous commit at {at}"
