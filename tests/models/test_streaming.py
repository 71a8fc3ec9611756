"""Replies that are told while they are written (server_events.py, json_speech.py, service.py, each stream.py)."""

import json
import math

import pytest
from hypothesis import given, strategies as st

from entracte.adapters.models.google.gemini import GeminiModel
from entracte.adapters.models.json_speech import JsonSpeech
from entracte.adapters.models.openai.model import OpenAIModel
from entracte.adapters.models.server_events import json_events
from entracte.core.modelling import Delta, Fault, ModelReply, Usage, WantedCall
from entracte.errors import ModelUnavailable
from entracte.testing.model_server import Answer, ModelServer, completion, completion_stream, events, failure
from entracte.testing.scripted import ScriptedModel
from tests.models.requests import GET, PLAN, SEARCH, a_request

USAGE = Usage(prompt_tokens=20, output_tokens=5, model_calls=1)


class Cancelled(Exception):
    """What a watcher raises who wants no more."""


def stream(answer, request=None, *, deadline_s=30.0, on_delta=None):
    """The reply of the model behind a server with one answer, what was told, and the requests."""
    told = []
    with ModelServer(answer) as server:
        model = OpenAIModel("m-1", base_url=server.base_url, max_retries=0)
        reply = model.generate(request or a_request(), deadline_s=deadline_s, on_delta=on_delta or told.append)
    return reply, told, server.requests


def test_a_text_is_told_piece_by_piece_and_returned_whole():
    """Usage comes with the last chunk, for which the service is asked."""
    reply, told, [asked] = stream(completion_stream("Ada is ", "on Pro."))
    assert told == [Delta("text", "Ada is "), Delta("text", "on Pro.")]
    assert reply == ModelReply(value="Ada is on Pro.", usage=USAGE, served="served-1")
    assert asked.body["stream"] is True
    assert asked.body["stream_options"] == {"include_usage": True}


def test_of_a_forced_choice_thought_and_answer_are_told():
    """The JSON around them is nobody's to read."""
    text = json.dumps({"thought": 'It is "known".', "answer": "Ada is on Pro: ¥1 😀."})
    pieces = [text[at : at + 3] for at in range(0, len(text), 3)]
    reply, told, _ = stream(completion_stream(*pieces), a_request(tools=(SEARCH,)))
    said = {kind: "".join(d.text for d in told if d.kind == kind) for kind in ("thought", "text")}
    assert said == {"thought": reply.thought, "text": reply.value}
    assert said == {"thought": 'It is "known".', "text": "Ada is on Pro: ¥1 😀."}
    assert len(told) > 5


def test_of_calls_the_thought_is_told():
    """An argument that is called answer is no answer."""
    calls = [{"tool": "crm__get_customer", "args": {"id": 7, "answer": "no", "thought": "no"}}]
    text = json.dumps({"thought": "Look.", "calls": calls})
    reply, told, _ = stream(completion_stream(*text), a_request(tools=(GET,)))
    assert "".join(delta.text for delta in told) == "Look."
    assert reply.calls == (WantedCall("crm.get_customer", calls[0]["args"]),)


def test_json_for_the_program_is_not_told():
    """Nobody reads a value with a schema while it is written."""
    reply, told, _ = stream(completion_stream('{"plan": ', '"pro"}'), a_request(schema=PLAN))
    assert (reply.value, told) == ({"plan": "pro"}, [])


def test_thinking_is_told_as_a_thought():
    """Compatible services give it beside the text."""
    reply, told, _ = stream(completion_stream("Pro.", reasoning_content="Ada paid."))
    assert told == [Delta("thought", "Ada paid."), Delta("text", "Pro.")]
    assert (reply.value, reply.thought) == ("Pro.", "Ada paid.")


def test_calls_in_the_services_own_form_are_gathered():
    """Nobody asks for them so; some models insist."""
    pieces = [
        {"index": 0, "id": "c", "function": {"name": "crm__get_customer", "arguments": '{"id"'}},
        {"index": 0, "function": {"arguments": ": 7}"}},
        {"index": 1, "id": "d", "function": {"name": "crm__fly", "arguments": ""}},
    ]
    chunks = [{"choices": [{"delta": {"tool_calls": [piece]}}]} for piece in pieces]
    reply, _, _ = stream(events(*chunks, last="[DONE]"), a_request(tools=(GET,)))
    assert reply.calls == (WantedCall("crm.get_customer", {"id": 7}), WantedCall("crm__fly", {}))


