"""Whoever may edit one document may edit any: no call is made with what nobody approved (gates/granting.py)."""

import pytest
from msgspec.structs import asdict

from entracte.core.addresses import action_path, gate_path
from entracte.core.payload import Payload, digest
from entracte.errors import Conflict, NotFound
from entracte.ports.store import Delete
from tests.gates.scene import SEND, Scene
from tests.gates.shop import Shop, gated, policy
from tests.runtime.scenes import value

EVIL = {"to": "eve"}
UPGRADE = ("write", {"id": 1, "plan": "Pro"})
OPS = "ops@shop.example"


def edit_action(scene, action=None, **fields):
    """Change an action by hand."""
    scene.edit(action_path(scene.id, (action or scene.action).id), **fields)


def stored(arguments):
    """Arguments as they lie in a document."""
    return asdict(Payload.of(arguments))


def asked_again(scene):
    """The gate that is asked because the approval does not fit what would be called; nothing has been called."""
    scene.settle()
    assert (scene.shop.done, scene.statuses, scene.status) == ([], ["gated"], "waiting")
    return scene.gate


def test_arguments_edited_in_the_action_before_the_approval_are_not_called():
    """The gate showed others. It is asked again, with those that would be called now."""
    scene = Scene(SEND)
    edit_action(scene, effective=stored(EVIL))
    scene.decide("approve")
    gate = asked_again(scene)
    assert (gate.why, gate.z.arguments.value) == ("The arguments are not those that were approved.", EVIL)
    assert "+ to: eve" in gate.preview


@pytest.mark.parametrize("with_digest", [False, True])
def test_arguments_edited_in_the_action_after_the_approval_are_not_called(with_digest):
    """Also when the action's digest was made to fit: gate, grant and action have to agree."""
    scene = Scene(SEND)
    scene.decide("approve")
    edit_action(scene, effective=stored(EVIL), **({"digest": digest(EVIL)} if with_digest else {}))
    assert asked_again(scene).z.arguments.value == EVIL


def test_a_text_edited_beside_its_hash_is_seen_by_what_it_says():
    """The digest is computed from the arguments that would be used."""
    scene = Scene(SEND)
    scene.decide("approve")
    edit_action(scene, effective=stored({"to": "ada"}) | {"text": '{"to":"eve"}'})
    assert asked_again(scene).z.arguments.value == EVIL


def test_the_model_s_own_arguments_are_no_way_in_either():
    """Only the effective ones are called."""
    scene = Scene(SEND)
    edit_action(scene, arguments=stored(EVIL))
    scene.decide("approve")
    scene.settle()
    assert scene.shop.done == [("send", "ada")]


def test_arguments_edited_after_an_approval_that_edited_them_are_not_called():
    """The vote holds the digest of what the approver wrote."""
    scene = Scene(SEND, rules=policy(send="class: irreversible, editable: true"))
    scene.decide("approve", edited_arguments='{"to": "bob"}')
    edit_action(scene, effective=stored(EVIL), digest=digest(EVIL))
    assert asked_again(scene).z.arguments.value == EVIL


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_digest_edited_in_the_gate_fits_no_call(when):
    """It is asked again."""
    scene = Scene(SEND)
    gate = scene.gate
    if when == "before":
        scene.edit_gate(gate, z__digest=digest(EVIL))
    scene.decide("approve", gate=gate)
    if when == "after":
        scene.edit_gate(gate, z__digest=digest(EVIL))
    assert asked_again(scene).z.digest == digest({"to": "ada"})


def test_arguments_edited_in_the_gate_change_nothing():
    """They are there to be read; what is called stands in the action."""
    scene = Scene(SEND)
    scene.edit_gate(scene.gate, z__arguments=stored(EVIL))
    scene.decide("approve")
    scene.settle()
    assert scene.shop.done == [("send", "ada")]


@pytest.mark.parametrize("claimed", ["readonly", "reversible", "compensable"])
def test_a_class_edited_in_the_action_does_not_spare_it_its_gate(claimed):
    """The rule of today decides; an approval of another class does not count."""
    scene = Scene(SEND)
    edit_action(scene, policy_class=claimed, effect="readonly")
    scene.decide("approve")
    assert "irreversible now" in asked_again(scene).why
    scene.decide("approve")
    scene.settle()
    assert (scene.shop.done, scene.action.policy_class) == ([("send", "ada")], "irreversible")


def test_a_status_edited_to_approved_is_no_approval():
    """The gate does not say so: another one asks, and the first is not left open beside it."""
    scene = Scene(SEND)
    edit_action(scene, status="approved", due=scene.world.clock.now())
    scene.world.sweep()
    gate = asked_again(scene)
    assert gate.why == "The gate does not say that it was approved."
    assert [gate.status for gate in scene.gates] == ["cancelled", "waiting"]


def test_a_status_edited_in_the_gate_is_no_approval():
    """Nobody has voted."""
    scene = Scene(SEND)
    gate = scene.gate
    scene.edit_gate(gate, status="approved")
    edit_action(scene, status="approved", due=scene.world.clock.now())
    scene.world.sweep()
    assert asked_again(scene).id != gate.id


def test_a_gate_that_says_approved_while_its_call_is_held_calls_nothing():
    """Only answers move actions."""
    scene = Scene(SEND)
    scene.edit_gate(scene.gate, status="approved")
    scene.world.clock.advance(days=1)
    scene.world.sweep()
    for message in list(scene.world.bus.published):
        scene.world.deliver(message)
    scene.settle()
    assert (scene.statuses, scene.shop.done) == (["gated"], [])


