"""The API over a network in memory. Nothing moves until the test delivers its messages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from fastapi import FastAPI, Request
from fastapi.testclient import TestClient

from entracte.api.app import create_app
from entracte.core.identity.identity import Identity
from entracte.testing.world import World
from tests.api.conformance import Conformance
from tests.api.echo import EchoModel, echo_network
from tests.api.time_passing import TimePassing
from tests.gates.scene import Scene


def owner_header(request: Request) -> Identity:
    """Whoever the request says; Ada by default. `ops` is an operator."""
    name = request.headers.get("x-owner", "ada")
    return Identity(name, operator=name == "ops")


@pytest.fixture
def world() -> World:
    """The network with its store, its bus and its clock."""
    return World(echo_network(), EchoModel())


@pytest.fixture
def time_passing() -> TimePassing:
    """Time as the API sees it."""
    return TimePassing()


@pytest.fixture
def app(world: World, time_passing: TimePassing) -> FastAPI:
    """The API."""
    return create_app(world.process, identify=owner_header, patience=time_passing.patience())


@pytest.fixture(scope="session")
def description() -> dict[str, Any]:
    """What the API says of itself, made once: it is the same for all of them."""
    return create_app(World(echo_network(), EchoModel()).process).openapi()


@pytest.fixture
def conformance(description: dict[str, Any]) -> Conformance:
    """What has been answered, checked against the description."""
    return Conformance(description)


@pytest.fixture
def api(app: FastAPI, conformance: Conformance) -> Iterator[TestClient]:
    """An HTTP client. Every answer that it gets is checked against the description."""
    with TestClient(app, follow_redirects=False) as client:
        client.event_hooks = {"response": [conformance.check]}
        yield client


@pytest.fixture
def api_of(time_passing: TimePassing, conformance: Conformance) -> Callable[[Scene], TestClient]:
    """Gives the API over a scene's world; its answers are checked as well."""

    def api(scene: Scene) -> TestClient:
        app = create_app(scene.world.process, identify=owner_header, patience=time_passing.patience())
        client = TestClient(app, follow_redirects=False)
        client.event_hooks = {"response": [conformance.check]}
        return client

    return api
