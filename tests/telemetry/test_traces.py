"""Spans of runs, as a receiver sees them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from entracte.adapters.telemetry.tracing import OtlpTracing
from entracte.core.modelling import Fault, ModelReply, ModelRequest
from entracte.harness import Mask
from entracte.testing.scripted import ScriptedModel
from entracte.testing.world import World
from tests.masking.clinic import ASKED_EMAIL, SEALING_KEY, Clinic, planted_in, reply
from tests.telemetry.receiver import Receiver, receiving

QUESTION = f"Set patient 7's address to {ASKED_EMAIL}, please."


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """A receiver for one test."""
    with receiving() as seen:
        yield seen


def open_world(receiver: Receiver) -> World:
    """The clinic, masked and traced."""
    return World(
        Clinic().network(Mask(patterns={"employee": r"E-[0-9]{6}"})),
        ScriptedModel(reply),
        secrets={"ENTRACTE_MASK_KEY": SEALING_KEY},
        tracing=OtlpTracing(receiver.address, service="clinic"),
    )


def test_a_run_is_one_trace_up_to_its_gate_and_a_linked_one_after_it(receiver: Receiver) -> None:
    """From the request on, in all phases, model calls and tool calls; after the gate a new trace tells of the old."""
    world = open_world(receiver)
    run = world.ask(QUESTION)
    before = receiver.spans
    world.process.gates.decide(world.process.gates.of_run(run.id)[0].id, "approve", user="ada", via="http")
    world.settle()
    after = receiver.spans[len(before) :]

    first = before[0]
    assert (first.name, first.parent, first.links) == ("invoke_agent desk", "", ())
    assert {span.trace for span in before} == {first.trace}
    assert {span.name for span in before} >= {
        "plan", "execute", "evaluate", "approve", "chat gemini-3.8-flash", "execute_tool look_up", "prepare change",
    } - {"chat gemini-3.8-flash"}  # fmt: skip
    ids = {span.id for span in before}
    assert {span.parent for span in before if span is not first} <= ids
    (root,) = [span for span in after if not span.parent]
    assert (root.name, root.links) == ("approve", (first.trace,))
    assert {span.trace for span in after} == {root.trace} != {first.trace}
    assert "execute_tool change" in {span.name for span in after}


def test_an_undo_is_a_linked_trace_of_its_own(receiver: Receiver) -> None:
    """All of it, from the survey to the last inverse."""
    world = open_world(receiver)
    run = world.ask(QUESTION)
    world.process.gates.decide(world.process.gates.of_run(run.id)[0].id, "approve", user="ada", via="http")
    world.settle()
    told = len(receiver.spans)

    world.process.runs.undo(run.id, owner="ada")
    world.settle()

    undo = receiver.spans[told:]
    assert {span.trace for span in undo} == {undo[-1].trace}
    assert [span.links for span in undo if not span.parent] == [(receiver.spans[0].trace,)]
    assert {span.name for span in undo} == {"undo", "read change", "execute_tool change"}


def test_model_and_tool_calls_are_named_as_opentelemetry_names_them(receiver: Receiver) -> None:
    """The attributes that dashboards for generative AI look for."""
    world = open_world(receiver)
    run = world.ask(QUESTION)

    model = next(span.attributes for span in receiver.spans if span.name.startswith("chat "))
    tool = next(span.attributes for span in receiver.spans if span.name == "execute_tool look_up")
    assert model["gen_ai.operation.name"] == "chat"
    assert model["gen_ai.provider.name"] == "gcp.vertex_ai"
    assert model["gen_ai.usage.input_tokens"] == 0
    assert (tool["gen_ai.tool.name"], tool["gen_ai.tool.call.id"]) == ("look_up", f"{run.id}.1.0")
    assert tool["entracte.ending"] == "applied"


def test_a_reply_that_cannot_be_used_is_a_span_that_failed(receiver: Receiver) -> None:
    """By the kind of its fault."""

    def empty(request: ModelRequest) -> ModelReply:
        return ModelReply(fault=Fault("empty", "Nothing."))

    tracing = OtlpTracing(receiver.address, service="clinic")
    World(Clinic().network(None), ScriptedModel(empty), tracing=tracing).ask("go")

    asked = [span for span in receiver.spans if span.name.startswith("chat ")]
    assert asked
    assert all(span.failed and span.attributes["error.type"] == "empty" for span in asked)


def test_no_span_holds_what_people_models_or_tools_said(receiver: Receiver) -> None:
    """Not even what a failure said: the raw bytes that were sent hold none of what was planted."""
    world = open_world(receiver)
    world.ask(QUESTION)

    assert receiver.raw
    assert planted_in(b"".join(receiver.raw).decode(errors="replace")) == []


def test_a_message_that_lost_its_trace_goes_on_in_the_runs_own(receiver: Receiver) -> None:
    """Sweep sends it again without one: the run's first trace is known from its id."""
    world = open_world(receiver)
    world.start(QUESTION)
    (message,) = world.bus.waiting
    assert message.traceparent
    world.bus.waiting[:] = [message.evolve(traceparent="")]

    world.settle()

    first = receiver.spans[0]
    assert {span.trace for span in receiver.spans} == {first.trace}
    assert first.id in {span.parent for span in receiver.spans}


def test_a_run_that_was_started_before_has_no_second_first_span(receiver: Receiver) -> None:
    """The same key twice: one span."""
    world = open_world(receiver)
    world.start(QUESTION)
    world.start(QUESTION)

    assert [span.name for span in receiver.spans] == ["invoke_agent desk"]


def test_a_receiver_that_is_down_breaks_nothing(receiver: Receiver, caplog: pytest.LogCaptureFixture) -> None:
    """Its refusal is no fault of the run."""
    receiver.status = 400
    world = open_world(receiver)

    assert world.ask(QUESTION).status == "waiting"
    assert receiver.spans == []
