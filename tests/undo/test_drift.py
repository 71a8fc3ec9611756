"""Drift checks, dry runs, merging of fields, plans made anew (undo/drift.py, undo/inverses.py, dry_run.py)."""

import pytest

from entracte.errors import Conflict
from entracte.runtime.services.dry_run import dry_run
from tests.gates.scene import SEND, Scene, shop_network
from tests.gates.shop import RULES, Shop, policy
from tests.runtime.scenes import value
from tests.undo.stage import ADD, CUT, DOWNGRADE, FREE, UPGRADE, fates, kill_undo, moves

AGAIN = ("write", {"id": 1, "plan": "Team", "note": "twice"})
MERGE = policy(write=f"{RULES['write']}, merge: fields")


def planned(scene, **how):
    """What an undo would do: fates and inverse calls; it has read only."""
    documents, records, done = scene.world.documents(), dict(scene.shop.records), list(scene.shop.done)
    steps = dry_run(scene.world.process.engine, scene.run, **how)
    assert (scene.world.documents(), scene.shop.records, scene.shop.done) == (documents, records, done)
    return [(step.fate, step.tool, step.arguments) for step in steps]


def only_fates(scene, **how):
    """Fates alone."""
    return [fate for fate, _, _ in planned(scene, **how)]


# ignore ---------------------------------------------------------------------------------------------------------------


def test_ignored_fields_are_left_out_of_drift():
    """`seen` counts by itself: between the call and the undo it has changed, and that is nobody's change."""
    scene = Scene(UPGRADE)
    scene.shop.records[1]["seen"] = 99
    assert (scene.undo().status, scene.action.reversal.verified, scene.shop.plans()[1]) == ("undone", True, "Free")


def test_what_changed_only_ignored_fields_is_taken_back_all_the_same():
    """The record reads as it did before the call: that does not tell that somebody has put it back."""
    scene = Scene(UPGRADE, rules=policy(write=RULES["write"].replace("[seen]", "[seen, plan]")))
    assert only_fates(scene) == ["revert"]
    assert (scene.undo().status, scene.shop.plans()[1]) == ("undone", "Free")


def test_what_its_snapshot_does_not_show_is_taken_back_all_the_same():
    """A record was added, and the policy reads another one: it is there before and after."""
    scene = Scene(ADD, rules=policy(add=f"{RULES['add']}, snapshot: {{tool: read, args: {{id: 1}}}}"))
    assert only_fates(scene) == ["revert"]
    assert (scene.undo().status, scene.shop.plans()) == ("undone", {1: "Free", 2: "Pro"})


def test_a_merge_that_has_nothing_to_put_back_calls_nothing():
    """The call wrote what was there before."""
    scene = Scene(("write", {"id": 1, "plan": "Free"}), rules=MERGE)
    assert (scene.undo().status, scene.statuses, len(scene.shop.done)) == ("undone", ["reverted"], 1)


def test_without_ignore_a_volatile_field_stops_the_undo():
    """So the test above tests something."""
    scene = Scene(UPGRADE, rules=policy(write=RULES["write"].replace("ignore: [seen], ", "")))
    scene.shop.records[1]["seen"] = 99
    assert (scene.undo().status, scene.shop.plans()[1]) == ("partial", "Pro")


@pytest.mark.parametrize(
    ("path", "where"),
    [
        ("meta.etag", {"meta": {"etag": 2, "kept": 1}}),
        ("items[].at", {"items": [{"at": 2, "n": 1}, {"at": 3, "n": 2}]}),
    ],
)
def test_an_ignored_path_goes_into_objects_and_through_lists(path, where):
    """The fields beside it still count."""
    scene = Scene(UPGRADE, rules=policy(write=RULES["write"].replace("seen", f'seen, "{path}"')), start=False)
    scene.shop.records[1] |= {"meta": {"etag": 1, "kept": 1}, "items": [{"at": 0, "n": 1}, {"at": 1, "n": 2}]}
    scene.settle()
    scene.shop.records[1] |= where
    assert scene.undo().status == "undone"


def test_a_field_beside_an_ignored_one_is_drift():
    """Only the named path is left out."""
    scene = Scene(UPGRADE, rules=policy(write=RULES["write"].replace("seen", "seen, meta.etag")), start=False)
    scene.shop.records[1]["meta"] = {"etag": 1, "kept": 1}
    scene.settle()
    scene.shop.records[1]["meta"] = {"etag": 1, "kept": 2}
    assert scene.undo().status == "partial"


# dry run --------------------------------------------------------------------------------------------------------------


