"""Agents that have to call something before they answer (`Agent(tool_choice="required")`)."""

import pytest

from entracte.agents import tool
from tests.runtime.scenes import a_world, events
from tests.runtime.script import Script, calls


@tool(effect="readonly")
def look(at: str) -> str:
    """Look at it."""
    return f"saw {at}"


LOOK = calls(("look", {"at": "sea"}))


def choices(model):
    """What each plan was asked with."""
    return [(r.step, r.tool_choice) for r in model.requests if r.purpose == "plan"]


@pytest.mark.parametrize("light", [False, True])
def test_an_answer_before_the_first_call_is_not_accepted(light):
    """The model is told; after the call it may answer."""
    model = Script(["From memory.", LOOK, "It saw the sea."])
    world = a_world(model, look, desk={"light": light, "tool_choice": "required"})
    run = world.ask("What is there?")
    assert (run.output.value, choices(model)) == ("It saw the sea.", [(1, "required"), (1, "required"), (2, "auto")])
    assert [event.data["message"] for event in events(world, run, "error")] == [
        "The model's reply could not be used: It answers, but something has to be called first."
    ]


def test_a_call_that_did_not_go_well_is_a_call():
    """Else an agent whose tool is broken could never say so."""
    model = Script([calls(("look", {"where": "sea"})), "I cannot look."])
    run = a_world(model, look, desk={"light": True, "tool_choice": "required"}).ask("What is there?")
    assert (run.output.value, choices(model)) == ("I cannot look.", [(1, "required"), (2, "auto")])


def test_an_initial_tool_has_been_called():
    """The first plan may answer from what it found."""
    model = Script(["It saw the sea."])
    desk = {"tool_choice": "required", "initial_tool": look, "input": {"at": "where"}, "light": True}
    run = a_world(model, look, desk=desk).ask({"at": "sea"})
    assert (run.output.value, choices(model)) == ("It saw the sea.", [(1, "auto")])


def test_an_agent_of_one_step_answers_in_it():
    """It cannot see what a call would return."""
    model = Script(["Nobody knows."])
    run = a_world(model, look, desk={"tool_choice": "required", "max_steps": 1, "light": True}).ask("What is there?")
    assert run.output.value == "Nobody knows."
    assert [r.must_call for r in model.requests] == [False]
