"""Which effects an undo takes back and in which order: newest first, as they were begun, down to `--to`."""

import pytest

from entracte.agents import ToolError
from entracte.core.addresses import KINDS
from entracte.core.phases import undo
from entracte.errors import Conflict, ModelRefused, NotFound
from entracte.ports.store import Create, Delete, Query
from entracte.runtime.engine import surveying
from entracte.runtime.services.dry_run import dry_run
from tests.gates.racing import overtaken
from tests.gates.scene import SEND, Scene, in_steps
from tests.gates.shop import Shop, gated, policy, raising
from tests.runtime.script import Script, calls
from tests.sweep.counting import CountingStore
from tests.undo.stage import ADD, DOWNGRADE, UPGRADE, broken_off, fates, moves

FIRST = ("write", {"id": 1, "plan": "Pro"})
SECOND = ("write", {"id": 1, "plan": "Team"})


def order(scene):
    """Actions in the order in which they were looked at."""
    return [move["action"] for move in moves(scene) if move["how"] in ("reverted", "unverified", "permanent")]


def test_a_call_approved_late_is_undone_in_its_true_place():
    """It was planned first and made last: so it is taken back first."""
    rules = policy(add="class: compensable, gate: always, inverse: {tool: remove, args: {id: $result.id}}")
    scene = Scene(ADD, UPGRADE, DOWNGRADE, rules=rules)
    scene.world.clock.advance(days=3)
    scene.decide("approve")
    scene.settle()
    added, upgraded, downgraded = (action.id for action in scene.actions)
    assert scene.undo().status == "undone"
    assert order(scene) == [added, downgraded, upgraded]


def test_a_late_approval_of_an_older_write_to_the_same_record_is_no_drift():
    """The order of effects is that of the record's own history."""
    scene = Scene(FIRST, SECOND, rules=gated("write"))
    late, early = scene.gates
    scene.decide("approve", gate=early)
    scene.settle()
    scene.decide("approve", gate=late)
    scene.settle()
    assert scene.shop.plans()[1] == "Pro"
    assert (scene.undo().status, scene.shop.plans()[1]) == ("undone", "Free")
    assert order(scene) == [scene.actions[0].id, scene.actions[1].id]


def test_the_order_is_that_of_the_intents_whatever_the_clocks_say():
    """Processes have clocks of their own; the store counts commits."""
    model = Script([in_steps(calls(FIRST), calls(SECOND))])
    scene = Scene(model=model, start=False)
    while scene.world.bus.waiting:
        scene.world.clock.advance(hours=-1)
        scene.deliver()
    first, second = sorted(scene.actions, key=lambda action: action.id)
    assert first.started > second.started
    assert (scene.undo().status, scene.shop.plans()[1]) == ("undone", "Free")


def restored(scene, *, at_once):
    """The store comes back from an export: the documents as they were, at the version of the import or in any order."""
    store = scene.world.store
    documents = [doc for kind in KINDS for doc in store.query(Query(collection=kind, limit=1000))]
    store.commit([Delete(doc.path) for doc in documents])
    creates = [Create(doc.path, doc.fields) for doc in documents]
    for batch in [creates] if at_once else [[create] for create in reversed(creates)]:
        store.commit(batch)


@pytest.mark.parametrize("at_once", [True, False])
def test_the_order_survives_a_restore_of_the_store(at_once):
    """An import gives everything other versions: an action has noted the place of its effect."""
    scene = Scene(FIRST, SECOND, rules=gated("write"))
    late, early = scene.gates
    for gate in (early, late):
        scene.world.clock.advance(seconds=1)
        scene.decide("approve", gate=gate)
        scene.settle()
    restored(scene, at_once=at_once)
    assert (scene.undo().status, scene.shop.plans()[1]) == ("undone", "Free")
    assert order(scene) == [scene.actions[0].id, scene.actions[1].id]


def test_a_call_that_was_made_twice_counts_by_its_last_intent():
    """What was repeated has its effect where it was repeated."""
    shop = Shop()
    shop.before["write"] = raising(ConnectionResetError("cut"))
    scene = Scene(FIRST, ADD, shop=shop)
    shop.before.clear()
    scene.decide("retry")
    scene.settle()
    assert (scene.undo().status, order(scene)) == ("undone", [scene.actions[0].id, scene.actions[1].id])


def test_more_effects_than_a_page_are_all_taken_back(monkeypatch):
    """However many are read at a time."""
    monkeypatch.setattr(surveying, "_PAGE", 5)
    scene = Scene(model=Script([in_steps(*[calls(*[ADD] * 8)] * 3)]))
    assert len(scene.shop.records) == 2 + 24
    assert (scene.undo().status, scene.shop.plans()) == ("undone", {1: "Free", 2: "Pro"})
    assert order(scene) == [action.id for action in sorted(scene.actions, key=_place, reverse=True)]


