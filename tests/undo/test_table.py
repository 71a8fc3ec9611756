"""What an undo does with an action, row by row of the table in undo.md (phases/undo.py)."""

import pytest

from entracte.agents import Blocked, Hook, ToolError
from tests.gates.scene import SEND, Scene
from tests.gates.shop import Shop, policy, raising, record
from tests.undo.stage import ADD, CUT, DOWNGRADE, FREE, UPGRADE, fates, moves

REMOVE = ("remove", {"id": 2})


# readonly, failed, denied, blocked, cancelled, expired: skip ----------------------------------------------------------


def test_readonly_is_skipped():
    """It has changed nothing."""
    scene = Scene(("read", {"id": 1}), UPGRADE)
    assert (scene.undo().status, fates(scene)) == ("undone", ["reverted write"])


def test_failed_is_skipped():
    """The tool said that it did nothing."""
    shop = Shop()
    shop.before["write"] = raising(ToolError("Busy."))
    scene = Scene(UPGRADE, shop=shop)
    assert (scene.statuses, scene.undo().status, fates(scene)) == (["failed"], "undone", [])


def test_denied_is_skipped():
    """It was not called."""
    scene = Scene(SEND)
    scene.decide("deny")
    scene.settle()
    assert (scene.undo().status, fates(scene), scene.statuses) == ("undone", [], ["denied"])


def test_blocked_is_skipped():
    """It was not called."""

    class Blocking(Hook):
        def before_tool(self, call, ctx):
            raise Blocked("No.")

    scene = Scene(UPGRADE, harness=[Blocking()])
    assert (scene.undo().status, fates(scene)) == ("undone", [])


def test_cancelled_is_skipped():
    """Undo of a waiting run cancels the call that it holds."""
    scene = Scene(SEND, UPGRADE)
    assert (scene.undo().status, fates(scene)) == ("undone", ["reverted write"])
    assert scene.statuses == ["cancelled", "reverted"]


def test_expired_is_skipped():
    """Nobody decided in time."""
    scene = Scene(SEND, rules=policy(send="class: irreversible, expires: 1d"))
    scene.world.clock.advance(days=2)
    scene.world.sweep()
    scene.settle()
    assert (scene.undo().status, fates(scene), scene.statuses) == ("undone", [], ["expired"])


# applied, no inverse: permanent ---------------------------------------------------------------------------------------


def test_applied_without_an_inverse_is_permanent_and_stepped_over():
    """Stopping would not unsend the mail, and would leave the rest wrong."""
    scene = Scene(UPGRADE, SEND, ADD, rules=FREE)
    run = scene.undo()
    mail = scene.actions[1].id
    assert (run.status, run.undo.permanent, run.undo.stopped) == ("partial", (mail,), "")
    assert fates(scene) == ["unverified add", "permanent send", "reverted write"]
    assert (scene.shop.plans(), scene.statuses) == ({1: "Free", 2: "Pro"}, ["reverted", "applied", "reverted"])


# applied, inverse and post-state: drift check -------------------------------------------------------------------------


def test_equal_to_the_post_state_the_inverse_is_called():
    """With a key of its own, and read back."""
    scene = Scene(UPGRADE)
    run = scene.undo()
    action = scene.action
    assert (run.status, action.status, action.reversal.verified) == ("undone", "reverted", True)
    assert (scene.shop.plans()[1], set(scene.shop.keys)) == ("Free", {action.id, action.reversal.key})
    assert (action.due, action.reversal.lease) == (None, None)


def test_equal_to_the_snapshot_it_is_reverted_already():
    """Somebody has put it back: it is marked, and nothing is called."""
    scene = Scene(UPGRADE)
    scene.shop.records[1]["plan"] = "Free"
    run = scene.undo()
    assert (run.status, scene.statuses, len(scene.shop.done)) == ("undone", ["reverted"], 1)


def test_a_removed_record_that_is_back_is_reverted_already():
    """Absence and presence are compared like any value."""
    scene = Scene(REMOVE)
    scene.shop.records[2] = record("Pro")
    assert (scene.undo().status, len(scene.shop.done)) == ("undone", 1)


