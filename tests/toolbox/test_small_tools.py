"""The tools that touch nothing outside: time, progress, thoughts, tasks, and the answer (toolbox/)."""

from datetime import datetime, timedelta

import pytest

from entracte.errors import ToolError
from entracte.toolbox.current_time import current_time
from entracte.toolbox.plan_task import plan_task
from entracte.toolbox.record_thought import record_thought
from entracte.toolbox.report_progress import report_progress
from entracte.toolbox.respond import respond
from tests.runtime.scenes import a_world, actions, events, frame, the_action, value
from tests.runtime.script import Script, calls


def asked(tool, arguments, **desk):
    """A run in which the tool is called once; its world too."""
    world = a_world(Script([calls((tool.name, arguments)), "done"]), tool, desk=desk)
    return world, world.ask("Go.")


def test_the_time_is_told_in_the_zone_that_was_asked_for():
    """With its offset and the day of the week, so that a model does not have to work them out."""
    told = current_time(zone="Asia/Tokyo")
    time = datetime.fromisoformat(told["time"])
    assert time.utcoffset() == timedelta(hours=9)
    assert (told["weekday"], told["zone"]) == (time.strftime("%A"), "Asia/Tokyo")
    assert datetime.fromisoformat(current_time()["time"]).utcoffset() == timedelta(0)


@pytest.mark.parametrize("zone", ["Mars/Olympus", "../../etc/passwd", "/etc/localtime", "", "Europe", "a\0b"])
def test_a_zone_that_is_none_is_told(zone: str):
    """Whatever it is: a name that was made up, a path, a folder of zones."""
    with pytest.raises(ToolError, match="There is no time zone"):
        current_time(zone=zone)


def test_progress_is_told_to_whoever_watches():
    """As an event of the run."""
    world, run = asked(report_progress, {"text": "Two of three read."})
    assert [event.data["text"] for event in events(world, run, "tool.progress")] == ["Two of three read."]
    assert (run.status, value(the_action(world, run).result)) == ("succeeded", "told")


def test_a_thought_is_an_action_of_the_journal():
    """It changes nothing else."""
    world, run = asked(record_thought, {"thought": "The letter may be forged."})
    action = the_action(world, run)
    assert (action.status, value(action.result)) == ("applied", {"thought": "The letter may be forged."})


def test_planned_tasks_are_items_of_the_agents_state():
    """In their order, each with an id of its own."""
    world, run = asked(plan_task, {"tasks": ["read the letter", "ask Ada"]})
    tasks = frame(world, run).local["tasks"]
    assert [(item.id, item.text) for item in tasks.items] == [
        ("T_001", "to do: read the letter"),
        ("T_002", "to do: ask Ada"),
    ]


def test_a_response_ends_the_run_with_its_answer():
    """The model is not asked again."""
    world, run = asked(respond, {"answer": "It is forged."})
    assert (run.status, value(run.output)) == ("succeeded", "It is forged.")
    assert len(world.model.asked("plan")) == 1


def test_a_response_that_does_not_fit_the_output_ends_nothing():
    """It is checked as any answer is; the agent is told and goes on."""
    shape = {"type": "object", "properties": {"forged": {"type": "boolean"}}, "required": ["forged"]}
    said = [calls(("respond", {"answer": "Yes."})), calls(("respond", {"answer": {"forged": True}})), {"forged": False}]
    world = a_world(Script(said), respond, desk={"output": shape})
    run = world.ask("Go.")
    assert (run.status, value(run.output)) == ("succeeded", {"forged": True})
    assert [action.status for action in actions(world, run)] == ["applied", "applied"]
