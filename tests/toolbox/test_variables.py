"""Working variables (toolbox/variables.py)."""

from __future__ import annotations

import pytest

from entracte.toolbox.variables import variable_tools
from tests.runtime.scenes import a_world, actions, value
from tests.runtime.script import Script, calls


def done(*steps, key="key", world=None):
    """A world after a run that makes these calls, a list a step, and what each call gave."""
    model = Script([*(calls(*step) for step in steps), "done"])
    world = world.again(model=model) if world is not None else a_world(model, *variable_tools)
    run = world.ask("Go.", key=key)
    return world, [value(a.result) if a.status == "applied" else a.error for a in actions(world, run)]


def kept(world):
    """Items of the state key."""
    return [item["text"] for item in world.process.state.get("session", owner="ada").get("vars", [])]


@pytest.mark.parametrize("given", ["Ada", 7, 1.5, True, None, [1, {"a": "é"}], 'say "hi" = bye'])
def test_a_variable_is_what_it_was_set_to(given):
    """Any JSON value, in the next step and in the next run."""
    world, results = done([("set_variable", {"name": "x", "value": given})], [("get_variable", {"name": "x"})])
    assert results == [{"name": "x", "value": given}, given]
    assert done([("list_variables", {})], key="2", world=world)[1] == [{"x": given}]


def test_a_variable_that_is_set_again_stays_one_item():
    """State grows with what is known, not with how often it changed."""
    world, _ = done(*([("set_variable", {"name": "n", "value": number})] for number in range(3)))
    assert kept(world) == ["n = 2"]


def test_a_variable_set_twice_in_one_step_is_one_again_when_it_is_set_next():
    """Calls of a step do not see each other's changes."""
    twice = [("set_variable", {"name": "n", "value": 1}), ("set_variable", {"name": "n", "value": 2})]
    world, _ = done(twice, [("set_variable", {"name": "n", "value": 3})])
    assert kept(world) == ["n = 3"]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (("get_variable", {"name": "gone"}), "There is no variable 'gone'. Variables: none."),
        (("set_variable", {"name": "two words", "value": 1}), "/name"),
        (("set_variable", {"name": "x", "value": "x" * 2000}), "at most 2,000 characters"),
    ],
)
def test_what_cannot_be_done_is_told(call, error):
    """And nothing is kept."""
    world, (told,) = done([call])
    assert error in told
    assert kept(world) == []
