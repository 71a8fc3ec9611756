"""The OpenAI-compatible adapter against a real local server (openai, service, refusals, chat_completions)."""

import json
import logging
import math
import re
import socket
import time
import traceback

import pytest

from entracte.adapters.models.openai.completions import chat_body
from entracte.adapters.models.openai.model import OpenAIModel
from entracte.adapters.models.service import MAX_REPLY_BYTES
from entracte.core.modelling import Fault, ModelReply, Usage, WantedCall
from entracte.errors import ConfigurationError, ModelRefused, ModelUnavailable
from entracte.testing.model_server import Answer, ModelServer, completion, failure
from tests.models.requests import GET, PLAN, SEARCH, a_request

KEY = "sk-test-4711"
HELLO = completion("Hello.")


def ask(server, request=None, *, deadline_s=30.0, max_retries=3, key=KEY):
    """One question to the model behind the server."""
    model = OpenAIModel("m-1", base_url=server.base_url, api_key=lambda: key, max_retries=max_retries)
    return model.generate(request or a_request(), deadline_s=deadline_s)


@pytest.fixture
def slept(monkeypatch):
    """Waits between tries, in seconds; nobody waits."""
    waits: list[float] = []
    monkeypatch.setattr(time, "sleep", waits.append)
    return waits


def test_a_question_travels_as_a_chat_completion():
    """Key, model, both messages and the limit; no temperature and no schema unless they are asked for."""
    with ModelServer(HELLO) as server:
        reply = ask(server)
    usage = Usage(prompt_tokens=20, output_tokens=5, model_calls=1)
    assert reply == ModelReply(value="Hello.", usage=usage, served="served-1")
    [asked] = server.requests
    assert asked.path == "/v1/chat/completions"
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert asked.body == {
        "model": "m-1",
        "messages": [
            {"role": "system", "content": "Help."},
            {"role": "user", "content": "<input>\nWhich plan is Ada on?\n</input>"},
        ],
        "max_tokens": 8192,
    }


def test_a_service_without_keys_gets_none():
    """Local servers want none, and some refuse an empty one."""
    with ModelServer(HELLO) as server:
        OpenAIModel("m-1", base_url=f"{server.base_url}/").generate(a_request(temperature=0.0), deadline_s=30)
    [asked] = server.requests
    assert asked.path == "/v1/chat/completions"
    assert "authorization" not in asked.headers
    assert asked.body["temperature"] == 0.0


def test_a_schema_is_enforced_and_its_value_read():
    """Strictly only where the whole schema allows it: `since` is optional."""
    with ModelServer(completion('{"plan": "pro"}')) as server:
        reply = ask(server, a_request(schema=PLAN))
    assert reply.value == {"plan": "pro"}
    response_format = server.requests[0].body["response_format"]
    assert response_format["type"] == "json_schema"
    assert response_format["json_schema"]["strict"] is False
    assert list(response_format["json_schema"]["schema"]["properties"]) == ["plan", "since"]


def test_several_calls_come_back_in_order():
    """Under the names that the request gave."""
    calls = [
        {"tool": "crm__search_customers", "args": {"query": "Ada"}},
        {"tool": "crm__get_customer", "args": {"id": 7}},
    ]
    with ModelServer(completion(json.dumps({"thought": "Both.", "calls": calls}))) as server:
        reply = ask(server, a_request(tools=(SEARCH, GET)))
    wanted = (WantedCall("crm.search_customers", {"query": "Ada"}), WantedCall("crm.get_customer", {"id": 7}))
    assert (reply.calls, reply.thought, reply.value) == (wanted, "Both.", None)


def test_openais_own_service_is_asked_in_its_own_way():
    """`max_completion_tokens`, and a schema that it can enforce to the letter."""
    body = chat_body(a_request(tools=(SEARCH,), max_output_tokens=500), "gpt-5-mini", official=True)
    assert body["max_completion_tokens"] == 500
    assert "max_tokens" not in body
    assert body["response_format"]["json_schema"]["strict"] is True
    assert list(body["response_format"]["json_schema"]["schema"]["properties"]) == ["thought", "next"]


def test_openai_is_not_asked_to_enforce_what_it_takes_no_root_of():
    """Alternatives at the root are refused by it with `strict`, however simple they are."""
    schema = {"anyOf": [{"type": "string"}, {"type": "null"}]}
    body = chat_body(a_request(schema=schema), "gpt-5-mini", official=True)
    assert body["response_format"]["json_schema"] == {"name": "reply", "schema": schema, "strict": False}


def test_thinking_and_cached_tokens_stand_apart():
    """The service counts thinking as output; a budget must not count it twice."""
    counted = {
        "prompt_tokens": 900,
        "completion_tokens": 300,
        "prompt_tokens_details": {"cached_tokens": 800},
        "completion_tokens_details": {"reasoning_tokens": 250},
    }
    with ModelServer(completion("Hello.", usage=counted, model="m-1-2026-01-01")) as server:
        reply = ask(server)
    assert reply.served == "m-1-2026-01-01"
    assert reply.usage == Usage(
        prompt_tokens=900, cached_tokens=800, thinking_tokens=250, output_tokens=50, model_calls=1
    )


