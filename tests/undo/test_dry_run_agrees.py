"""Row by row of the table: a dry run says what the undo then does (undo/moves.py, dry_run.py, phases/undo.py)."""

from collections.abc import Callable

import pytest

from entracte.runtime.services.dry_run import dry_run
from tests.gates.scene import SEND, Scene, shop_network
from tests.gates.shop import RULES, Shop, policy
from tests.undo.stage import ADD, CUT, FREE, UPGRADE, broken_off, kill_undo, moves

NO_INVERSE = policy(write="class: irreversible, gate: never")
NO_ABSENT = policy(add="class: compensable, inverse: {tool: remove, args: {id: $result.id}}")
NEEDS_RESULT = policy(
    restore="class: compensable, snapshot: {tool: read, args: {id: $.id}, absent_when: is not there}, "
    "inverse: {tool: remove, args: {id: $result.id}}"
)
MERGE = policy(write=f"{RULES['write']}, merge: fields")
RESTORE = ("restore", {"id": 9, "record": {"plan": "Pro"}})

SAID = {"reverted": "revert", "unverified": "unverified", "permanent": "permanent", "skipped": "already"}
"""A dry run's word for what an undo tells of an action."""


def done(scene: Scene, *, replan: bool) -> list[str]:
    """Take the run back, or let its undo go on; what became of each action, in a dry run's words."""
    count = len(dry_run(scene.world.process.engine, scene.run))
    if scene.status == "undoing":
        scene.lease_ends()
        scene.settle()
    else:
        scene.undo(replan=replan)
    told = moves(scene)
    asked = max(index for index, move in enumerate(told) if move["how"] == "asked")
    ended = [_fate(move["how"], move["note"]) for move in told[asked:] if move["how"] in (*SAID, "stopped")]
    return ended + ["kept"] * (count - len(ended))


def _fate(how: str, note: str) -> str:
    if how == "stopped":
        return "stop"
    return "already" if note == "already as before" else SAID[how]


def applied(*wanted, change=None, **scene) -> Scene:
    """Calls that happened, and what somebody did to record 1 since."""
    made = Scene(*(wanted or (UPGRADE,)), **scene)
    made.shop.records[1] |= change or {}
    return made


def unreadable() -> Scene:
    """Read well when the call was made, and not now."""
    scene = Scene(ADD, UPGRADE)
    scene.shop.before["read"] = CUT
    return scene


def without_post_state(**change) -> Scene:
    """The record could not be read after the call."""
    shop = Shop()
    shop.after["write"] = lambda: shop.before.update(read=CUT)
    scene = Scene(UPGRADE, shop=shop)
    shop.before.clear()
    shop.after.clear()
    assert scene.action.after is None
    scene.shop.records[1] |= change
    return scene


def without_snapshot_today() -> Scene:
    """The policy has changed since the call: the post-state is known, and nothing reads the record any more."""
    scene = Scene(ADD, UPGRADE)
    scene.world = scene.world.again(network=shop_network(scene.shop, NO_INVERSE))
    return scene


def unknown(*wanted, where="after", **scene) -> Scene:
    """Nobody knows whether the last call happened; it did `after`, it did not `before`."""
    shop = Shop()
    getattr(shop, where)[wanted[-1][0]] = CUT
    made = Scene(*wanted, shop=shop, **scene)
    getattr(shop, where).clear()
    assert made.statuses[-1] == "unknown"
    return made


def reverting(*wanted, when="after the call", idempotent=False, rules=None) -> Scene:
    """The process that called the last call's inverse died."""
    scene = Scene(*wanted, shop=Shop(idempotent=idempotent), rules=rules)
    kill_undo(scene, when)
    assert scene.statuses[-1] == "reverting"
    return scene


def unrecoverable() -> Scene:
    """Nobody knows whether the last call's inverse happened."""
    scene = Scene(UPGRADE, ADD)
    scene.shop.after["remove"] = CUT
    scene.undo()
    scene.shop.after.clear()
    assert scene.statuses == ["applied", "unrecoverable"]
    return scene


def merged_over_a_change_by_hand() -> Scene:
    """Of two edits of one record, somebody has changed the field of the older one."""
    scene = Scene(UPGRADE, ("write", {"id": 1, "note": "twice"}), rules=MERGE)
    scene.shop.records[1]["plan"] = "Team"
    return scene


