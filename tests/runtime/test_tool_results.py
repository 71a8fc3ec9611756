"""What tools give back (adapters/python/function.py, phases/calling.py)."""

import math
from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import StrEnum
from typing import NamedTuple

import pytest
from pydantic import BaseModel

from entracte.agents import ToolResult
from entracte.core.payload import MAX_BYTES
from tests.runtime.one_call import called, ended
from tests.runtime.scenes import the_action
from tests.runtime.script import results


class Plan(StrEnum):
    PRO = "pro"


class Customer(BaseModel):
    name: str
    since: date
    plan: Plan = Plan.PRO


@dataclass
class Point:
    x: int
    at: datetime


class Pair(NamedTuple):
    a: int
    b: str


@pytest.mark.parametrize(
    ("given", "result"),
    [
        (None, None),
        ("text", "text"),
        ([1, 2.0, True, None], [1, 2.0, True, None]),
        (Customer(name="Ada", since=date(2020, 2, 29)), {"name": "Ada", "since": "2020-02-29", "plan": "pro"}),
        ([Customer(name="Ada", since=date(2020, 1, 1))], [{"name": "Ada", "since": "2020-01-01", "plan": "pro"}]),
        (Point(1, datetime(2026, 1, 1, tzinfo=UTC)), {"x": 1, "at": "2026-01-01T00:00:00Z"}),
        ((1, (2, 3)), [1, [2, 3]]),
        (Pair(1, "b"), [1, "b"]),
        ({1: {2}}, {"1": [2]}),
        (ToolResult({"n": 1}), {"n": 1}),
        ((n for n in range(3)), [0, 1, 2]),
    ],
)
def test_what_python_has_a_json_form_for_becomes_json(given, result):
    """Authors return what they have; agents see JSON."""

    def give():
        return given

    run, world, model = called(give)
    assert ended(run, world) == ("applied", result, "")
    assert results(model.asked("evaluate")[0])[0]["result"] == result


@pytest.mark.parametrize("effect", ["readonly", "changing"])
def test_a_result_that_is_not_as_declared_is_kept_with_a_warning(effect):
    """The call has been made: it has neither failed nor is it in doubt, and it is not made again."""
    made = []

    def give() -> list[Customer]:
        made.append(1)
        return [{"name": "Ada", "since": "2020-01-01"}, {"x": 1}]  # the first would do

    run, world, _ = called(give, effect=effect)
    warning = "The result is not as the tool declares it: /1/name: Field required; /1/since: Field required."
    assert ended(run, world) == ("applied", [{"name": "Ada", "since": "2020-01-01"}, {"x": 1}], "")
    assert (made, the_action(world, run).warnings) == ([1], (warning,))


@pytest.mark.parametrize(
    "given", [Customer(name="Ada", since=date(2020, 2, 29)), ToolResult({"name": "Ada", "since": "2020-02-29"})]
)
def test_a_result_that_is_as_declared_goes_without_a_word(given):
    """As an instance, or as what would make one."""

    def give() -> Customer:
        return given

    run, world, _ = called(give)
    assert (ended(run, world)[0], the_action(world, run).warnings) == ("applied", ())


CYCLE: list = []
CYCLE.append(CYCLE)
DEEP: list = []
for _ in range(200):
    DEEP = [DEEP]


@pytest.mark.parametrize("effect", ["readonly", "changing"])
@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"rows": [1, math.nan]}, "nan, which JSON does not have, at /rows/1."),
        ({"a": [object()]}, "a value of type object, at /a/0."),
        (CYCLE, "a value that contains itself, at /0."),
        (DEEP, "more than 100 levels of lists and objects"),
        ("x" * (5 * 1024 * 1024), "5,242,882 bytes as JSON; at most 4,194,304 can be kept."),
        ({"name": "caf\udce9"}, "the lone surrogate U+DCE9, which is no character, at /name."),
        (b"\xff", "a value of type bytes"),
        ({10**5000: 1}, "a key of type int"),
        pytest.param({"k" * 1_500_000: math.nan}, "nan, which JSON does not have, at /kkk", id="long name"),
    ],
)
def test_a_result_that_cannot_be_kept_is_a_note_on_a_call_that_was_made(effect, given, words):
    """The agent is told that it went well, and where the result is at fault; nothing is called again."""

    def give():
        return given

    run, world, model = called(give, effect=effect)
    status, note, _ = ended(run, world)
    assert (status, run.status) == ("applied", "succeeded")
    assert note["note"].startswith("The tool ended well, but its result could not be kept. ")
    assert words in note["note"]
    assert results(model.asked("evaluate")[0])[0]["result"] == note


@pytest.mark.parametrize(
    "given", ["x" * (MAX_BYTES - 2), "x" * (MAX_BYTES - 60), [[[["deep"]]]]], ids=["largest", "nearly", "deep"]
)
def test_the_largest_result_is_kept_though_its_event_is_not(given):
    """The journal says that something is left out; the action has it."""
    if given == [[[["deep"]]]]:
        for _ in range(95):
            given = [given]

    def give():
        return given

    run, world, _ = called(give, effect="changing")
    assert ended(run, world) == ("applied", given, "")
    assert run.status == "succeeded"
