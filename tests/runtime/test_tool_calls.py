"""How tools are called, and how calls end (adapters/python/, phases/calling.py)."""

import asyncio
import inspect
import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from enum import StrEnum
from pathlib import Path
from threading import Event
from typing import Annotated

import pytest
from pydantic import BaseModel, Field

from entracte.agents import Blocked, Call, ToolContext, ToolError, ToolResult, ToolSpec, tool
from tests.runtime.one_call import called, ended
from tests.runtime.scenes import a_world, events, the_action, told, value
from tests.runtime.script import Script, calls


class Plan(StrEnum):
    PRO = "pro"


class Customer(BaseModel):
    name: str
    since: date
    plan: Plan = Plan.PRO


def test_a_tool_that_says_that_it_did_nothing_has_failed():
    """With its reason, which the agent is told."""

    def refuse():
        raise ToolError("No such customer.", remedy="Look the id up first.")

    run, world, model = called(refuse, effect="changing")
    assert ended(run, world) == ("failed", None, "No such customer. Look the id up first.")
    assert told(model, 2) == ["refuse failed: No such customer. Look the id up first."]
    assert run.status == "succeeded"


def test_a_tool_may_say_that_it_is_blocked():
    """As a hook would."""

    def refuse():
        raise Blocked("Not on Sundays.")

    run, world, model = called(refuse, effect="changing")
    assert (ended(run, world), told(model, 2)) == (
        ("blocked", None, "Not on Sundays."),
        ["refuse blocked: Not on Sundays."],
    )


@pytest.mark.parametrize("level", [logging.INFO, logging.DEBUG])
def test_the_log_says_where_a_tool_broke_off(level, caplog, monkeypatch):
    """File and line; the traceback, whose words may hold arguments, for those only who debug."""
    monkeypatch.setattr(logging.getLogger("entracte"), "propagate", True)
    caplog.set_level(level, logger="entracte")

    def dig():
        return json.loads("secret")  # raises in the standard library: what it was given is the author's doing

    called(dig)
    line = inspect.getsourcelines(dig)[1] + 1
    [told_of] = [record for record in caplog.records if record.msg.startswith("%s tool=")]
    assert (told_of.getMessage(), told_of.exc_info is not None) == (
        f"tool_failed tool=dig error=JSONDecodeError ({Path(__file__).name}:{line})",
        level == logging.DEBUG,
    )


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ValueError("no such column"), "broke off with ValueError: no such column"),
        (SystemExit(3), "broke off with SystemExit: 3"),
        (KeyboardInterrupt(), "broke off with KeyboardInterrupt:"),
        (ValueError("caf\udce9"), "broke off with ValueError: caf\\udce9"),
        (RuntimeError("x" * 100_000), "broke off with RuntimeError: xxx"),
        (asyncio.CancelledError(), "broke off with CancelledError:"),
    ],
)
def test_any_other_error_of_a_tool_is_a_failure_or_a_doubt(error, words):
    """A readonly tool did nothing; of a changing one nobody knows. The process goes on either way."""

    def break_off():
        raise error

    run, world, model = called(break_off)
    status, _, said = ended(run, world)
    assert (status, run.status, len(model.asked("evaluate"))) == ("failed", "succeeded", 1)
    assert words in said
    assert len(said) <= 2000
    run, world, _ = called(break_off, effect="changing")
    status, _, said = ended(run, world)
    assert (status, run.status) == ("unknown", "waiting")
    assert words in said
    (event,) = events(world, run, "tool.result")
    assert (event.data["status"], event.data["error"]) == ("unknown", said)


@contextmanager
def hanging() -> Iterator[Event]:
    """An event that a tool waits for, set in the end."""
    event = Event()
    try:
        yield event
    finally:
        event.set()


