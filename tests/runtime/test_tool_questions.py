"""What tools ask models while they run (runtime/engine/tool_questions.py)."""

from datetime import UTC, datetime
from typing import Any

import pytest

from entracte.adapters.python.context import MAX_ASKED
from entracte.agents import Budget, ToolContext, tool
from entracte.core.calls import Call, Prepared
from entracte.core.modelling import ModelReply, Usage
from entracte.core.policy.policy import Policy
from entracte.errors import ModelRefused, ModelUnavailable
from entracte.testing.world import World
from tests.runtime.scenes import a_world, frame, the_action, value
from tests.runtime.script import USAGE, Script, calls, fault

COST = Usage(prompt_tokens=40, output_tokens=4)


@tool(effect="readonly")
def translate(text: str, ctx: ToolContext) -> str:
    """Translate a text."""
    return str(ctx.ask_model(f"Translate: {text}", schema={"type": "string"}))


def world_of(*tools: Any, answers: Any = "Brief", **network: Any) -> World:
    """A world in which the tools are called, and what they ask is answered."""

    def plan(request):
        if request.purpose == "assist":
            reply = answers(request) if callable(answers) else answers
            return reply if isinstance(reply, ModelReply) else ModelReply(value=reply, usage=COST)
        return calls((tools[0].name, {"text": "letter"})) if request.step == 1 else ModelReply(value="done")

    return a_world(Script([plan]), *tools, **network)


def test_a_tool_asks_the_light_model_and_the_run_pays():
    """The answer is the tool's; what it cost stands in the action, the journal, the frame and the run."""
    world = world_of(translate)
    run = world.ask("Go.")
    action = the_action(world, run)
    assert (value(action.result), action.usage.tokens, action.usage.model_calls) == ("Brief", 44, 1)
    (asked,) = world.model.asked("assist")
    assert (asked.part("question"), asked.schema, asked.frame, asked.step) == (
        "Translate: letter",
        {"type": "string"},
        run.id,
        1,
    )
    entries = world.process.runs.journal(run, limit=100).items
    assert [entry.usage.tokens for entry in entries if entry.phase == "execute"] == [44]
    others = len(world.model.requests) - 1
    assert run.usage.tokens == frame(world, run).usage.tokens == 44 + others * USAGE.tokens
    assert sum(entry.usage.tokens for entry in entries) == run.usage.tokens
    assert run.limits.tokens - frame(world, run).share.tokens == run.usage.tokens


def test_a_question_that_the_budget_does_not_hold_is_not_asked():
    """The tool is told, and says so."""
    world = world_of(translate, budget=Budget(tokens=8000))
    world.model = Script([calls(("translate", {"text": "x" * 30_000})), "done"])
    world.process = world.new_process()
    run = world.ask("Go.")
    assert "The run's budget does not hold another question: tokens (limit 8,000" in the_action(world, run).error
    assert world.model.asked("assist") == []


def test_what_a_call_has_asked_before_counts_though_nothing_is_booked_yet():
    """It is booked with the call's end."""

    @tool(effect="readonly")
    def ask_twice(text: str, ctx: ToolContext) -> str:
        """Ask, and ask again."""
        return str([ctx.ask_model(text), ctx.ask_model(text)])

    dear = ModelReply(value="Well", usage=Usage(prompt_tokens=40, output_tokens=6500))
    world = world_of(ask_twice, answers=dear, budget=Budget(tokens=8000))
    assert "does not hold another question: tokens" in the_action(world, world.ask("Go.")).error
    assert len(world.model.asked("assist")) == 1


@pytest.mark.parametrize(
    ("answers", "told"),
    [
        (fault("cut_off", "It was cut off."), "The model's answer is of no use. It was cut off."),
        (ModelReply(value={"not": "text"}), "The model's answer is of no use."),
    ],
)
def test_an_answer_of_no_use_is_told(answers: ModelReply, told: str):
    """It is paid for all the same."""
    world = world_of(translate, answers=answers)
    action = the_action(world, world.ask("Go."))
    assert action.status == "failed" and told in action.error
    assert action.usage.tokens == USAGE.tokens


def test_a_tool_goes_on_without_a_model_that_is_down():
    """It can tell the one from the other."""

    @tool(effect="readonly")
    def patient(text: str, ctx: ToolContext) -> str:
        """Translate a text, or leave it."""
        try:
            return str(ctx.ask_model(text))
        except ModelUnavailable:
            return text

    def down(request):
        raise ModelUnavailable("Overloaded.")

    world = world_of(patient, answers=down)
    assert value(the_action(world, world.ask("Go.")).result) == "letter"


def test_a_call_asks_a_few_times_and_no_more():
    """A loop in a tool costs no fortune."""

    @tool(effect="readonly")
    def greedy(text: str, ctx: ToolContext) -> str:
        """Ask on and on."""
        while True:
            ctx.ask_model(text)

    world = world_of(greedy)
    assert f"A call asks models {MAX_ASKED} times" in the_action(world, world.ask("Go.")).error
    assert len(world.model.asked("assist")) == MAX_ASKED


def test_what_is_asked_before_a_call_is_made_is_paid_too():
    """Whether a person is asked then, or the call is refused."""

    def look(arguments: dict[str, Any], ctx: ToolContext) -> Prepared:
        ctx.ask_model("What would this be?")
        return Prepared(arguments=arguments)

    @tool(prepare=look)
    def write(text: str) -> str:
        """Write it."""
        return text

    world = world_of(write)
    run = world.ask("Go.")
    entries = world.process.runs.journal(run, limit=100).items
    assert the_action(world, run).usage.tokens == COST.tokens
    assert sum(entry.usage.tokens for entry in entries) == run.usage.tokens


def test_nobody_is_asked_while_a_call_is_taken_back():
    """Undo does not depend on what a model says."""

    @tool(idempotent=True)
    def unwrite(text: str, ctx: ToolContext) -> str:
        """Take it back."""
        return str(ctx.ask_model("How?"))

    @tool(needs=(unwrite,), rule={"class": "compensable", "inverse": {"tool": "unwrite", "args": {"text": "$.text"}}})
    def write(text: str) -> str:
        """Write it."""
        return text

    world = world_of(write, policy=Policy())
    run = world.ask("Go.")
    world.process.runs.undo(run.id, owner="ada")
    world.settle()
    assert "No model may be asked here." in the_action(world, run).reversal.note
    assert world.model.asked("assist") == []


def test_a_context_without_models_says_so():
    """Tools are called by hand too, in their own tests."""
    call = Call(
        run="r",
        session="s",
        frame="r",
        agent="desk",
        step=1,
        action="r.1.0",
        tool="t",
        arguments={},
        idempotency_key="r.1.0",
        attempt=1,
        user="ada",
        metadata={},
        deadline=datetime(2026, 1, 1, tzinfo=UTC),
    )
    with pytest.raises(ModelRefused, match="No model may be asked here"):
        ToolContext(call, deps=lambda: None, read_state=lambda call: {}, secret=str).ask_model("Hm?")
