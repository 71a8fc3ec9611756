"""Rows of the table in undo.md for actions that were under way: unknown, started, reverting, unrecoverable."""

import pytest

from tests.gates.scene import SEND, Scene
from tests.gates.shop import Shop, policy
from tests.undo.stage import ADD, CUT, FREE, UPGRADE, broken_off, kill_undo

# unknown, started: resolve by reading, else stop ----------------------------------------------------------------------


@pytest.mark.parametrize(("where", "called"), [("after", ["write", "write"]), ("before", [])])
def test_unknown_is_resolved_by_reading(where, called):
    """Different from before: it happened, so it is taken back. As before: there is nothing to take back."""
    shop = Shop()
    getattr(shop, where)["write"] = CUT
    scene = Scene(UPGRADE, shop=shop)
    getattr(shop, where).clear()
    assert scene.statuses == ["unknown"]
    assert (scene.undo().status, [name for name, _ in shop.done], shop.plans()[1]) == ("undone", called, "Free")


def test_unknown_stops_where_nothing_can_be_read():
    """Nobody knows."""
    shop = Shop()
    shop.after["send"] = CUT
    scene = Scene(UPGRADE, SEND, shop=shop, rules=FREE)
    run = scene.undo()
    assert (run.status, run.undo.stopped, shop.plans()[1]) == ("partial", scene.actions[1].id, "Pro")
    assert run.undo.reason == "Nobody knows whether it happened, and nothing can be read to find out."


def test_unknown_that_happened_but_whose_inverse_needs_its_result_stops():
    """With what was found."""
    rules = policy(
        restore="class: compensable, snapshot: {tool: read, args: {id: $.id}, absent_when: is not there}, "
        "inverse: {tool: remove, args: {id: $result.id}}"
    )
    shop = Shop()
    shop.after["restore"] = CUT
    scene = Scene(("restore", {"id": 9, "record": {"plan": "Pro"}}), shop=shop, rules=rules)
    run = scene.undo()
    assert (run.status, run.undo.reason) == ("partial", "It happened, but its inverse cannot be resolved.")


@pytest.mark.parametrize("happened", [True, False])
def test_started_whose_lease_has_ended_is_resolved_by_reading(happened):
    """The process died; the undo waits for the lease, then reads."""
    scene = broken_off(UPGRADE, "after the call" if happened else "before the call")
    assert scene.statuses == ["started"]
    scene.undo()
    assert (scene.status, scene.shop.plans()[1]) == ("undone", "Free")
    assert scene.statuses == (["reverted"] if happened else ["unknown"])


# reverting, lease expired ---------------------------------------------------------------------------------------------


def reverting(*wanted, rules=None, idempotent=False, happened=True):
    """A run whose undo died while it called an inverse, and whose lease has ended."""
    scene = Scene(*wanted, rules=rules, shop=Shop(idempotent=idempotent))
    kill_undo(scene, "after the call" if happened else "before the call")
    scene.lease_ends()
    return scene


@pytest.mark.parametrize("happened", [True, False])
def test_reverting_with_a_key_that_is_honoured_is_called_again(happened):
    """With the same key, so it is done once."""
    scene = reverting(UPGRADE, idempotent=True, happened=happened)
    scene.settle()
    assert (scene.status, scene.shop.plans()[1], len(scene.shop.done)) == ("undone", "Free", 2)
    assert scene.shop.keys[scene.action.reversal.key] == (2 if happened else 1)


@pytest.mark.parametrize("happened", [True, False])
def test_reverting_with_absent_when_is_called_again_and_gone_counts_as_reverted(happened):
    """The tool itself says whether the target is there."""
    scene = reverting(ADD, happened=happened)
    scene.settle()
    assert (scene.status, scene.shop.plans(), scene.statuses) == ("undone", {1: "Free", 2: "Pro"}, ["reverted"])


@pytest.mark.parametrize("happened", [True, False])
def test_reverting_is_else_resolved_by_reading(happened):
    """As before: it is done. As the call left it: the inverse is called."""
    scene = reverting(UPGRADE, happened=happened)
    scene.settle()
    assert (scene.status, scene.shop.plans()[1], scene.statuses) == ("undone", "Free", ["reverted"])
    assert len(scene.shop.done) == 2


def test_reverting_that_cannot_be_resolved_stops_as_unrecoverable():
    """Nobody repeats an inverse silently either."""
    rules = policy(add="class: compensable, inverse: {tool: remove, args: {id: $result.id}}")
    scene = reverting(UPGRADE, ADD, rules=rules)
    scene.settle()
    assert (scene.status, scene.statuses, scene.run.undo.stopped) == (
        "partial",
        ["applied", "unrecoverable"],
        scene.actions[1].id,
    )
    assert scene.due() == {}


def test_reverting_under_a_live_lease_is_left_alone():
    """Another delivery makes the call."""
    scene = Scene(UPGRADE)
    kill_undo(scene, "after the call")
    messages = list(scene.world.bus.published)
    done = list(scene.shop.done)
    for message in messages:
        scene.world.deliver(message)
    assert (scene.shop.done, scene.statuses, scene.status) == (done, ["reverting"], "undoing")


def test_an_inverse_of_which_nobody_knows_whether_it_happened_stops():
    """A timeout of an inverse is a doubt like any other."""
    scene = Scene(UPGRADE, ADD)
    scene.shop.after["remove"] = CUT
    run = scene.undo()
    assert (run.status, scene.statuses, run.undo.stopped) == (
        "partial",
        ["applied", "unrecoverable"],
        scene.actions[1].id,
    )


# unrecoverable: stop unless --replan ----------------------------------------------------------------------------------


def unrecoverable():
    """A run whose last inverse may or may not have happened."""
    scene = Scene(UPGRADE, ADD)
    scene.shop.after["remove"] = CUT
    scene.undo()
    scene.shop.after.clear()
    assert scene.statuses == ["applied", "unrecoverable"]
    return scene


def test_unrecoverable_stops_the_next_undo_too():
    """At the same place, for the same reason."""
    scene = unrecoverable()
    reason, done = scene.run.undo.reason, list(scene.shop.done)
    run = scene.undo()
    assert (run.status, run.undo.stopped, run.undo.reason, scene.shop.done) == (
        "partial",
        scene.actions[1].id,
        reason,
        done,
    )


def test_unrecoverable_is_tried_again_with_replan():
    """Somebody has looked and wants it tried: gone counts as reverted."""
    scene = unrecoverable()
    assert (scene.undo(replan=True).status, scene.statuses) == ("undone", ["reverted", "reverted"])
    assert scene.shop.plans() == {1: "Free", 2: "Pro"}
