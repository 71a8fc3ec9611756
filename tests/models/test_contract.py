"""Every adapter against a service that speaks its real wire protocol: the same outcome from all of them."""

import json
import logging
import time
import traceback

import pytest

from entracte.core.modelling import Delta
from entracte.errors import ModelRefused, ModelUnavailable
from entracte.testing.model_contract import CASES, CHOICE, CHOICE_OF_VALUE, TEXT, VALUE, check_reply
from entracte.testing.wires.anthropic_wire import KEY as ANTHROPIC_KEY, AnthropicWire, VertexClaudeWire
from entracte.testing.wires.gemini_wire import KEY as GEMINI_KEY, GeminiWire
from entracte.testing.wires.openai_wire import OpenAIWire
from entracte.testing.wires.turn import Fails, Says
from entracte.testing.wires.vertex_wire import VertexGrpcWire, VertexRestWire

WIRES = {
    "openai": OpenAIWire(),
    "anthropic": AnthropicWire(),
    "claude on vertex": VertexClaudeWire(),
    "gemini": GeminiWire(),
    "vertex grpc": VertexGrpcWire(),
    "vertex rest": VertexRestWire(),
}
HELLO = Says(request=TEXT, text="Hello.")

# google-genai warns of a finish reason that it does not know; the reply is read all the same.
pytestmark = pytest.mark.filterwarnings("ignore:TIRED is not a valid FinishReason")


class Cancelled(Exception):
    """What a watcher raises who wants no more."""


@pytest.fixture(params=WIRES)
def wire(request):
    """Each wire in turn."""
    return WIRES[request.param]


@pytest.fixture(params=[False, True], ids=["whole", "streamed"])
def streamed(request):
    """Without a stream and with one."""
    return request.param


@pytest.fixture
def slept(monkeypatch):
    """Waits between tries, in seconds; nobody waits."""
    waits: list[float] = []
    monkeypatch.setattr(time, "sleep", waits.append)
    return waits


def ask(wire, *turns, streamed, max_retries=0, deadline_s=30.0):
    """One question; the reply or the error, how often the service was asked, and what was told."""
    told = []
    with wire.serve(*turns, max_retries=max_retries) as (model, asked):
        try:
            reply = model.generate(TEXT, deadline_s=deadline_s, on_delta=told.append if streamed else None)
        except (ModelRefused, ModelUnavailable) as error:
            return error, len(asked), told
    return reply, len(asked), told


@pytest.mark.parametrize("case", CASES)
def test_a_reply_means_the_same_from_every_service(wire, case, streamed):
    """Text, values, calls, usage, and everything odd."""
    check_reply(CASES[case], wire, streamed=streamed)


def test_a_busy_service_is_asked_again_when_it_says(wire, streamed, slept):
    """Retry-After of HTTP, RetryInfo of Google."""
    reply, times, _ = ask(wire, Fails(status=429, retry_after_s=7), HELLO, streamed=streamed, max_retries=3)
    assert (reply.value, times) == ("Hello.", 2)
    [waited] = slept
    assert 7 <= waited <= 7.5


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_service_in_trouble_is_asked_again_soon(wire, streamed, status, slept):
    """Within a second at first, scattered."""
    reply, times, _ = ask(wire, Fails(status=status), HELLO, streamed=streamed, max_retries=3)
    assert (reply.value, times) == ("Hello.", 2)
    [waited] = slept
    assert 0 <= waited <= 1


@pytest.mark.parametrize("status", [429, 500, 503])
def test_tries_are_bounded(wire, streamed, status, slept):
    """Then the message is delivered again later."""
    error, times, _ = ask(wire, *[Fails(status=status)] * 5, streamed=streamed, max_retries=2)
    assert isinstance(error, ModelUnavailable)
    assert str(status) in error.message
    assert times == 3