@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": None, "prompt_tokens_details": None}, "many"])
def test_a_service_that_does_not_count_costs_one_call(usage):
    """Usage is a courtesy of compatible servers."""
    with ModelServer(completion("Hello.", usage=usage)) as server:
        assert ask(server).usage == Usage(model_calls=1)


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (completion(""), "empty"),
        (completion(None), "empty"),
        (completion("{", finish="length"), "cut_off"),
        (completion("Pro."), "invalid_json"),
        (completion('{"plan": "gold"}'), "malformed"),
        (completion("", finish="content_filter"), "blocked"),
        (completion(None, refusal="I cannot help with that."), "blocked"),
    ],
)
def test_a_reply_that_cannot_be_used_is_a_fault_and_still_costs(answer, kind):
    """Not an error: the model is told, and its tokens are counted."""
    with ModelServer(answer) as server:
        reply = ask(server, a_request(schema=PLAN))
    assert reply.fault is not None
    assert (reply.fault.kind, reply.value, reply.served) == (kind, None, "served-1")
    assert reply.usage == Usage(prompt_tokens=20, output_tokens=5, model_calls=1)


def test_a_refusal_is_told_in_the_models_own_words():
    """So that the agent can plan around it."""
    with ModelServer(completion(None, refusal="I cannot help with that.")) as server:
        assert ask(server).fault == Fault("blocked", "The model's service withheld the reply. I cannot help with that.")


def test_retry_after_is_honoured(slept):
    """At least as long as the service asks for, and not all waiters at once."""
    busy = failure(429, "Slow down.", headers={"Retry-After": "7"})
    with ModelServer(busy, busy, HELLO) as server:
        assert ask(server).value == "Hello."
    assert len(server.requests) == 3
    assert all(7 <= wait <= 7.5 for wait in slept)
    assert len(slept) == 2


def test_without_retry_after_the_waits_grow_and_are_scattered(slept):
    """Between nothing and 1, 2, 4 seconds."""
    with ModelServer(failure(429, "Slow down."), failure(500, "Oh."), failure(503, "Oh."), HELLO) as server:
        assert ask(server).value == "Hello."
    assert [wait <= limit for wait, limit in zip(slept, [1, 2, 4], strict=True)] == [True] * 3


def test_tries_are_bounded(slept):
    """The first and `max_retries` more; then the delivery is tried again later."""
    with ModelServer(*[failure(500, "Oh.")] * 9) as server, pytest.raises(ModelUnavailable) as caught:
        ask(server, max_retries=2)
    assert len(server.requests) == 3
    assert str(caught.value).endswith("answered 500: Oh.")


def test_a_wait_that_does_not_fit_the_deadline_is_not_begun(slept):
    """The engine is told how long the service asked to wait."""
    busy = failure(429, "Slow down.", headers={"Retry-After": "60"})
    with ModelServer(busy, HELLO) as server, pytest.raises(ModelUnavailable) as caught:
        ask(server, deadline_s=30)
    assert (len(server.requests), slept, caught.value.retry_after_s) == (1, [], 60.0)


def test_a_server_of_this_machine_that_is_not_there_is_asked_a_few_times_and_named(slept):
    """It may be starting; but nobody waits for hours for their own server, so the run ends and says where it should be.

    The port is bound and not listening: connections are refused.
    """
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        where = f"localhost:{taken.getsockname()[1]}"
        model = OpenAIModel("m-1", base_url=f"http://{where}/v1", max_retries=2)
        with pytest.raises(ModelRefused) as caught:
            model.generate(a_request(), deadline_s=30)
    said = rf"Nothing answers for openai/m-1 at {where} \(.*refused\)\. Is it running\? Start it, or check base_url\."
    assert (len(slept), bool(re.fullmatch(said, str(caught.value)))) == (2, True), str(caught.value)


def test_a_service_elsewhere_that_is_not_there_is_tried_again(slept):
    """It may be starting, and is asked again with the delivery's next try. No name ends in .invalid (RFC 2606)."""
    model = OpenAIModel("m-1", base_url="http://models.invalid/v1", max_retries=2)
    with pytest.raises(ModelUnavailable, match=r"openai/m-1 at models\.invalid cannot be reached \("):
        model.generate(a_request(), deadline_s=30)
    assert len(slept) == 2


def test_silence_is_a_timeout_and_not_tried_again(slept):
    """The time is used up, and the first question may still be worked on."""
    with ModelServer(Answer(delay_s=math.inf)) as server:
        with pytest.raises(ModelUnavailable, match="did not answer in time"):
            ask(server, deadline_s=0.2)
        assert (len(server.requests), slept) == (1, [])