@pytest.mark.parametrize("change", [{"plan": "Team"}, {"note": "by hand"}, {"extra": 1}])
def test_equal_to_neither_it_stops_and_shows_both_values(change):
    """Nothing is changed, not even what lies before: that would be taken back from under it."""
    scene = Scene(ADD, UPGRADE)
    scene.shop.records[1] |= change
    before = dict(scene.shop.records)
    run = scene.undo()
    stopped = moves(scene)[-1]
    assert (run.status, run.undo.stopped, run.undo.reason) == (
        "partial",
        scene.actions[1].id,
        "Somebody has changed it since.",
    )
    assert (scene.shop.records, scene.statuses) == (before, ["applied", "applied"])
    assert (stopped["before"]["plan"], stopped["expected"]["plan"], stopped["found"]) == ("Free", "Pro", before[1])


def test_a_record_that_is_gone_is_drift():
    """Somebody has deleted it since."""
    scene = Scene(UPGRADE)
    del scene.shop.records[1]
    run = scene.undo()
    assert (run.status, run.undo.stopped, scene.shop.records) == ("partial", scene.action.id, {2: record("Pro")})


def test_unreadable_it_stops():
    """With the reason."""
    scene = Scene(UPGRADE)
    scene.shop.before["read"] = CUT
    run = scene.undo()
    assert (run.status, run.undo.stopped, scene.shop.plans()[1]) == ("partial", scene.action.id, "Pro")
    assert "cannot be read" in run.undo.reason


def test_what_stopped_an_undo_can_be_put_right_and_the_undo_asked_for_again():
    """It goes on where it stopped."""
    scene = Scene(ADD, UPGRADE, DOWNGRADE)
    scene.shop.records[1]["plan"] = "Team"
    assert (scene.undo().status, fates(scene)) == ("partial", ["reverted write", "stopped write"])
    scene.shop.records[1]["plan"] = "Pro"
    assert (scene.undo().status, scene.statuses) == ("undone", ["reverted"] * 3)
    assert scene.shop.plans() == {1: "Free", 2: "Pro"}


# applied, inverse, no post-state: unverified --------------------------------------------------------------------------


def test_without_a_post_state_the_inverse_is_called_unverified():
    """Nothing could be read to see that it worked."""
    scene = Scene(ADD)
    run = scene.undo()
    assert (run.status, run.undo.unverified) == ("undone", (scene.action.id,))
    assert scene.shop.plans() == {1: "Free", 2: "Pro"}


def test_a_compensation_whose_target_is_gone_counts_as_reverted_and_stops_nothing():
    """The inverse's `absent_when` says so; what lies before is taken back."""
    scene = Scene(UPGRADE, ADD)
    del scene.shop.records[101]
    run = scene.undo()
    assert (run.status, scene.statuses, scene.shop.plans()[1]) == ("undone", ["reverted", "reverted"], "Free")
    assert scene.actions[1].reversal.note == "its target was gone already"


def test_a_post_state_that_could_not_be_read_does_not_keep_a_change_from_being_taken_back():
    """The inverse is called; reading back afterwards may still verify it."""
    shop = Shop()
    shop.after["write"] = lambda: shop.before.update(read=CUT)
    scene = Scene(UPGRADE, shop=shop)
    shop.before.clear()
    shop.after.clear()
    assert (scene.undo().status, scene.action.reversal.verified, shop.plans()[1]) == ("undone", True, "Free")


def test_an_inverse_that_refuses_stops_and_returns_the_action_to_applied():
    """Its next try has a new key: the first one was answered."""
    scene = Scene(UPGRADE, ADD)
    scene.shop.before["remove"] = raising(ToolError("Locked."))
    run = scene.undo()
    added = scene.actions[1]
    assert (run.status, run.undo.stopped, run.undo.reason) == ("partial", added.id, "remove refused: Locked.")
    assert (added.status, added.reversal, scene.shop.plans()[1]) == ("applied", None, "Pro")
    first = [key for key in scene.shop.keys if ".undo." in key]
    scene.shop.before.clear()
    assert scene.undo().status == "undone"
    second = [key for key in scene.shop.keys if ".undo." in key and key.startswith(added.id)]
    assert (first[0] in second, len(second)) == (True, 2)
