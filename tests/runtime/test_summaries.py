"""Long conversations are summed up after an answer, on nobody's time (core/phases/summarise.py)."""

import pytest

from entracte.agents import Models, tool
from entracte.core.addresses import run_path
from entracte.core.messages import Message
from entracte.core.modelling import ModelReply
from entracte.errors import ModelRefused, ModelUnavailable
from entracte.ports.store import Update
from tests.runtime.scenes import a_world, events
from tests.runtime.script import Script, calls, fault

QUESTIONS = 16
"""Questions and answers that make more than thirty messages."""


class Summarising(Script):
    """A script that also says what summaries there are."""

    def __init__(self, *summaries, plans=("done",)):
        super().__init__(list(plans))
        self._others["summarise"] = summaries


def a_long_session(model, *, questions=QUESTIONS, **network):
    """A world whose session has had so many questions; the last message after the last answer still waits."""
    world = a_world(model, models=Models(main="scripted/model", light="scripted/light"), **network)
    for number in range(questions):
        run = world.start(f"Question {number}", key=str(number))
        while world.run(run.id).status != "succeeded":
            world.deliver(world.bus.waiting.pop(0))
    return world, run


def session(world):
    """The session as it is stored."""
    return world.process.runs.session("session", owner="ada")


def test_nothing_is_sent_after_the_answers_of_a_short_session():
    """A summary costs a model call."""
    world, _ = a_long_session(Summarising("never"), questions=QUESTIONS - 1)
    assert world.bus.waiting == []


def test_the_answer_is_there_before_the_summary_is_asked_for():
    """It has a message of its own, which no run waits for."""
    model = Summarising("They counted questions.")
    world, run = a_long_session(model)
    assert world.bus.waiting == [Message(kind="summarise", run=run.id, session="session")]
    assert model.asked("summarise") == []
    world.settle()
    (asked,) = model.asked("summarise")
    assert asked.model == "scripted/light"
    assert asked.part("messages").splitlines()[0] == "assistant: done"
    assert asked.part("messages").splitlines()[-1] == "assistant: done"
    assert (len(session(world).opening), session(world).summary) == (5, "They counted questions.")
    assert [line.text for line in session(world).window][-2:] == ["Question 15", "done"]
    assert len(session(world).window) == 20


def test_the_next_run_is_told_the_summary():
    """Between the first messages and the latest."""
    model = Summarising("They counted questions.")
    world, _ = a_long_session(model)
    world.settle()
    world.ask("What now?", key="next")
    lines = model.requests[-1].part("conversation").splitlines()
    assert lines[4:9] == [
        "user: Question 2",
        "(The messages in between, summed up:)",
        "They counted questions.",
        "(The latest:)",
        "user: Question 6",
    ]
    assert lines[-1] == "assistant: done"


def test_a_redelivered_message_sums_nothing_up_again():
    """The session is short by then."""
    model = Summarising("once", "twice")
    world, _ = a_long_session(model)
    message = world.bus.waiting[0]
    world.settle()
    before = world.documents()
    assert world.deliver(message) == "there is not enough to sum up"
    assert (world.documents(), len(model.asked("summarise"))) == (before, 1)


def test_two_deliveries_at_once_make_one_summary():
    """The later one finds other messages than it has read, and leaves them alone."""
    world, _ = a_long_session(Summarising("unused"))
    message = world.bus.waiting.pop()
    second = Summarising("second")

    def first(request):
        world.again(model=second).process.engine.handle(message)
        return ModelReply(value="first")

    world.model._others["summarise"] = (first,)
    world.deliver(message)
    assert session(world).summary == "second"
    assert len(session(world).window) == 20


@pytest.mark.parametrize("line", [fault(), ModelRefused("No such model."), ""])
def test_without_a_usable_summary_the_messages_are_summed_up_by_rule(line):
    """A conversation never stops growing for want of a model."""
    world, run = a_long_session(Summarising(line))
    world.settle()
    assert session(world).summary.splitlines()[0] == "assistant: done"
    assert len(session(world).window) == 20
    assert "by rule" in events(world, run, "thought")[-1].data["text"]


def test_an_overloaded_model_is_asked_again_later():
    """The run has ended: nothing of it is stalled by that."""
    world, run = a_long_session(Summarising(ModelUnavailable("Busy."), "at last"))
    world.settle()
    assert session(world).summary == "at last"
    assert world.run(run.id).status == "succeeded"


def test_a_summary_counts_to_the_run_after_whose_answer_it_was_made():
    """It was paid for."""
    world, run = a_long_session(Summarising("short"))
    before = world.run(run.id).usage.model_calls
    world.settle()
    assert world.run(run.id).usage.model_calls == before + 1


def test_later_runs_are_told_what_was_thought_and_called():
    """One line each; long arguments are not repeated."""

    @tool(effect="readonly")
    def look(text: str) -> str:
        """Look."""
        return "seen"

    model = Script([calls(("look", {"text": "x" * 600}), ("look", {"text": "sea"}), thought="first\nlook"), "Blue."])
    world = a_world(model, look)
    world.ask("What is the sea like?", key="1")
    world.ask("And the sky?", key="2")
    assert model.requests[-1].part("conversation").splitlines() == [
        "user: What is the sea like?",
        "(assistant thought: first look)",
        "(assistant look(text=Content summarized: 600 chars) → ok)",
        '(assistant look(text="sea") → ok)',
        "assistant: Blue.",
    ]
    (_, turn, *_) = world.process.runs.turns(session(world)).items
    assert turn.did[0] == "thought: first look"


def test_a_run_without_budget_leaves_the_summary_to_the_next_answer():
    """Which has a budget of its own; the journal says why, and a redelivery asks no more."""
    model = Summarising("They counted questions.")
    world, run = a_long_session(model)
    stored = world.store.load([run_path(run.id)])[run_path(run.id)]
    spent = stored.fields["usage"] | {"output_tokens": run.limits.tokens}
    world.store.commit([Update(stored.path, {"usage": spent}, stored.version)])
    (message,) = world.bus.waiting
    world.settle()
    world.deliver(message)
    assert (model.asked("summarise"), session(world).summary) == ([], "")
    told = events(world, run, "thought")[-1]
    assert told.data["text"].startswith("Earlier messages are not summed up: the budget has no room for it: tokens (")
    world.ask("What now?", key="next")
    assert session(world).summary == "They counted questions."
