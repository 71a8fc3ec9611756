"""Undo of a run as a whole: twice, nothing, sub-agents, and what is told of it (phases/undo.py)."""

from entracte.agents import Agent, ToolContext, tool
from entracte.core.payload import INLINE_BYTES
from tests.gates.scene import SEND, Scene
from tests.gates.shop import RULES, Shop, policy_of
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


def test_a_call_of_which_each_part_just_lies_inline_is_recorded_and_taken_back():
    """Arguments twice, what was before and after, the way back, a result that repeats it all: a document holds them."""
    page = INLINE_BYTES - 2000
    shop = Shop()
    shop.records[1]["note"] = "b" * page

    @tool
    def rewrite(id: int, note: str, ctx: ToolContext[None]) -> dict[str, str]:
        """Rewrite a page."""
        shop.records[id]["note"] = note
        ctx.update_state({"vars": "c" * (INLINE_BYTES // 2)})
        return {"note": note, "plan": shop.records[id]["plan"]}

    shop.tools.append(rewrite)
    rules = policy_of(
        RULES
        | {"rewrite": RULES["write"].replace("tool: write", "tool: rewrite").replace(", plan: $snapshot.plan", "")}
    )
    scene = Scene(("rewrite", {"id": 1, "note": "a" * page}), shop=shop, rules=rules)
    assert (scene.status, scene.statuses, scene.shop.records[1]["note"][0]) == ("succeeded", ["applied"], "a")
    assert (scene.undo().status, scene.shop.records[1]["note"]) == ("undone", "b" * page)


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