ROWS: dict[str, tuple[Callable[[], Scene], list[str]]] = {
    "applied, no inverse": (lambda: applied(UPGRADE, SEND, rules=FREE), ["permanent", "revert"]),
    "applied, as the call left it": (applied, ["revert"]),
    "applied, as before": (lambda: applied(change={"plan": "Free"}), ["already"]),
    "applied, changed since": (lambda: applied(ADD, UPGRADE, change={"plan": "Team"}), ["stop", "kept"]),
    "applied, unreadable now": (unreadable, ["stop", "kept"]),
    "applied, nothing to read": (lambda: applied(ADD), ["unverified"]),
    "applied, no post-state": (without_post_state, ["revert"]),
    "applied, no post-state, put back by hand": (lambda: without_post_state(plan="Free"), ["revert"]),
    "applied, post-state, no snapshot today": (without_snapshot_today, ["stop", "kept"]),
    "unknown, differs from before": (lambda: unknown(UPGRADE), ["revert"]),
    "unknown, as before": (lambda: unknown(UPGRADE, where="before"), ["already"]),
    "unknown, nothing to read": (lambda: unknown(UPGRADE, SEND, rules=FREE), ["stop", "kept"]),
    "unknown, differs, no inverse": (lambda: unknown(UPGRADE, RESTORE, rules=NEEDS_RESULT), ["stop", "kept"]),
    "unknown, as before, no inverse": (
        lambda: unknown(UPGRADE, RESTORE, rules=NEEDS_RESULT, where="before"),
        ["already", "revert"],
    ),
    "started, happened": (lambda: broken_off(UPGRADE, "after the call"), ["revert"]),
    "started, did not happen": (lambda: broken_off(UPGRADE, "before the call"), ["already"]),
    "reverting, key honoured": (lambda: reverting(UPGRADE, idempotent=True), ["revert"]),
    "reverting, the tool knows": (lambda: reverting(ADD), ["unverified"]),
    "reverting, read as before": (lambda: reverting(UPGRADE), ["already"]),
    "reverting, read as the call left it": (lambda: reverting(UPGRADE, when="before the call"), ["revert"]),
    "reverting, nobody knows": (lambda: reverting(UPGRADE, ADD, rules=NO_ABSENT), ["stop", "kept"]),
    "unrecoverable": (unrecoverable, ["stop", "kept"]),
    "two edits of one record": (lambda: applied(UPGRADE, ("write", {"id": 1, "plan": "Team"})), ["revert", "revert"]),
    "merged over a change by hand": (merged_over_a_change_by_hand, ["revert", "stop"]),
}


@pytest.mark.parametrize("row", ROWS)
def test_a_dry_run_says_what_the_undo_then_does(row):
    """The same fate for every action, in the same order."""
    arranged, expected = ROWS[row]
    scene = arranged()
    said = [step.fate for step in dry_run(scene.world.process.engine, scene.run)]
    assert (said, done(scene, replan=False)) == (expected, expected)


def no_inverse_then() -> Scene:
    """Made under a policy without an inverse for it."""
    scene = Scene(ADD, rules=policy(add="class: irreversible, gate: never"))
    scene.world = scene.world.again(network=shop_network(scene.shop, policy()))
    return scene


def no_inverse_now() -> Scene:
    """The inverse of today asks for what was not stored."""
    scene = Scene(ADD)
    rules = policy(add="class: compensable, inverse: {tool: remove, args: {id: $result.number}}")
    scene.world = scene.world.again(network=shop_network(scene.shop, rules))
    return scene


REPLANNED: dict[str, tuple[Callable[[], Scene], list[str]]] = {
    "unrecoverable": (unrecoverable, ["unverified", "revert"]),
    "no inverse then": (no_inverse_then, ["unverified"]),
    "no inverse now": (no_inverse_now, ["permanent"]),
}


@pytest.mark.parametrize("row", REPLANNED)
def test_a_dry_run_says_what_an_undo_planned_anew_then_does(row):
    """By the policy of today."""
    arranged, expected = REPLANNED[row]
    scene = arranged()
    said = [step.fate for step in dry_run(scene.world.process.engine, scene.run, replan=True)]
    assert (said, done(scene, replan=True)) == (expected, expected)
