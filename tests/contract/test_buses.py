"""Every bus keeps the contract. What only one of them does stands below its own class."""

from __future__ import annotations

import json
from collections.abc import Iterator
from uuid import uuid4

import pytest

from entracte.adapters.gcp.bus import PubSubBus
from entracte.adapters.gcp.push import decode_push
from entracte.core.messages import Message
from entracte.errors import RetryableError
from entracte.testing.bus_contract import KINDS, BusContract, Received
from tests.contract.push_endpoint import PushEndpoint
from topics import Topics


@pytest.fixture
def project(pubsub_emulator: str) -> str:
    """A project of its own for each test."""
    return f"demo-{uuid4().hex[:12]}"


@pytest.fixture
def endpoint(pubsub_emulator: str, project: str) -> Iterator[PushEndpoint]:
    """Where all messages of the project are pushed to, as they are pushed to the functions."""
    topics = Topics(emulator=pubsub_emulator, project=project, prefix="entracte")
    endpoint = PushEndpoint()
    for kind in KINDS:
        topics.create(kind)
        topics.push(kind, endpoint.url)
    yield endpoint
    for kind in KINDS:
        topics.unsubscribe(kind)
    endpoint.close()


@pytest.mark.emulator
class TestPubSubBus(BusContract):
    @pytest.fixture
    def bus(self, project: str, endpoint: PushEndpoint) -> Iterator[PubSubBus]:
        bus = PubSubBus(project)
        yield bus
        bus.close()

    @pytest.fixture
    def received(self, endpoint: PushEndpoint) -> Received:
        return lambda count: [decode_push(body) for body in endpoint.bodies(count)]


@pytest.mark.emulator
def test_a_push_carries_kind_and_run_as_attributes(project: str, endpoint: PushEndpoint):
    """A person who looks at a subscription, or at the dead letters, sees what a message is about."""
    bus = PubSubBus(project)
    bus.publish([Message(kind="plan", run="r1")])
    bus.close()
    (body,) = set(endpoint.bodies(1))
    assert json.loads(body)["message"]["attributes"] == {"kind": "plan", "run": "r1"}


@pytest.mark.emulator
def test_a_missing_topic_is_named_after_the_other_messages_went_out(pubsub_emulator: str, project: str):
    """The handler nacks; the messages that could go are not held back by the one that could not."""
    topics = Topics(emulator=pubsub_emulator, project=project, prefix="other")
    topics.create("plan")
    endpoint = PushEndpoint()
    topics.push("plan", endpoint.url)
    bus = PubSubBus(project, prefix="other")
    plan = Message(kind="plan", run="r")
    with pytest.raises(RetryableError, match=f"projects/{project}/topics/other-undo does not exist") as failure:
        bus.publish([Message(kind="undo", run="r"), plan])
    assert failure.value.code == "topic_missing"
    assert [decode_push(body) for body in endpoint.bodies(1)] == [plan]
    bus.close()
    topics.unsubscribe("plan")
    endpoint.close()


def test_an_emulator_that_is_down_is_an_error_within_the_time_limit(monkeypatch: pytest.MonkeyPatch):
    """It names the topic and says what to look at."""
    monkeypatch.setenv("PUBSUB_EMULATOR_HOST", "127.0.0.1:9")  # "discard": nobody listens there
    bus = PubSubBus("demo-down", timeout_s=0.3)
    with pytest.raises(RetryableError, match="projects/demo-down/topics/entracte-plan") as failure:
        bus.publish([Message(kind="plan", run="r")])
    bus.close()
    assert failure.value.code == "bus_unavailable"
    assert "PUBSUB_EMULATOR_HOST" in failure.value.remedy