def test_a_dry_run_of_two_edits_of_one_record_reports_no_drift():
    """The first inverse is overlaid, since it has not been called."""
    scene = Scene(UPGRADE, AGAIN)
    assert planned(scene) == [
        ("revert", "write", {"id": 1, "plan": "Pro", "note": ""}),
        ("revert", "write", {"id": 1, "plan": "Free", "note": ""}),
    ]
    assert (scene.undo().status, scene.shop.plans()[1]) == ("undone", "Free")


def test_a_dry_run_of_an_edit_and_a_removal_reports_no_drift():
    """The record that would be back is compared with what the edit left."""
    scene = Scene(UPGRADE, ("remove", {"id": 1}))
    assert only_fates(scene) == ["revert", "revert"]
    assert (scene.undo().status, scene.shop.plans()[1]) == ("undone", "Free")


def test_a_dry_run_ends_with_the_time_that_a_delivery_has():
    """Each read may take a minute, and there may be hundreds; whoever asked has long gone by then."""
    scene = Scene(DOWNGRADE, UPGRADE)
    scene.shop.before["read"] = lambda: scene.world.clock.advance(hours=1)
    with pytest.raises(Conflict, match=r"Only 1 of 2 effects could be read in time\.") as ended:
        dry_run(scene.world.process.engine, scene.run)
    assert ended.value.code == "dry_run_too_long"
    newest = scene.actions[-1].id
    assert [step.fate for step in dry_run(scene.world.process.engine, scene.run, to=newest)] == ["revert", "kept"]


def test_a_dry_run_says_what_the_undo_then_does():
    """Permanent, unverified, reverted: in the same order."""
    scene = Scene(UPGRADE, SEND, ADD, rules=FREE)
    assert only_fates(scene) == ["unverified", "permanent", "revert"]
    scene.undo()
    assert fates(scene) == ["unverified add", "permanent send", "reverted write"]


def test_a_dry_run_shows_real_drift_and_what_would_be_kept_behind_it():
    """Before, expected, found."""
    scene = Scene(DOWNGRADE, UPGRADE)
    scene.shop.records[1]["plan"] = "Team"
    steps = dry_run(scene.world.process.engine, scene.run)
    assert [step.fate for step in steps] == ["stop", "kept"]
    assert {name: value["plan"] for name, value in steps[0].shown.items()} == {
        "before": "Free",
        "expected": "Pro",
        "found": "Team",
    }


def test_a_dry_run_reads_what_was_put_back_by_hand_as_such():
    """As before already."""
    scene = Scene(UPGRADE)
    scene.shop.records[1]["plan"] = "Free"
    assert only_fates(scene) == ["already"]


def test_a_dry_run_stops_where_nobody_knows():
    """Unknown and unreadable."""
    shop = Shop()
    shop.after["send"] = CUT
    scene = Scene(UPGRADE, SEND, shop=shop, rules=FREE)
    assert only_fates(scene) == ["stop", "kept"]


def test_a_dry_run_stops_at_what_cannot_be_read():
    """As the undo would."""
    scene = Scene(UPGRADE)
    scene.shop.before["read"] = CUT
    assert only_fates(scene) == ["stop"]


def test_a_dry_run_to_an_action_lists_the_rest_as_kept():
    """Inclusive."""
    scene = Scene(UPGRADE, DOWNGRADE, ADD)
    assert only_fates(scene, to=scene.actions[1].id) == ["unverified", "revert", "kept"]


def test_a_dry_run_after_a_part_was_taken_back_speaks_of_the_rest_only():
    """What is reverted is done."""
    scene = Scene(UPGRADE, DOWNGRADE)
    scene.undo(to=scene.actions[1].id)
    assert only_fates(scene) == ["revert"]


def test_a_dry_run_of_an_unknown_write_reads_what_happened():
    """It differs from before, so its inverse would be called."""
    shop = Shop()
    shop.after["write"] = CUT
    scene = Scene(UPGRADE, shop=shop)
    assert planned(scene) == [("revert", "write", {"id": 1, "plan": "Free", "note": ""})]


def test_a_dry_run_in_the_middle_of_a_killed_undo_says_what_is_left():
    """The inverse may have been called: reading tells."""
    scene = Scene(DOWNGRADE, UPGRADE)
    kill_undo(scene, "after the call")
    assert only_fates(scene) == ["already", "revert"]


# merge: fields --------------------------------------------------------------------------------------------------------