def test_a_wait_beyond_the_deadline_is_not_begun(wire, streamed, slept):
    """Who asked is told how long to wait."""
    busy = Fails(status=429, retry_after_s=60)
    error, times, _ = ask(wire, busy, HELLO, streamed=streamed, max_retries=3)
    assert isinstance(error, ModelUnavailable)
    assert (error.retry_after_s, times, slept) == (60.0, 1, [])


def test_a_retired_model_is_named_with_the_setting(wire, streamed):
    """The error says so, once."""
    gone = Fails(status=404, message="Publisher model m-1 was not found")
    error, times, _ = ask(wire, gone, HELLO, streamed=streamed, max_retries=3)
    assert isinstance(error, ModelRefused)
    assert "m-1 at 127.0.0.1" in error.message
    assert "answered 404: Publisher model m-1 was not found." in error.message
    assert "retired" in error.remedy
    assert "ENTRACTE_MODEL" in error.remedy
    assert times == 1


@pytest.mark.parametrize(("status", "remedy"), [(400, "own words"), (401, "secret"), (403, "ask for access")])
def test_what_is_refused_is_not_tried_again(wire, streamed, status, remedy):
    """It would be refused again."""
    error, times, _ = ask(wire, *[Fails(status=status)] * 3, streamed=streamed, max_retries=3)
    assert isinstance(error, ModelRefused)
    assert remedy in error.remedy
    assert times == 1 or (wire is WIRES["vertex rest"] and status == 401)  # Google's session renews its token first


def test_silence_is_a_timeout(wire, streamed):
    """The service may still be working on it: not asked again."""
    error, times, _ = ask(wire, "silent", HELLO, streamed=streamed, max_retries=3, deadline_s=0.5)
    assert isinstance(error, ModelUnavailable)
    assert "in time" in error.message
    assert times == 1


def test_a_cut_connection_is_unavailable(wire, streamed):
    """The message is delivered again later."""
    error, _, _ = ask(wire, "cut", streamed=streamed)
    assert isinstance(error, ModelUnavailable)


def test_a_watcher_who_raises_ends_the_stream(wire):
    """What it raises comes through; nothing more is told."""
    told = []

    def refuse(delta):
        told.append(delta)
        raise Cancelled

    with wire.serve(HELLO) as (model, _), pytest.raises(Cancelled):
        model.generate(TEXT, deadline_s=30, on_delta=refuse)
    assert told == [Delta("text", "Hel")]


@pytest.mark.parametrize("name", ["anthropic", "gemini"])
@pytest.mark.parametrize("status", [401, 404, 500])
def test_a_key_is_shown_nowhere(name, status, streamed, caplog):
    """Not in errors, their tracebacks, reprs or logs, even where the service repeats it."""
    caplog.set_level(logging.DEBUG)
    key = {"anthropic": ANTHROPIC_KEY, "gemini": GEMINI_KEY}[name]
    serving = WIRES[name].serve(Fails(status=status, message=f"Not with {key}!"))
    with serving as (model, asked), pytest.raises((ModelRefused, ModelUnavailable)) as caught:
        model.generate(TEXT, deadline_s=30, on_delta=(lambda delta: None) if streamed else None)
    assert key in asked[0].headers.values()
    shown = "".join(traceback.format_exception(caught.value)) + repr(vars(caught.value)) + repr(model) + caplog.text
    assert key not in shown
    assert "Not with [key]!" in shown


@pytest.mark.parametrize("request_", [TEXT, VALUE, CHOICE, CHOICE_OF_VALUE])
def test_no_service_sees_a_reference_or_a_dot_in_a_name(wire, request_):
    """Dialects: `$ref` is filled in, `.` travels as `__`."""
    with wire.serve(Fails(status=400)) as (model, asked), pytest.raises(ModelRefused):
        model.generate(request_, deadline_s=30)
    sent = json.dumps(asked[0].body) if hasattr(asked[0], "body") else str(asked[0])
    assert "$ref" not in sent
    assert "crm.get_customer" not in sent
    assert ("crm__get_customer" in sent) == bool(request_.tools)
