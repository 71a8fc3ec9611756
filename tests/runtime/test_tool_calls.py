"""What tools give, raise, and ask for (adapters/python/, phases/calling.py)."""

import asyncio
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import StrEnum
from threading import Event
from typing import Annotated, NamedTuple

import pytest
from pydantic import BaseModel, Field

from entracte.agents import Blocked, Call, ToolContext, ToolError, ToolResult, ToolSpec, tool
from entracte.core.payload import MAX_BYTES
from tests.runtime.scenes import a_world, actions, events, frame, the_action, told, value
from tests.runtime.script import Script, calls, results


def called(act, *, effect="readonly", arguments=None, steps=(), **options):
    """The run, world and model of a desk whose tool `act` is called once."""
    act.__doc__ = act.__doc__ or "Do something."
    model = Script([calls((act.__name__, arguments or {})), *steps, "done"])
    world = a_world(model, tool(effect=effect, **options)(act))
    return world.ask("Go."), world, model


def ended(run, world):
    """Status, result and error of the only call."""
    action = the_action(world, run)
    return action.status, value(action.result) if action.result else None, action.error


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
        ({"a": [object()]}, "a object, which is not a JSON value, at /a/0."),
        (CYCLE, "a value that contains itself, at /0."),
        (DEEP, "more than 100 levels of lists and objects"),
        ("x" * (5 * 1024 * 1024), "5,242,882 bytes as JSON; at most 4,194,304 can be kept."),
        ({"name": "caf\udce9"}, "the lone surrogate U+DCE9, which is no character, at /name."),
        (b"\xff", "a bytes, which is not a JSON value"),
        ({10**5000: 1}, "a key of type int"),
    ],
)
def test_a_result_that_cannot_be_kept_is_a_note_on_a_call_that_was_made(effect, given, words):
    """The agent is told that it went well, and where the result is at fault; nothing is called again."""

    def give():
        return given

    run, world, model = called(give, effect=effect)
    status, note, _ = ended(run, world)
    (warning,) = the_action(world, run).warnings
    assert (status, run.status) == ("applied", "succeeded")
    assert words in warning
    assert note == {"note": f"The tool ended well, but its result could not be kept. {warning}"}
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


def test_the_context_says_where_a_call_comes_from():
    """And is no part of the schema."""
    seen = {}

    def look(name: str, ctx: ToolContext[None]) -> str:
        seen.update({k: getattr(ctx, k) for k in "run_id session_id agent step user idempotency_key attempt".split()})
        seen["metadata"], seen["deadline"] = ctx.metadata, datetime.fromtimestamp(ctx.deadline_ms / 1000, UTC)
        return name

    run, _, model = called(look, arguments={"name": "Ada"}, timeout_s=7)
    assert seen == {
        "run_id": run.id,
        "session_id": "session",
        "agent": "desk",
        "step": 1,
        "user": "ada",
        "idempotency_key": f"{run.id}.1.0",
        "attempt": 1,
        "metadata": {},
        "deadline": datetime(2026, 1, 1, 9, 0, 7, tzinfo=UTC),
    }
    (schema,) = model.asked("plan")[0].tools
    assert list(schema.parameters["properties"]) == ["name"]


def test_a_tool_reads_state_and_changes_it_item_by_item():
    """Its diff is applied with the step's results, before the judge's."""
    seen = []

    def learn(ctx: ToolContext[None]) -> ToolResult:
        """Learn."""
        seen.append(dict(ctx.state))
        ctx.update_state({"facts": "from the context", "tasks": [{"id": "T_001", "text": "done"}]})
        return ToolResult("learnt", state={"facts": "from the result"})

    model = Script([calls(("learn", {})), "done"], interpret=[{"goals": ["g"], "tasks": ["to do"]}])
    world = a_world(model, tool(effect="changing")(learn))
    run = world.ask("Go.")
    assert seen == [{"goals": [{"id": "G_001", "text": "g"}], "tasks": [{"id": "T_001", "text": "to do"}]}]
    facts = world.process.state.get("session", owner="ada")["facts"]
    assert [fact["text"] for fact in facts] == ["from the context", "from the result"]
    assert frame(world, run).local["tasks"].items[0].text == "done"