@pytest.mark.parametrize(("most", "value"), [("MAX_EFFECTS", 2), ("MAX_ID_BYTES", 2 * 25)])
def test_more_effects_than_a_document_can_list_are_taken_back_in_parts(monkeypatch, most, value):
    """As of a client that has worked for a year. What there are too many of is refused before anything is touched."""
    monkeypatch.setattr(undo, most, value)
    scene = three()
    refused = scene.undo()
    assert (refused.status, refused.undo.reverted, scene.statuses) == ("partial", (), ["applied"] * 3)
    assert refused.undo.reason.startswith("It has 3 effects, and one undo takes back 2 at most: do it in parts")
    assert scene.undo(to=scene.actions[1].id).undo.reverted == (scene.actions[2].id, scene.actions[1].id)
    assert (scene.undo().status, scene.shop.plans()) == ("undone", {1: "Free", 2: "Pro"})


def _place(action):
    return action.step, action.index


def test_effects_are_put_in_order_without_what_they_hold():
    """Values of megabytes are read call by call, when it is taken back: all of them at once may fill a function."""
    scene = Scene(*[("write", {"id": 1, "note": f"{n}{'x' * 300_000}"}) for n in range(3)])
    counting = CountingStore(scene.world.store)
    engine = scene.world.new_process(store=lambda store: counting).engine
    seen = surveying.survey(engine.repository, scene.id).actions
    assert [action.id for action in seen] == [action.id for action in scene.actions]
    assert counting.reads == 2 * len(seen)
    assert [step.arguments["note"][:1] for step in dry_run(engine, scene.run)] == ["1", "0", ""]
    assert (scene.undo().status, scene.shop.records[1]["note"]) == ("undone", "")


# --to -----------------------------------------------------------------------------------------------------------------


def three():
    """A run with three changes."""
    return Scene(UPGRADE, DOWNGRADE, ADD)


def test_to_takes_back_down_to_that_action_inclusive_and_lists_the_rest_as_kept():
    """The run is partial."""
    scene = three()
    first, second, third = (action.id for action in scene.actions)
    run = scene.undo(to=second)
    assert (run.status, run.undo.reverted, run.undo.kept) == ("partial", (third, second), (first,))
    assert (scene.shop.plans(), scene.statuses) == ({1: "Pro", 2: "Pro"}, ["applied", "reverted", "reverted"])


def test_to_again_changes_nothing_more():
    """What it names is taken back already; what is older stays."""
    scene = three()
    second = scene.actions[1].id
    scene.undo(to=second)
    run = scene.undo(to=second)
    assert (run.status, scene.statuses) == ("partial", ["applied", "reverted", "reverted"])
    assert (run.undo.kept, run.undo.reverted) == ((scene.actions[0].id,), ())


def test_the_rest_can_be_taken_back_later():
    """Then the run is undone."""
    scene = three()
    scene.undo(to=scene.actions[1].id)
    assert (scene.undo().status, scene.shop.plans()) == ("undone", {1: "Free", 2: "Pro"})


def test_to_the_oldest_effect_is_the_whole_and_yet_was_asked_for_in_part():
    """Nothing is kept."""
    scene = three()
    run = scene.undo(to=scene.actions[0].id)
    assert (scene.statuses, run.undo.kept) == (["reverted"] * 3, ())
    assert run.status == "partial"  # undone only when no --to was given


@pytest.mark.parametrize("name", ["read", "denied", "nothing", "other run", ""])
def test_to_what_has_no_effect_takes_back_nothing_at_all(name):
    """Least of all the whole run."""
    scene = Scene(UPGRADE, SEND, ("read", {"id": 1}))
    scene.decide("deny")
    scene.settle()
    wanted = {
        "read": scene.actions[2].id,
        "denied": scene.actions[1].id,
        "nothing": f"{scene.id}.7.0",
        "other run": "f" * 20 + ".1.0",
        "": "nonsense",
    }[name]
    with pytest.raises(NotFound) as undo:
        scene.undo(to=wanted)
    with pytest.raises(NotFound) as dry:
        dry_run(scene.world.process.engine, scene.run, to=wanted)
    assert (undo.value.code, dry.value.code) == ("action_not_found", "action_not_found")
    assert (scene.status, scene.shop.plans()[1]) == ("succeeded", "Pro")


def test_to_an_action_that_turns_out_to_have_had_no_effect_takes_back_nothing():
    """It was under way when the undo was asked for, and then it failed."""
    scene = Scene(UPGRADE, DOWNGRADE, start=False)
    scene.deliver(2)

    def asked_meanwhile():
        scene.shop.before.clear()
        scene.world.process.runs.undo(scene.id, owner="ada", to=scene.actions[1].id)
        raise ToolError("Busy.")

    scene.shop.before["write"] = asked_meanwhile
    scene.settle()
    assert (scene.status, scene.statuses, scene.shop.plans()[1]) == ("partial", ["applied", "failed"], "Pro")
    assert scene.run.undo.reason.endswith("has had no effect.")