def test_a_stream_that_the_limit_cut_is_cut_off_and_costs():
    """What was told was not the whole."""
    reply, told, _ = stream(completion_stream("Ada is", finish="length"), a_request(max_output_tokens=100))
    assert told == [Delta("text", "Ada is")]
    assert reply.fault == Fault("cut_off", "The reply was cut off after 100 tokens. Write less.")
    assert reply.usage == USAGE


def test_a_service_that_does_not_stream_answers_as_ever():
    """Asked for a stream, it sends the completion; nothing is told."""
    reply, told, _ = stream(completion("Hello."))
    assert (reply.value, told) == ("Hello.", [])


def test_a_watcher_who_raises_ends_the_stream():
    """The connection is closed with most of the reply unread; what was raised comes through."""

    def refuse(delta):
        raise Cancelled

    with pytest.raises(Cancelled):
        stream(completion_stream(*["word "] * 20_000), on_delta=refuse)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (events({"error": {"message": "overloaded"}}), "overloaded"),
        (events(last="oops"), "not JSON"),
        (events(last="[DONE]"), "gave no chat completion but {}"),
        (events(last="[" * 100_000), "not JSON"),
        (Answer(headers={"Content-Type": "text/event-stream"}, body=completion_stream("a").body, cut_after=40), "cut"),
        (Answer(delay_s=math.inf), "in time"),
        (failure(500, "Oh."), "answered 500: Oh."),
    ],
)
def test_a_stream_that_fails_is_unavailable(answer, words):
    """Whatever was told; the delivery is tried again later."""
    with pytest.raises(ModelUnavailable, match=words):
        stream(answer, deadline_s=0.3)


def test_a_stream_that_breaks_off_busy_is_not_asked_for_again_at_once():
    """Its first pieces would be told twice; before anything was told, it is asked for again."""
    piece = {"candidates": [{"content": {"role": "model", "parts": [{"text": "Hel"}]}}]}
    end = {"candidates": [{"content": {"role": "model", "parts": [{"text": "lo"}]}, "finishReason": "STOP"}]}
    busy = {"error": {"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}}
    told = []
    with ModelServer(events(busy), events(piece, busy), events(piece, end)) as server:
        address = server.base_url.removesuffix("/v1")
        model = GeminiModel("gemini-m-1", api_key=lambda: "key", base_url=address, max_retries=3)
        with pytest.raises(ModelUnavailable, match="answered 503: overloaded") as raised:
            model.generate(a_request(), deadline_s=30.0, on_delta=told.append)
        assert (type(raised.value), told, len(server.requests)) == (ModelUnavailable, [Delta("text", "Hel")], 2)


def test_a_script_is_told_word_by_word():
    """So that demos and tests see what a stream looks like."""
    told = []
    model = ScriptedModel([{"reply": {"thought": "It is known.", "answer": "Ada is on Pro.\n"}}])
    reply = model.generate(a_request(), deadline_s=1, on_delta=told.append)
    assert [delta.text for delta in told if delta.kind == "thought"] == ["It", " is", " known."]
    assert "".join(delta.text for delta in told if delta.kind == "text") == reply.value == "Ada is on Pro."


@given(st.data())
def test_events_are_the_same_however_they_arrive(data):
    """Cut anywhere, with either line end, with comments between."""
    values = data.draw(st.lists(st.dictionaries(st.text(), st.integers()), max_size=4))
    ends = data.draw(st.sampled_from(["\n", "\r\n"]))
    body = "".join(f": ping{ends}event: x{ends}data: {json.dumps(value)}{ends}{ends}" for value in values).encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(body)), max_size=6)))
    pieces = [body[a:b] for a, b in zip([0, *cuts], [*cuts, len(body)], strict=True)]
    assert list(json_events(pieces)) == values


_TEXTS = st.text(st.characters(exclude_categories=["Cs"]))


@given(_TEXTS, _TEXTS, st.recursive(_TEXTS, lambda each: st.lists(each) | st.dictionaries(_TEXTS, each), max_leaves=5))
def test_speech_is_what_json_says(thought, answer, other):
    """Piece by piece, whatever stands around it and however it is escaped."""
    reply = {"calls": other, "thought": thought, "next": {"answer": answer, "args": {"answer": "no"}}}
    for text in (json.dumps(reply), json.dumps(reply, ensure_ascii=False, indent=1)):
        speech = JsonSpeech(("thought", "answer"))
        said = {"thought": "", "answer": ""}
        for char in text:
            for key, piece in speech.hear(char):
                said[key] += piece
        assert said == {"thought": thought, "answer": answer}