@pytest.mark.parametrize("effect", ["readonly", "changing"])
@pytest.mark.parametrize("diff", ["facts", {"facts": object()}, {"nonsense": "x"}, [1], {1: "x"}, {"facts": math.nan}])
def test_a_diff_that_is_none_costs_nothing_but_itself(effect, diff):
    """The call has been made; its result, its other diffs and the run go on."""

    def learn(ctx: ToolContext[None]) -> str:
        """Learn."""
        ctx.update_state(diff)
        ctx.update_state({"facts": "kept"})
        return "learnt"

    run, world, model = called(learn, effect=effect)
    assert ended(run, world) == ("applied", "learnt", "")
    assert run.status == "succeeded"
    assert [f["text"] for f in world.process.state.get("session", owner="ada")["facts"]] == ["kept"]
    refused = [*told(model, 2), *the_action(world, run).warnings]
    assert len(refused) == 1


def test_progress_is_journaled_in_order():
    """A bounded number of bounded lines."""

    def work(ctx: ToolContext[None]) -> str:
        for n in range(150):
            ctx.progress(f"{n} " + "x" * 1000 if n else "caf\udce9")
        return "done"

    run, world, _ = called(work, effect="changing")
    texts = [event.data["text"] for event in events(world, run, "tool.progress")]
    assert (len(texts), texts[0], texts[1][:4], max(map(len, texts))) == (100, "caf\\udce9", "1 xx", 500)
    kinds = [event.type for event in events(world, run) if event.type.startswith("tool.")]
    assert (kinds[0], kinds[-1]) == ("tool.called", "tool.result")


def test_a_tool_can_take_others_out_of_the_context():
    """For the rest of the frame."""

    @tool(effect="readonly")
    def other() -> str:
        """Do something else."""
        return "x"

    @tool(effect="readonly")
    def close(ctx: ToolContext[None]) -> str:
        """Close the others."""
        ctx.disable_tool("other")
        ctx.disable_tool("no such tool")
        ctx.disable_agent("clerk")
        return "closed"

    model = Script([calls(("close", {})), calls(("other", {})), "done"])
    from entracte.agents import Agent

    world = a_world(model, other, close, agents=[Agent(name="clerk", prompt="x", light=True)])
    run = world.ask("Go.")
    assert [[t.name for t in request.tools] for request in model.asked("plan")] == [
        ["other", "close", "clerk"],
        ["close"],
        ["close"],
    ]
    assert actions(world, run)[1].error == "There is no tool 'other'. You can call: close."


def test_a_tool_can_end_the_frame_with_an_answer():
    """Once the step's calls have ended; the judge is not asked, state is kept."""

    @tool(effect="readonly")
    def other() -> str:
        """Do something else."""
        return "x"

    @tool(effect="readonly")
    def stop(ctx: ToolContext[None]) -> ToolResult:
        """Stop."""
        ctx.terminate("That is all.")
        return ToolResult(None, state={"facts": "kept"})

    model = Script([calls(("stop", {}), ("other", {})), "never"])
    world = a_world(model, other, stop)
    run = world.ask("Go.")
    assert (run.status, run.stop_reason, run.output.value) == ("succeeded", "terminated", "That is all.")
    assert [action.status for action in actions(world, run)] == ["applied", "applied"]
    assert model.asked("evaluate") == []
    assert [f["text"] for f in world.process.state.get("session", owner="ada")["facts"]] == ["kept"]


def test_an_answer_of_any_length_ends_the_run():
    """The run has it whole, up to half a million characters; the conversation has its beginning."""

    def stop(ctx: ToolContext[None]) -> None:
        ctx.terminate(answer)

    for given, length in ((400_000, 400_000), (3_000_000, 500_000)):
        answer = "x" * given
        run, world, _ = called(stop)
        assert (run.status, run.output.value) == ("succeeded", "x" * length)
        turns = world.process.runs.turns(world.process.runs.session("session", owner="ada")).items
        assert [len(turn.text) < 250_000 for turn in turns] == [True, True]


def test_secrets_come_from_the_secrets_port():
    """One that is not there is the tool's fault to deal with; its name is said, nothing else."""

    def look(ctx: ToolContext[None]) -> str:
        return ctx.secret("CRM_TOKEN")

    run, world, _ = called(look)
    status, _, error = ended(run, world)
    assert status == "failed"
    assert "CRM_TOKEN" in error


def test_what_tools_share_is_opened_once_and_only_when_it_is_used():
    """Per process."""
    opened = []

    @tool(effect="readonly")
    def look(ctx: ToolContext[dict[str, int]]) -> int:
        """Look."""
        return ctx.deps["n"]

    model = Script([calls(("look", {}), ("look", {})), "done"])
    world = a_world(model, look, deps=lambda: opened.append(1) or {"n": 7})
    assert opened == []
    run = world.ask("Go.")
    assert ([value(a.result) for a in actions(world, run)], opened) == ([7, 7], [1])


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
    assert ended(run, world) == ("failed", None, "The arguments do not fit: /text: 1 is not of type 'string'.")


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
