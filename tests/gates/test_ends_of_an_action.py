"""How the life of an action ends, and when it needs a person once more (undo.md)."""

from threading import Event

import pytest

from entracte.agents import ToolError
from entracte.testing.crashing import Crash, CrashingStore, Fuse
from tests.gates.scene import SEND, Scene
from tests.gates.shop import Shop, policy, raising
from tests.runtime.scenes import events

UPGRADE = ("write", {"id": 1, "plan": "Pro"})


def test_denied_tells_the_agent_verdict_and_reason():
    """And it plans on."""
    scene = Scene(SEND)
    scene.decide("deny", reason="Ada has left.")
    scene.settle()
    assert (scene.status, scene.statuses, scene.shop.done) == ("succeeded", ["denied"], [])
    assert scene.told == ["send denied: Denied by ada. Ada has left."]


def test_expired_is_neither_denied_nor_cancelled():
    """Silence has a word of its own, on gate and action."""
    scene = Scene(SEND, rules=policy(send="class: irreversible, expires: 7d"))
    scene.world.clock.advance(days=8)
    scene.world.sweep()
    scene.settle()
    assert ([gate.status for gate in scene.gates], scene.statuses) == (["expired"], ["expired"])
    assert (scene.status, scene.told) == ("succeeded", ["send expired: Nobody decided in time."])


def test_cancelled_is_neither_denied_nor_expired():
    """The run was closed: gate and action say so."""
    scene = Scene(SEND)
    scene.cancel()
    scene.settle()
    assert ([gate.status for gate in scene.gates], scene.statuses) == (["cancelled"], ["cancelled"])
    assert (scene.status, scene.shop.done) == ("cancelled", [])


def test_failed_means_that_the_tool_said_that_it_did_nothing():
    """No gate, no inverse."""
    shop = Shop()
    shop.before["write"] = raising(ToolError("Busy."))
    scene = Scene(UPGRADE, shop=shop)
    assert (scene.statuses, scene.action.inverse, scene.gates, scene.told) == (
        ["failed"],
        None,
        [],
        ["write failed: Busy."],
    )


def test_unknown_is_what_a_timeout_of_a_changing_tool_means():
    """Not `failed`: it may well have happened."""
    release = Event()
    shop = Shop(timeout_s=0.05)
    shop.before["write"] = lambda: release.wait(20)
    try:
        scene = Scene(UPGRADE, shop=shop)
        assert (scene.statuses, scene.gate.z.kind, scene.status) == (["unknown"], "in_doubt", "waiting")
        assert "did not end within" in scene.gate.why
    finally:
        release.set()


def test_unknown_is_what_a_cut_connection_means():
    """The person who is asked is shown what was read back."""
    shop = Shop()
    shop.after["write"] = raising(ConnectionResetError())
    scene = Scene(UPGRADE, shop=shop)
    assert scene.statuses == ["unknown"]
    assert scene.gate.preview[-1] == "The record has changed since the call was started."


def test_gated_approved_started_and_then_in_doubt_opens_a_second_gate():
    """The first one stays what it was."""
    scene = Scene(SEND)
    scene.shop.after["send"] = raising(ConnectionResetError())
    scene.decide("approve")
    scene.settle()
    assert [(gate.z.kind, gate.status) for gate in scene.gates] == [("approval", "approved"), ("in_doubt", "waiting")]
    assert (scene.statuses, scene.gate.id, scene.status) == (["unknown"], f"{scene.action.id}.2", "waiting")


def test_a_gated_call_that_was_killed_between_effect_and_record_opens_a_second_gate():
    """Nobody repeats it silently."""
    scene = Scene(SEND)
    scene.decide("approve")
    fuse = Fuse(4)  # load, load of the gate, commit of the intent and after it, commit of the end
    with pytest.raises(Crash):
        scene.world.deliver(
            scene.world.bus.waiting.pop(0), scene.world.new_process(store=lambda store: CrashingStore(store, fuse))
        )
    assert (fuse.points[-1], scene.shop.done, scene.statuses) == ("before commit", [("send", "ada")], ["started"])
    scene.lease_ends()
    scene.settle()
    assert (scene.statuses, scene.gate.z.number, len(scene.shop.done)) == (["unknown"], 2, 1)


def test_one_held_call_is_one_open_gate_whatever_is_delivered():
    """Every message once more, and sweeps between them."""
    scene = Scene(SEND, SEND)
    for message in list(scene.world.bus.published):
        scene.world.deliver(message)
        scene.world.clock.advance(hours=1)
        scene.world.sweep()
        scene.settle()
    assert [gate.id for gate in scene.open] == [f"{action.id}.1" for action in scene.actions]
    assert len(scene.gates) == 2


def test_a_gate_is_an_event_with_all_that_an_approver_sees():
    """Observers and the event stream can show it."""
    scene = Scene(SEND)
    (opened,) = events(scene.world, scene.run, "gate.opened")
    gate = scene.gate
    assert opened.data == {
        "gate": gate.id,
        "kind": "approval",
        "action": scene.action.id,
        "tool": "send",
        "question": gate.question,
        "why": gate.why,
        "preview": list(gate.preview),
        "digest": gate.z.digest,
    }


def test_the_policy_decides_the_class_whatever_the_tool_says():
    """A tool that calls itself changing is readonly if the policy says so."""
    scene = Scene(SEND, rules=policy(send="class: readonly"))
    assert (scene.statuses, scene.gates) == (["applied"], [])
