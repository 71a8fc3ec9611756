"""While a run waits for a person there is nothing of it but documents (core/parking.py)."""

import threading
from datetime import timedelta

import pytest

from entracte.adapters.sqlite.store import SqliteStore
from entracte.agents import Agent
from entracte.testing.world import World
from tests.gates.scene import SEND, Scene, shop_network
from tests.gates.shop import Shop, policy
from tests.runtime.scenes import events, value
from tests.runtime.script import Script, calls

UPGRADE = ("write", {"id": 1, "plan": "Pro"})
RESTORE = ("restore", {"id": 9, "record": {}})


def a_deep_scene(**scene):
    """Two sub-agents deep: a mail that waits beside changes that are made."""
    shop = Shop()
    inner = Agent(name="inner", prompt="You send.", tools=shop.tools)
    outer = Agent(name="outer", prompt="You pass on.", agents=[inner], tools=shop.tools)
    pass_on = ("inner", {"message": "go on"})
    model = Script(
        {
            "desk": [calls(("outer", {"message": "go on"}), UPGRADE), "done"],
            "outer": [calls(pass_on, ("read", {"id": 1})), "passed on"],
            "inner": [calls(SEND, ("write", {"id": 2, "note": "mailed"})), "sent"],
        }
    )
    return Scene(model=model, shop=shop, agents=[outer], **scene)


def test_nothing_in_the_run_is_due_leased_or_on_its_way():
    """Sweep looks at nothing, whenever it comes."""
    scene = a_deep_scene()
    documents = scene.world.documents()
    leases = [path for path, fields in documents.items() if fields.get("lease") is not None]
    assert (scene.status, len(scene.open)) == ("waiting", 1)
    assert (scene.due(), leases, scene.world.bus.waiting) == ({}, [], [])
    for _ in range(3):
        scene.world.clock.advance(days=30)
        assert (scene.world.sweep(), scene.world.bus.waiting) == (0, [])
    assert scene.world.documents() == documents


def test_a_gate_that_expires_is_all_that_is_due():
    """At its reminder, and then at its end."""
    scene = a_deep_scene(rules=policy(send="class: irreversible, expires: 10d"))
    gate = f"gates/{scene.gate.id}"
    assert scene.due() == {gate: scene.gate.created + timedelta(days=8)}
    scene.world.clock.advance(days=8)
    assert scene.world.sweep() == 1
    scene.settle()
    assert scene.due() == {gate: scene.gate.created + timedelta(days=10)}
    scene.world.clock.advance(days=2)
    assert scene.world.sweep() == 1
    scene.settle()
    assert (scene.status, scene.due(), scene.world.sweep()) == ("succeeded", {}, 0)


def test_a_gate_whose_announcement_was_lost_is_announced_by_sweep():
    """It is due until somebody has been told of it."""
    scene = Scene(SEND, start=False)
    scene.deliver(2)
    scene.world.bus.waiting.clear()
    assert (scene.gate.z.announced, list(scene.due())) == (False, [f"gates/{scene.gate.id}"])
    scene.world.clock.advance(minutes=15)
    scene.world.sweep()
    scene.settle()
    assert (scene.gate.z.announced, scene.due()) == (True, {})


def test_a_reminder_goes_out_once_before_a_gate_expires():
    """At four fifths of its time."""
    scene = Scene(SEND, rules=policy(send="class: irreversible, expires: 10d"))
    for _ in range(9):
        scene.world.clock.advance(days=1)
        scene.world.sweep()
        scene.settle()
    told = [entry for entry in scene.world.process.runs.journal(scene.run).items if entry.phase == "approve"]
    assert [(entry.id, entry.at) for entry in told] == [
        (f"{scene.gate.id}.announced", scene.gate.created),
        (f"{scene.gate.id}.reminded", scene.gate.created + timedelta(days=8)),
    ]


def test_no_thread_of_ours_waits_for_the_person():
    """Threads of tools are idle; nothing else was started."""
    before = {thread.name for thread in threading.enumerate()}
    a_deep_scene()
    assert {thread.name for thread in threading.enumerate()} - before <= {"entracte-tool"}


@pytest.mark.parametrize(("word", "sent"), [("approve", [("send", "ada")]), ("deny", [])])
def test_everything_is_stopped_and_started_again_on_the_same_file_to_decide(tmp_path, word, sent):
    """Nothing but the documents says how the run goes on: new store, bus, process and model."""
    file, shop = tmp_path / "store.sqlite3", Shop()
    first = World(shop_network(shop, policy()), Script([calls(UPGRADE, SEND), "done"]), store=SqliteStore(file))
    run = first.ask("Go.")
    assert (run.status, first.bus.waiting) == ("waiting", [])
    first.process.close()

    later = first.again(model=Script(["done"]), store=SqliteStore(file))
    later.clock.advance(days=90)
    assert later.sweep() == 0
    (gate,) = later.process.gates.list(user="ada", status="waiting").items
    later.process.gates.decide(gate.id, word, user="ada", via="cli")
    later.settle()
    assert later.run(run.id).status == "succeeded"
    assert [change for change in shop.done if change[0] == "send"] == sent
    later.process.close()


def test_an_undo_needs_nothing_but_the_documents_either(tmp_path):
    """The run is taken back by a process that has never seen it."""
    file, shop = tmp_path / "store.sqlite3", Shop()
    model = Script([calls(UPGRADE, ("add", {"plan": "Pro"})), "done"])
    first = World(shop_network(shop, policy()), model, store=SqliteStore(file))
    run = first.ask("Go.")
    first.process.close()
    later = first.again(store=SqliteStore(file))
    later.process.runs.undo(run.id, owner="ada")
    later.settle()
    assert (later.run(run.id).status, shop.plans()) == ("undone", {1: "Free", 2: "Pro"})
    later.process.close()


def test_a_run_that_waits_twice_is_parked_twice():
    """The second gate parks it as the first did."""
    model = Script([calls(SEND), calls(RESTORE), "done"])
    scene = Scene(model=model, rules=policy(restore="class: irreversible"))
    scene.world.clock.advance(days=10)
    scene.decide("approve")
    scene.settle()
    assert (scene.status, scene.due(), scene.gate.z.tool) == ("waiting", {}, "restore")
    scene.world.clock.advance(days=20)
    scene.decide("approve")
    scene.settle()
    assert (scene.status, value(scene.run.output)) == ("succeeded", "done")
    assert timedelta(milliseconds=scene.run.parked_ms) == timedelta(days=30)


def test_the_waiting_run_says_what_it_waits_for():
    """As an event, once."""
    scene = Scene(SEND, UPGRADE)
    (waiting,) = events(scene.world, scene.run, "run.waiting")
    assert waiting.data == {"actions": [scene.actions[0].id]}