# a live run -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("delivered", range(6))
def test_undo_of_a_live_run_lets_no_later_call_be_issued(delivered):
    """It is closed by the same write, whenever that comes; what was made before is taken back."""
    model = Script([in_steps(calls(UPGRADE), calls(ADD))])
    scene = Scene(model=model, start=False)
    scene.deliver(delivered)
    made = len(scene.shop.done)
    scene.undo()
    assert (scene.status, scene.shop.plans()) == ("undone", {1: "Free", 2: "Pro"})
    assert len(scene.shop.done) == 2 * made
    for message in list(scene.world.bus.published):
        scene.world.deliver(message)
    scene.settle()
    assert (scene.status, len(scene.shop.done)) == ("undone", 2 * made)


def test_undo_waits_for_the_call_that_is_under_way():
    """It is recorded, and then taken back; the calls behind it are not made."""
    waited = []

    def asked_meanwhile():
        shop.before.clear()
        scene.world.process.runs.undo(scene.id, owner="ada")
        (asked,) = [m for m in scene.world.bus.waiting if m.kind == "undo"]
        waited.append(scene.world.deliver(asked))

    shop = Shop()
    shop.before["write"] = asked_meanwhile
    scene = Scene(UPGRADE, DOWNGRADE, shop=shop, start=False)
    scene.settle()
    assert waited == ["again later: in_flight"]
    assert (scene.status, scene.statuses) == ("undone", ["reverted", "cancelled"])
    assert shop.plans() == {1: "Free", 2: "Pro"}


def test_a_closing_run_never_overwrites_an_undo():
    """Its last move loses against the undo that was asked for a moment before."""
    scene = Scene(UPGRADE, start=False)
    while scene.world.bus.waiting[0].kind != "plan" or not scene.actions:
        scene.deliver()
    message = scene.world.bus.waiting.pop(0)
    late = overtaken(scene.world, lambda: scene.world.process.runs.undo(scene.id, owner="ada"))
    scene.world.deliver(message, late)
    scene.settle()
    assert (scene.status, scene.run.output, scene.shop.plans()[1]) == ("undone", None, "Free")


def test_an_undo_of_a_waiting_run_closes_its_gate():
    """Nobody has to decide any more; a late approval is refused."""
    scene = Scene(UPGRADE, SEND)
    gate = scene.gate
    assert (scene.undo().status, scene.gates[0].status) == ("undone", "cancelled")
    with pytest.raises(Conflict):
        scene.decide("approve", gate=gate)
    scene.settle()
    assert ("send", "ada") not in scene.shop.done


def test_a_call_whose_process_died_holds_an_undo_up_until_its_lease_ends():
    """Then it is looked at like any other."""
    scene = broken_off(UPGRADE, "after the call")
    scene.world.process.runs.undo(scene.id, owner="ada")
    began = scene.world.clock.now()
    scene.settle()
    assert (scene.status, scene.shop.plans()[1]) == ("undone", "Free")
    assert (scene.world.clock.now() - began).total_seconds() >= 600


def test_one_undo_at_a_time():
    """A second one is told so, and changes nothing."""
    scene = Scene(UPGRADE)
    scene.world.process.runs.undo(scene.id, owner="ada")
    with pytest.raises(Conflict) as told:
        scene.world.process.runs.undo(scene.id, owner="ada")
    assert told.value.code == "undo_under_way"
    scene.settle()
    assert scene.status == "undone"


def test_somebody_else_s_run_cannot_be_undone():
    """It does not exist for them."""
    scene = Scene(UPGRADE)
    with pytest.raises(NotFound):
        scene.world.process.runs.undo(scene.id, owner="eve")
    assert (scene.status, scene.shop.plans()[1]) == ("succeeded", "Pro")


@pytest.mark.parametrize("how", ["cancelled", "failed", "stalled"])
def test_a_run_that_did_not_end_well_can_be_undone(how):
    """Whatever closed it, or keeps it from ending."""
    refusing = Script([calls(UPGRADE), ModelRefused("No such model.")])
    scene = Scene(model=refusing) if how == "failed" else Scene(UPGRADE, SEND)
    if how == "cancelled":
        scene.cancel()
        scene.settle()
    if how == "stalled":
        scene.edit(f"runs/{scene.id}", status="stalled")
    assert scene.status == how
    assert (scene.undo().status, scene.shop.plans()[1]) == ("undone", "Free")
    assert fates(scene) == ["reverted write"]
