"""What push subscriptions, triggers and MCP clients may send: envelopes, events and requests out of shape."""

from __future__ import annotations

import base64
import json
import logging
from typing import Any, get_args

import httpx
import pytest
from flask import Request
from google.events.cloud.firestore import DocumentEventData
from hypothesis import HealthCheck, Phase, given, settings, strategies as st
from werkzeug.test import EnvironBuilder

from entracte.adapters.gcp.gate_edit import decode_edit
from entracte.core.messages import Kind, Message
from entracte.errors import TerminalError
from entracte.runtime.doors.function import push_function
from entracte.runtime.doors.gate_edit import message_of
from entracte.runtime.engine.giving_up import give_up
from entracte.runtime.settings import Settings
from entracte.testing.world import World
from tests.api.serving import served
from tests.gates.scene import SEND, Scene
from tests.gateway.counter import Counter
from tests.gateway.test_http import HEADERS, INITIALIZE, door
from tests.undo.stage import UPGRADE

KINDS: tuple[Kind, ...] = get_args(Kind)

ROUNDS = settings(
    max_examples=150,
    derandomize=True,  # the same messages in every run
    database=None,
    deadline=None,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@st.composite
def bodies(draw: st.DrawFn, scene: Scene) -> bytes:
    """Bytes, JSON, an envelope of anything, or a message that is right but for some of its fields."""
    message = {
        "kind": draw(st.sampled_from(KINDS)),
        "run": scene.id,
        "session": "session",
        "frame": scene.id,
        "step": 1,
        "action": scene.actions[0].id,
        "gate": scene.gates[0].id,
        "answer": None,
    }
    for name in draw(st.lists(st.sampled_from([*message, "calls", "schema_version"]), max_size=3)):
        message[name] = draw(JSON | st.sampled_from(["", "..", "a/b", "__x__", "x" * 2000, 10**12, -1]))
    data = draw(st.just(json.dumps(message).encode()) | st.binary(max_size=20) | JSON.map(_json))
    enveloped = {"message": {"data": base64.b64encode(data).decode(), "attributes": draw(st.just({}) | JSON)}}
    return draw(
        st.sampled_from([_json(enveloped)] * 8 + [_json({"message": data.decode(errors="replace")})])
        | st.binary(max_size=20)
        | JSON.map(_json)
    )


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()


def posted(world: World, name: str, body: bytes) -> int:
    """Status that a function answers a push with."""

    def sweep(message: Message) -> str:
        return give_up(world.process.engine, message, "It came back too often.")

    handle = sweep if name == "sweep" else world.process.engine.handle
    function = push_function(name, handle, lambda authorization, host: None, world.process)
    return function(Request(EnvironBuilder(method="POST", data=body).get_environ()))[1]


@pytest.mark.parametrize("name", ["execute", "sweep"])
def test_whatever_is_pushed_is_acknowledged_or_comes_again_and_harms_no_run(name: str):
    """The functions of the phases differ in the kind that they take; sweep takes dead letters of all kinds."""
    logging.disable(logging.CRITICAL)
    scene = Scene(UPGRADE, SEND)
    other = scene.world.start("Go.", key="another", session="another")
    waiting = [*scene.world.bus.waiting]

    @ROUNDS
    @given(st.data())
    def play(data: st.DataObject) -> None:
        assert posted(scene.world, name, data.draw(bodies(scene))) in (204, 503)

    play()
    scene.world.bus.waiting[:] = waiting
    scene.settle()
    assert scene.world.run(other.id).status == "waiting"


@ROUNDS
@given(
    st.fixed_dictionaries(
        {},
        optional={
            "document": st.sampled_from(["gates/g.1.0.1", "gates/", "gates/a/b", "runs/r", ""]) | JSON,
            "id": st.text(max_size=5) | JSON,
            "authtype": st.sampled_from(["unknown", "app_user", "system"]) | JSON,
            "authid": st.text(max_size=9) | JSON,
        },
    ),
    st.binary(max_size=40)
    | st.builds(
        lambda decision, reason: DocumentEventData.serialize(
            DocumentEventData(
                value={"fields": {"decision": decision, "decision_reason": reason, "edited_arguments": decision}}
            )
        ),
        st.sampled_from(
            [{"string_value": "approve"}, {"integer_value": 7}, {"boolean_value": True}, {"double_value": 0.5},
             {"bytes_value": b"\xff"}, {"null_value": 0}, {"map_value": {"fields": {"a": {"integer_value": 1}}}},
             {"array_value": {"values": [{"string_value": "x"}]}}, {"reference_value": "r"},
             {"geo_point_value": {"latitude": 1}}, {"timestamp_value": {"seconds": 1}}, {}]
        ),
        st.sampled_from([{"string_value": "because"}, {"integer_value": 2**62}, {}]),
    ),
)  # fmt: skip
def test_an_event_is_an_edit_or_is_refused(attributes: dict[str, Any], body: bytes):
    """Refused is acknowledged: it would be the same the next time."""
    try:
        message_of(decode_edit(attributes, body), Settings(project="p"))
    except TerminalError:
        return


def test_whatever_is_posted_to_the_gateway_is_answered():
    """Requests of the protocol with anything in them, and anything else."""
    logging.disable(logging.CRITICAL)
    app = door(Counter())
    methods = ["initialize", "tools/list", "tools/call", "ping", "resources/read", "notifications/initialized", ""]
    requests = st.fixed_dictionaries(
        {"jsonrpc": st.sampled_from(["2.0", "1.0"]), "method": st.sampled_from(methods)},
        optional={"id": JSON, "params": JSON | st.just(INITIALIZE["params"]) | st.just({"name": "read"})},
    )

    with served(app) as url, httpx.Client(timeout=20) as client:

        @ROUNDS
        @given(requests.map(_json) | JSON.map(_json) | st.binary(max_size=20))
        def play(body: bytes) -> None:
            assert client.post(url, content=body, headers=HEADERS).status_code < 500

        play()
