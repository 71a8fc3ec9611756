"""Every model adapter keeps the port's contract: the same reply, whichever way it came."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from entracte.adapters.models.dialect import wire_name
from entracte.adapters.models.registry import open_model
from entracte.core.modelling import ModelReply, ModelRequest, WantedCall
from entracte.ports.model import Model
from entracte.testing.model_server import Answer, ModelServer, completion
from entracte.testing.scripted import ScriptedModel
from tests.models.requests import GET, PLAN, SEARCH, a_request

Reply = dict[str, Any]
"""What the model replies, as a script has it."""

FAULTS = {
    "empty": completion(""),
    "invalid_json": completion("Pro."),
    "malformed": completion("{}"),
    "cut_off": completion('{"thought": "Ada', finish="length"),
    "blocked": completion("", finish="content_filter"),
}


@contextmanager
def openai(reply: Reply, request: ModelRequest, folder: Path) -> Iterator[Model]:
    """The OpenAI-compatible adapter, behind a real server."""
    with ModelServer(*[_on_the_wire(reply, request)] * 2) as server:
        yield open_model("openai/m", base_url=server.base_url, api_key=lambda: "sk-4711")


@contextmanager
def scripted(reply: Reply, request: ModelRequest, folder: Path) -> Iterator[Model]:
    """A script file."""
    rule = reply if "fault" in reply else {"reply": reply}
    path = folder / "script.json"
    path.write_text(json.dumps({"version": 1, "replies": [rule]}), encoding="utf-8")
    yield open_model(f"scripted/{path}")


@contextmanager
def fake(reply: Reply, request: ModelRequest, folder: Path) -> Iterator[Model]:
    """The model for tests."""
    yield ScriptedModel([reply if "fault" in reply else {"reply": reply}])


def _on_the_wire(reply: Reply, request: ModelRequest) -> Answer:
    """The text of a model that replies so."""
    match reply:
        case {"fault": kind}:
            return FAULTS[kind]
        case {"calls": calls}:
            named = [call | {"tool": wire_name(call["tool"])} for call in calls]
            return completion(json.dumps(reply | {"calls": named}))
        case {"answer": answer} if not request.tools:
            return completion(answer if request.schema is None else json.dumps(answer))
        case _:
            return completion(json.dumps(reply))


@pytest.fixture(params=[openai, scripted, fake], ids=lambda adapter: adapter.__name__)
def ask(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    """Asks one question twice of a model that gives a certain reply; both replies must be equal."""

    def _ask(reply: Reply, asked: ModelRequest) -> ModelReply:
        with request.param(reply, asked, tmp_path) as model:
            first, second = (model.generate(asked, deadline_s=30) for _ in range(2))
        assert first == second
        return first

    return _ask


def test_text_is_the_value(ask: Any) -> None:
    """Without tools and schema, what the model says is the answer."""
    reply = ask({"answer": "Ada is on Pro."}, a_request())
    assert (reply.value, reply.calls, reply.fault) == ("Ada is on Pro.", (), None)


def test_a_value_of_the_schema_is_the_value(ask: Any) -> None:
    """JSON comes back as JSON, not as text."""
    assert ask({"answer": {"plan": "pro"}}, a_request(schema=PLAN)).value == {"plan": "pro"}


@pytest.mark.parametrize(("schema", "answer"), [(None, "Ada is on Pro."), (PLAN, {"plan": "free"})])
def test_with_tools_a_reply_may_be_the_answer(ask: Any, schema: Any, answer: Any) -> None:
    """Text or a value of the schema, with the thought beside it."""
    reply = ask({"thought": "Known.", "answer": answer}, a_request(tools=(SEARCH, GET), schema=schema))
    assert (reply.value, reply.thought, reply.calls, reply.fault) == (answer, "Known.", (), None)


def test_with_tools_a_reply_may_call_several(ask: Any) -> None:
    """In order, under the names that the request gave, without a value; unknown names are passed through."""
    calls = [
        {"tool": "crm.search_customers", "args": {"query": "Ada"}},
        {"tool": "crm.get_customer", "args": {"id": "seven"}},
        {"tool": "fly", "args": {}},
    ]
    reply = ask({"thought": "All.", "calls": calls}, a_request(tools=(SEARCH, GET)))
    assert reply.calls == tuple(WantedCall(call["tool"], call["args"]) for call in calls)
    assert (reply.value, reply.thought, reply.fault) == (None, "All.", None)


@pytest.mark.parametrize("kind", FAULTS)
def test_a_reply_that_cannot_be_used_is_a_fault(ask: Any, kind: str) -> None:
    """Never an error, with a message for the model, and neither calls nor value."""
    reply = ask({"fault": kind}, a_request(tools=(SEARCH,)))
    assert (reply.fault.kind, reply.calls, reply.value) == (kind, (), None)
    assert reply.fault.message


@pytest.mark.parametrize("reply", [{"answer": "Ada is on Pro."}, {"fault": "malformed"}])
def test_every_reply_says_what_it_cost_and_who_gave_it(ask: Any, reply: Reply) -> None:
    """Also one that cannot be used: its tokens were spent."""
    given = ask(reply, a_request(tools=(SEARCH,)))
    assert given.usage.model_calls == 1
    assert given.usage.prompt_tokens > 0
    assert given.served