@pytest.mark.parametrize(("effect", "status"), [("readonly", "failed"), ("changing", "unknown")])
def test_a_tool_that_hangs_is_left_behind_at_its_deadline(effect, status):
    """Its thread cannot be stopped, but the phase goes on."""
    with hanging() as event:

        def hang():
            event.wait(60)

        run, world, _ = called(hang, effect=effect, timeout_s=0.02)
    assert ended(run, world) == (status, None, "hang did not end within its 0 s.")
    assert run.status == ("succeeded" if effect == "readonly" else "waiting")


def test_a_tool_may_be_asynchronous():
    """Its coroutine is awaited, and its errors are a tool's errors."""

    async def look(n: int) -> int:
        """Look."""
        await asyncio.sleep(0)
        if n < 0:
            raise ToolError("Too small.")
        return n + 1

    run, world, _ = called(look, arguments={"n": 1})
    assert ended(run, world) == ("applied", 2, "")
    run, world, _ = called(look, arguments={"n": -1})
    assert ended(run, world) == ("failed", None, "Too small.")


def test_arguments_arrive_in_the_types_of_the_signature():
    """And are kept as JSON."""
    seen = []

    def add(customer: Customer, when: datetime, tags: set[str], limit: Annotated[int, Field(ge=1)] = 5) -> str:
        seen.append((customer, when, tags, limit))
        return "added"

    arguments = {"customer": {"name": "Ada", "since": "2020-01-01"}, "when": "2026-01-01T00:00:00Z", "tags": ["a"]}
    run, world, _ = called(add, effect="changing", arguments=arguments)
    assert seen == [(Customer(name="Ada", since=date(2020, 1, 1)), datetime(2026, 1, 1, tzinfo=UTC), {"a"}, 5)]
    assert value(the_action(world, run).effective) == arguments


def test_a_number_that_json_does_not_have_is_refused_before_the_call():
    """Pydantic reads it from text; it could not be written down."""
    made = []

    def pay(amount: float) -> str:
        made.append(amount)
        return "paid"

    for effect in ("readonly", "changing"):
        run, world, model = called(pay, effect=effect, arguments={"amount": "NaN"})
        status, _, error = ended(run, world)
        assert (status, made) == ("failed", [])
        assert "nan, which JSON does not have, at /amount." in error
        assert told(model, 2) == [f"pay failed: {error}"]


NOTE = ToolSpec(
    name="note",
    summary="Write a note.",
    parameters={"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
    effect="readonly",
)


def dispatched(on_tool_call, arguments):
    """The run and world of a desk with a tool that is plain data."""
    model = Script([calls(("note", arguments)), "done"])
    world = a_world(model, plain=[NOTE], on_tool_call=on_tool_call)
    return world.ask("Go."), world


def test_tools_as_plain_data_are_run_by_one_function():
    """With the call and its context, after the schema check."""

    def on_tool_call(call: Call, ctx: ToolContext[None]) -> dict[str, str]:
        return {call.tool: call.arguments["text"], "for": ctx.user}

    run, world = dispatched(on_tool_call, {"text": "x"})
    assert ended(run, world) == ("applied", {"note": "x", "for": "ada"}, "")
    run, world = dispatched(on_tool_call, {"text": 1})
    assert ended(run, world) == ("failed", None, 'The arguments do not fit: /text: 1 is not of type "string".')


def test_the_function_behind_plain_tools_may_be_asynchronous_and_change_state():
    """As any tool may."""

    async def on_tool_call(call: Call, ctx: ToolContext[None]) -> ToolResult:
        return ToolResult(call.arguments["text"], state={"facts": "noted"})

    run, world = dispatched(on_tool_call, {"text": "x"})
    assert ended(run, world) == ("applied", "x", "")
    assert [f["text"] for f in world.process.state.get("session", owner="ada")["facts"]] == ["noted"]


def test_a_tool_is_still_the_function_that_it_was():
    """Its author tests it without a runtime."""

    @tool
    def add(a: int, b: int = 2) -> int:
        """Add."""
        return a + b

    assert (add(1), add(1, b=3)) == (3, 4)
