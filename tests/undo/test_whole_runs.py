"""Undo of a run as a whole: twice, nothing, sub-agents, and what is told of it (phases/undo.py)."""

from entracte.agents import Agent
from tests.gates.scene import SEND, Scene
from tests.gates.shop import Shop
from tests.runtime.script import Script, calls
from tests.undo.stage import ADD, FREE, UPGRADE, fates, moves


def test_undoing_twice_changes_nothing():
    """Not a document."""
    scene = Scene(UPGRADE, ADD)
    scene.undo()
    documents = scene.world.documents()
    assert (scene.undo().status, scene.world.documents()) == ("undone", documents)


def test_every_move_of_an_undo_is_journaled():
    """Who asked, in which order, what became of each."""
    scene = Scene(UPGRADE, SEND, rules=FREE)
    scene.undo(by="ops@shop.example")
    told = moves(scene)
    assert [(move["how"], move.get("tool", ""), move["status"]) for move in told] == [
        ("asked", "", "undoing"),
        ("ordered", "", ""),
        ("permanent", "send", ""),
        ("claimed", "write", ""),
        ("reverted", "write", "partial"),
    ]
    assert told[0]["note"] == "ops@shop.example asks to undo the run."


def test_a_run_that_changed_nothing_is_undone_at_once():
    """There is nothing to take back."""
    scene = Scene(("read", {"id": 1}))
    assert (scene.undo().status, scene.due()) == ("undone", {})


def test_changes_inside_sub_agents_are_taken_back_in_the_order_of_their_effects():
    """Frames do not matter."""
    shop = Shop()
    clerk = Agent(name="clerk", prompt="You change.", tools=shop.tools)
    again = ("write", {"id": 1, "plan": "Team"})
    pass_on = calls(("clerk", {"message": "x"}))
    model = Script({"desk": [calls(UPGRADE), pass_on, "done"], "clerk": [calls(again, ADD), "ok"]})
    scene = Scene(model=model, shop=shop, agents=[clerk])
    assert (scene.undo().status, fates(scene)) == ("undone", ["unverified add", "reverted write", "reverted write"])
    assert shop.plans() == {1: "Free", 2: "Pro"}