def test_an_approval_of_another_call_cannot_be_borrowed():
    """A gate counts for the call that it names."""
    scene = Scene(SEND, ("send", {"to": "bob"}))
    held, other = scene.actions
    scene.decide("approve", gate=scene.gates[1])
    edit_action(scene, held, status="approved", gate=other.gate, due=scene.world.clock.now())
    scene.settle()
    scene.world.sweep()
    scene.settle()
    assert (scene.shop.done, scene.statuses) == ([("send", "bob")], ["gated", "applied"])


def test_a_tool_edited_in_the_action_is_not_called_with_arguments_approved_for_another():
    """An approval is of a call: tool and arguments."""
    scene = Scene(("write", {"id": 1}), rules=gated("write"))
    scene.decide("approve")
    edit_action(scene, tool="remove")
    assert asked_again(scene).why == "The gate belongs to another call."


def test_approvers_edited_in_the_gate_give_nobody_the_right():
    """The rule names others: whoever wrote themselves in has approved nothing."""
    scene = Scene(SEND, rules=policy(send=f"class: irreversible, approvers: [{OPS}]"))
    scene.edit_gate(scene.gate, z__approvers=["eve@shop.example"])
    scene.decide("approve", by="eve@shop.example")
    assert asked_again(scene).z.approvers == (OPS,)


def test_a_quorum_edited_in_the_gate_is_still_asked_for():
    """The rule counts."""
    scene = Scene(SEND, rules=policy(send="class: irreversible, quorum: 2"))
    scene.edit_gate(scene.gate, z__quorum=1)
    scene.decide("approve", by=OPS)
    assert asked_again(scene).z.quorum == 2


@pytest.mark.parametrize("rule", ["class: irreversible", f"class: irreversible, approvers: [{OPS}], editable: true"])
def test_a_deleted_gate_is_opened_again_from_the_action(rule):
    """By the rule: with its approvers and a preview of what would be called."""
    scene = Scene(SEND, rules=policy(send=rule))
    old = scene.gate
    delete(scene, old)
    announce(scene, old)
    gate = scene.gate
    assert (gate.id, gate.z.kind, gate.z.digest, gate.z.approvers) == (
        f"{scene.action.id}.2",
        "approval",
        old.z.digest,
        old.z.approvers,
    )
    assert (gate.preview, "deleted" in gate.why) == (old.preview, True)
    scene.decide("approve", by=OPS)
    scene.settle()
    assert (scene.shop.done, len(scene.gates)) == ([("send", "ada")], 1)


def delete(scene, gate):
    """Delete a gate's document."""
    scene.world.store.commit([Delete(gate_path(gate.id))])


def announce(scene, gate):
    """The gate's message comes once more."""
    (message,) = [m for m in scene.world.bus.published if m.kind == "approve" and m.gate == gate.id]
    scene.world.deliver(message)
    scene.settle()


def test_a_deleted_gate_in_doubt_is_opened_again_as_one_in_doubt():
    """With the words that settle a doubt."""
    shop = Shop()
    shop.after["write"] = lambda: 1 / 0
    scene = Scene(UPGRADE, shop=shop)
    old = scene.gate
    delete(scene, old)
    announce(scene, old)
    assert (scene.gate.z.kind, scene.gate.z.number, scene.statuses) == ("in_doubt", 2, ["unknown"])
    scene.decide("happened")
    scene.settle()
    assert scene.status == "succeeded"


def test_a_gate_deleted_after_the_approval_makes_no_call():
    """What was approved there cannot be shown any more: it is asked again."""
    scene = Scene(SEND)
    scene.decide("approve")
    delete(scene, scene.gates[0])
    assert asked_again(scene).why == "The gate that approved this was deleted."


def test_an_answer_to_a_deleted_gate_has_it_asked_again():
    """There is no such gate any more; the next one waits."""
    scene = Scene(SEND)
    old = scene.gate
    delete(scene, old)
    with pytest.raises(NotFound):
        scene.decide("approve", gate=old)
    scene.settle()
    assert (scene.gate.id, scene.shop.done) == (f"{scene.action.id}.2", [])


@pytest.mark.parametrize("status", ["approved", "denied", "cancelled"])
def test_a_gate_whose_status_is_edited_decides_nothing_and_is_asked_again(status):
    """Somebody took `status` for the field to write into: the call waits, so there has to be a gate that waits."""
    scene = Scene(SEND)
    old = scene.gate
    scene.edit_gate(old, status=status)
    with pytest.raises(Conflict):
        scene.decide("approve", gate=old)
    assert (scene.gate.id, status in scene.gate.why, scene.statuses) == (f"{scene.action.id}.2", True, ["gated"])
    scene.decide("approve")
    scene.settle()
    assert (scene.status, scene.shop.done) == ("succeeded", [("send", "ada")])


def test_fields_of_other_types_do_not_break_the_gate():
    """The console lets people choose a type."""
    scene = Scene(SEND)
    scene.edit_gate(scene.gate, decision_reason=None, edited_arguments={"to": "eve"}, decision_error=7)
    assert scene.decide("approve").status == "approved"
    scene.settle()
    assert scene.shop.done == [("send", "ada")]


def test_an_edited_record_does_not_change_what_an_approved_write_replaces():
    """The snapshot is read right before the call, so undo puts back what was really there."""
    scene = Scene(UPGRADE, rules=gated("write"))
    edit_action(scene, snapshot={"present": True, "value": stored({"plan": "Team", "note": "", "seen": 0})})
    scene.decide("approve")
    scene.settle()
    assert value(scene.action.snapshot.value)["plan"] == "Free"
    assert (scene.undo().status, scene.shop.plans()[1]) == ("undone", "Free")
