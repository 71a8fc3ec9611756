"""The code of the guide on agents runs as it stands there (infra/guide/agents.md)."""

import re
from pathlib import Path

import pytest

from entracte.core.frames import idling, repetition
from entracte.core.modelling import ModelReply
from entracte.testing.world import World
from tests.runtime.scenes import actions
from tests.runtime.script import Script, calls

GUIDE = (Path(__file__).resolve().parents[2] / "infra" / "guide" / "agents.md").read_text("utf-8")


def the_network():
    """What the page's blocks declare, one after the other."""
    namespace = {"__name__": "guide"}
    exec("\n\n".join(re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL)), namespace)
    return namespace["network"]


def answered(route):
    """A run of the page's network that is sorted to a route: its answer, the model, and its world."""

    def desk(request):
        return calls(("find_order", {"number": 7})) if request.step == 1 else ModelReply(value="It is on its way.")

    plans = {
        "chat": ["Good morning!"],
        "desk": [desk],
        "draft": ["Dear Ada"],
        "review": [lambda r: ModelReply(value={"letter": f"{r.part('input')}, yours", "concerns": []})],
    }
    model = Script(plans, route=[{"route": route, "sure": True, "reason": "It says so."}])
    world = World(the_network(), model)
    return world.ask("Where is order 7?"), model, world


@pytest.mark.parametrize(
    ("route", "answer", "asked"),
    [
        ("chat", "Good morning!", ["route", "plan"]),
        ("orders", "It is on its way.", ["route", "interpret", "plan", "evaluate", "plan"]),
        ("letters", "Check this letter:\nDear Ada, yours", ["route", "plan", "plan"]),
    ],
)
def test_the_network_of_the_page_answers_on_every_route(route, answer, asked):
    """With as many model calls as the page says."""
    run, model, _ = answered(route)
    assert (run.status, run.output.value) == ("succeeded", answer)
    assert [request.purpose for request in model.requests] == asked


def test_the_pipeline_of_the_page_asks_as_it_says():
    """Its templates are filled in."""
    run, _, world = answered("letters")
    assert [action.arguments.value["message"] for action in actions(world, run)] == [
        "A letter to a customer: Where is order 7?",
        "Check this letter:\nDear Ada",
    ]


def test_the_figures_of_the_page_are_those_of_the_code():
    """Told and ended after so many."""
    rows = [[cell.strip() for cell in line.split("|")[2:4]] for line in GUIDE.splitlines() if line.startswith("| ")]
    assert [f"after {repetition.TOLD_AFTER}", f"after {repetition.ENDED_AFTER}"] in rows
    assert [f"after {idling.TOLD_AFTER}", f"after {idling.ENDED_AFTER}"] in rows
    assert the_network().blueprint.state_tokens == 6000
