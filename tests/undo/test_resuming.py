"""An undo whose process died, and undos that race: one inverse is sent (phases/undo.py, runtime/upkeep/sweep.py)."""

import pytest

from entracte.errors import Conflict
from entracte.runtime.upkeep.sweep import Sweep
from entracte.testing.crashing import Crash, each_death
from tests.gates.racing import at_once, overtaken
from tests.gates.scene import Scene
from tests.gates.shop import Shop, policy
from tests.undo.stage import ADD, UPGRADE, kill_undo

BLIND = policy(add="class: compensable, inverse: {tool: remove, args: {id: $result.id}}")
"""Under which nothing tells whether the inverse of an `add` has been called."""


def asked(*wanted, **scene):
    """A run whose undo has been ordered, and the message that takes the newest change back."""
    made = Scene(*wanted, **scene)
    made.world.process.runs.undo(made.id, owner="ada")
    made.deliver()
    (message,) = made.world.bus.waiting
    made.world.bus.waiting.clear()
    return made, message


@pytest.mark.parametrize("wanted", [UPGRADE, ADD])
def test_of_undos_that_race_one_claims_the_reversal(wanted):
    """All have read and found no drift; each reversal is claimed by a versioned commit."""
    scene, message = asked(wanted)
    at_once(scene.world, *[lambda process: process.engine.handle(message)] * 4)
    scene.settle()
    assert (scene.status, scene.shop.plans()) == ("undone", {1: "Free", 2: "Pro"})
    assert len([key for key in scene.shop.keys if ".undo." in key]) == 1
    assert len(scene.shop.done) == 2


def test_an_undo_that_another_delivery_overtakes_sends_nothing_more():
    """It finds that the reversal has been claimed and done."""
    scene, message = asked(UPGRADE)
    slow = overtaken(scene.world, lambda: scene.world.deliver(message))
    scene.world.deliver(message, slow)
    scene.settle()
    assert (scene.status, len(scene.shop.done)) == ("undone", 2)


def test_of_two_people_who_ask_for_an_undo_at_once_one_is_told_that_it_is_under_way():
    """One undo at a time."""
    scene = Scene(UPGRADE)
    acts = [lambda process, by=by: process.runs.undo(scene.id, owner="ada", by=by) for by in ("ada", "bob")]
    ends = at_once(scene.world, *acts)
    scene.settle()
    assert [type(end) for end in ends if not hasattr(end, "undo")] == [Conflict]
    assert (scene.status, len(scene.shop.done)) == ("undone", 2)


def every_point(*wanted, **how):
    """The scene after its undo was killed at each point in turn, and after what time made of it."""

    def killed(fuse):
        scene = Scene(*wanted, shop=Shop(**how), rules=BLIND)
        undone_with(scene, fuse)
        return scene

    return each_death(killed)


def undone_with(scene, fuse):
    """Deliver the undo with a process that dies when the fuse blows; sweep finds what it left."""
    world = scene.world
    process = world.dying(fuse)
    world.process.runs.undo(scene.id, owner="ada")
    for _ in range(4):
        while world.bus.waiting:
            try:
                world.deliver(world.bus.waiting.pop(0), process)
            except Crash:
                process = world.process
        world.clock.advance(minutes=20)
        world.sweep()


def test_a_killed_undo_never_repeats_an_inverse_that_does_not_honour_its_key():
    """What can be read is resolved by reading; what cannot stops the undo, visibly, and nothing is due any more."""
    ends = set()
    for where, scene in every_point(UPGRADE, ADD):
        assert max(scene.shop.keys.values()) == 1, where
        assert len([name for name, _ in scene.shop.done if name in ("write", "remove")]) <= 3, where
        assert scene.due() == {}, where
        ends.add((scene.status, *scene.statuses))
    assert ends == {("undone", "reverted", "reverted"), ("partial", "applied", "unrecoverable")}


def test_a_killed_undo_comes_to_the_same_end_where_keys_are_honoured():
    """Each inverse is done once, however often it was called."""
    for where, scene in every_point(UPGRADE, ADD, idempotent=True):
        assert (scene.status, scene.shop.plans(), len(scene.shop.done)) == ("undone", {1: "Free", 2: "Pro"}, 4), where
        assert scene.due() == {}, where


def release(scene, worker):
    """What an embedded start does after the process of that name has died."""
    Sweep(scene.world.process.engine, scene.world.bus).release(lambda name: name == worker)
    scene.settle()


def test_the_reversal_that_a_dead_process_claimed_is_free_at_once_when_a_program_starts():
    """Nobody waits for the lease of a process that is known to be dead."""
    scene = Scene(UPGRADE)
    kill_undo(scene, "before the call")
    began = scene.world.clock.now()
    release(scene, scene.action.reversal.lease.worker)
    assert (scene.status, scene.shop.plans()[1], scene.world.clock.now()) == ("undone", "Free", began)


def test_an_undo_that_a_dead_process_left_between_two_actions_goes_on_when_a_program_starts():
    """No lease says whose it was: its message is sent once more."""
    scene, _ = asked(UPGRADE, ADD)
    assert (scene.world.bus.waiting, scene.status) == ([], "undoing")
    release(scene, "whoever")
    assert (scene.status, scene.shop.plans()) == ("undone", {1: "Free", 2: "Pro"})


def test_a_lease_that_a_living_process_holds_is_not_ended_by_a_start():
    """It may be calling."""
    scene = Scene(UPGRADE)
    kill_undo(scene, "before the call")
    release(scene, "somebody else")
    assert (scene.status, scene.statuses, len(scene.shop.done)) == ("undoing", ["reverting"], 1)


def test_sweep_picks_an_undo_up_as_soon_as_the_lease_has_ended():
    """It does not wait for the date of the run."""
    scene = Scene(UPGRADE)
    kill_undo(scene, "after the call")
    lease = scene.action.reversal.lease
    scene.world.clock.advance(seconds=(lease.expires - scene.world.clock.now()).total_seconds())
    scene.world.sweep()
    scene.settle()
    assert (scene.status, scene.shop.plans()[1], len(scene.shop.done)) == ("undone", "Free", 2)