def test_merge_restores_only_what_the_call_changed_and_leaves_what_others_changed_since():
    """Somebody wrote a note since: it stays."""
    scene = Scene(UPGRADE, rules=MERGE)
    scene.shop.records[1]["note"] = "by hand"
    assert planned(scene) == [("revert", "write", {"id": 1, "plan": "Free"})]
    assert (scene.undo().status, scene.action.reversal.verified) == ("undone", True)
    assert scene.shop.records[1] == {"plan": "Free", "note": "by hand", "seen": 2}
    assert scene.shop.done[-1] == ("write", {"id": 1, "plan": "Free"})


def test_merge_still_stops_where_somebody_changed_the_same_field():
    """That would be overwritten."""
    scene = Scene(UPGRADE, rules=MERGE)
    scene.shop.records[1]["plan"] = "Team"
    assert (scene.undo().status, scene.shop.plans()[1]) == ("partial", "Team")


def test_without_merge_a_change_of_another_field_stops_the_undo():
    """So the first test of merging tests something."""
    scene = Scene(UPGRADE)
    scene.shop.records[1]["note"] = "by hand"
    assert (scene.undo().status, scene.shop.plans()[1]) == ("partial", "Pro")


def test_merge_of_two_edits_of_one_record_takes_both_back_and_leaves_the_rest():
    """Each restores its own fields."""
    scene = Scene(UPGRADE, ("write", {"id": 1, "note": "twice"}), rules=MERGE)
    scene.shop.records[1]["extra"] = "by hand"
    assert only_fates(scene) == ["revert", "revert"]
    assert scene.undo().status == "undone"
    assert scene.shop.records[1] == {"plan": "Free", "note": "", "seen": 4, "extra": "by hand"}


# --replan -------------------------------------------------------------------------------------------------------------


def replanned(scene, rules, **how):
    """The run after an undo under the policy of today."""
    scene.world = scene.world.again(network=shop_network(scene.shop, rules))
    return scene.undo(**how)


def test_replan_resolves_inverses_again_with_the_manifest_of_today():
    """From stored arguments, snapshot and result."""
    wrong = policy(write=RULES["write"].replace("plan: $snapshot.plan", "plan: Nonsense"))
    scene = Scene(UPGRADE, rules=wrong)
    run = replanned(scene, policy(), replan=True)
    assert (run.status, scene.shop.plans()[1]) == ("undone", "Free")
    assert value(scene.action.inverse.arguments)["plan"] == "Free"


def test_without_replan_the_recorded_inverse_is_called():
    """A policy that changed since does not change what an undo does."""
    wrong = policy(write=RULES["write"].replace("plan: $snapshot.plan", "plan: Nonsense"))
    scene = Scene(UPGRADE, rules=wrong)
    run = replanned(scene, policy())
    assert (run.status, scene.shop.plans()[1], scene.action.reversal.verified) == ("undone", "Nonsense", False)
    assert run.undo.unverified == (scene.action.id,)


def test_replan_gives_an_inverse_to_what_had_none():
    """What was permanent under the old policy is taken back under the new one."""
    scene = Scene(ADD, rules=policy(add="class: irreversible, gate: never"))
    assert (scene.undo().status, fates(scene)) == ("partial", ["permanent add"])
    run = replanned(scene, policy(), replan=True)
    assert (run.status, scene.shop.plans()) == ("undone", {1: "Free", 2: "Pro"})


def test_replan_says_where_it_could_not():
    """The new inverse asks for what was not stored."""
    scene = Scene(ADD)
    rules = policy(add="class: compensable, inverse: {tool: remove, args: {id: $result.number}}")
    run = replanned(scene, rules, replan=True)
    assert (run.status, run.undo.permanent) == ("partial", (scene.action.id,))
    assert "$result.number cannot be resolved" in moves(scene)[-1]["note"]


def test_a_dry_run_replans_too():
    """It shows the inverse of today."""
    wrong = policy(write=RULES["write"].replace("plan: $snapshot.plan", "plan: Nonsense"))
    scene = Scene(UPGRADE, rules=wrong)
    scene.world = scene.world.again(network=shop_network(scene.shop, policy()))
    assert [arguments["plan"] for _, _, arguments in planned(scene)] == ["Nonsense"]
    assert [arguments["plan"] for _, _, arguments in planned(scene, replan=True)] == ["Free"]


def test_a_dry_run_under_a_policy_whose_snapshot_does_not_fit_stops():
    """The rule of today asks for an argument that the call did not have."""
    scene = Scene(UPGRADE)
    rules = policy(write=RULES["write"].replace("args: {id: $.id}, absent", "args: {id: $.note}, absent"))
    scene.world = scene.world.again(network=shop_network(scene.shop, rules))
    assert only_fates(scene) == ["stop"]
    assert scene.undo().status == "partial"