def test_an_answer_that_is_cut_off_on_the_way_is_not_tried_again(slept):
    """It has been paid for once; the delivery is tried again later."""
    cut = Answer(body=HELLO.body, cut_after=20)
    with ModelServer(cut, HELLO) as server, pytest.raises(ModelUnavailable, match="cut the connection"):
        ask(server)
    assert (len(server.requests), slept) == (1, [])


@pytest.mark.parametrize(
    ("status", "said", "words", "remedy"),
    [
        (400, "max_tokens is too large", "answered 400: max_tokens is too large.", "its own words above"),
        (401, f"Incorrect API key provided: {KEY}.", "Incorrect API key provided: [key].", "secret that api_key names"),
        (403, "No access.", "answered 403: No access.", "ask for access"),
        (404, "No such model m-1", "openai/m-1 at 127.0.0.1", "has been retired. Name another one, such as vertex/"),
        (413, "Too large", "answered 413", "Shorten"),
        (418, "I am a teapot", "answered 418: I am a teapot.", ""),
    ],
)
def test_what_the_service_refuses_is_refused_with_a_remedy(slept, status, said, words, remedy):
    """Trying again would fail again. The remedy names the setting."""
    with ModelServer(failure(status, said), HELLO) as server, pytest.raises(ModelRefused) as caught:
        ask(server)
    assert words in caught.value.message
    assert remedy in caught.value.remedy
    assert (len(server.requests), slept) == (1, [])


@pytest.mark.parametrize(
    ("answer", "error", "words"),
    [
        (Answer(body=b"<html>Welcome</html>"), ModelRefused, "something else than JSON. Check base_url"),
        (Answer(body=b"[" * 100_000), ModelRefused, "something else than JSON"),
        (Answer(body={"error": {"message": "provider down", "code": 502}}), ModelUnavailable, "provider down"),
        (Answer(body={"choices": []}), ModelUnavailable, 'gave no chat completion but {"choices": []}.'),
        (Answer(body=[]), ModelUnavailable, "gave no chat completion but []."),
        (Answer(status=307, headers={"Location": "/"}, body={}), ModelRefused, "answered 307"),
    ],
)
def test_an_answer_that_is_no_chat_completion_is_an_error(answer, error, words):
    """A wrong base_url mostly leads to somebody's web page. A redirect would take the key elsewhere."""
    with ModelServer(answer) as server, pytest.raises(error) as caught:
        ask(server)
    assert words in str(caught.value)


def test_an_answer_is_not_read_beyond_its_limit():
    """A broken service must not fill the function's memory."""
    with ModelServer(Answer(body=b" " * (MAX_REPLY_BYTES + 1))) as server, pytest.raises(ModelRefused) as caught:
        ask(server)
    assert "more than 8,388,608 bytes" in str(caught.value)


@pytest.mark.parametrize(
    "answer",
    [
        failure(401, f"Wrong key {KEY}"),
        Answer(body={"error": f"Wrong key {KEY}"}),
        failure(500, f"Key {KEY}"),
        Answer(status=400, body=f"Key {KEY}".encode()),
    ],
)
def test_the_key_is_shown_nowhere(answer, caplog, slept):
    """Not in errors, their tracebacks, reprs or logs, even where the service repeats it."""
    caplog.set_level(logging.DEBUG)
    with ModelServer(answer) as server:
        model = OpenAIModel("m-1", base_url=server.base_url, api_key=lambda: f" {KEY}\n", max_retries=0)
        with pytest.raises((ModelRefused, ModelUnavailable)) as caught:
            model.generate(a_request(), deadline_s=30)
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    shown = "".join(traceback.format_exception(caught.value)) + repr(vars(caught.value)) + repr(model) + caplog.text
    assert KEY not in shown
    assert "[key]" in shown


@pytest.mark.parametrize("key", ["sk-4711\nX: y", "sk-4711-ü", "sk-\x004711"])
def test_a_key_that_no_header_can_carry_is_refused_without_showing_it(key):
    """The HTTP library's own error would show it."""
    with ModelServer(HELLO) as server, pytest.raises(ModelRefused) as caught:
        ask(server, key=key)
    assert "4711" not in "".join(traceback.format_exception(caught.value))
    assert server.requests == []


@pytest.mark.parametrize("base_url", ["api.example.com/v1", "ftp://example.com", "http://", "http://[", "http://a:b/"])
def test_an_address_that_is_none_is_refused_at_once(base_url):
    """When the network is built, not when the first question is asked."""
    with pytest.raises(ConfigurationError, match="base_url"):
        OpenAIModel("m-1", base_url=base_url)


def test_openais_own_service_is_not_asked_without_a_key():
    """A forgotten setting stops the start."""
    with pytest.raises(ConfigurationError, match="openai/m-1 has no api_key"):
        OpenAIModel("m-1")
