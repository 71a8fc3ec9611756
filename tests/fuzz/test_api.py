"""The HTTP API, asked whatever its own description allows, and what it does not (schemathesis)."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
import schemathesis.openapi
from fastapi import FastAPI
from hypothesis import HealthCheck, Phase, given, settings, strategies as st
from schemathesis import Case
from schemathesis.generation import GenerationMode

from entracte.api.app import create_app
from entracte.core.addresses import KINDS
from entracte.core.identity.identity import Identity
from entracte.ports.store import Create, Delete, Query
from tests.api.conformance import Conformance
from tests.api.time_passing import TimePassing
from tests.gates.scene import SEND, Scene
from tests.undo.stage import UPGRADE

ROUNDS = settings(
    max_examples=300,
    derandomize=True,  # the same requests in every run
    database=None,
    deadline=None,
    phases=[Phase.generate],  # a request is short: nothing is won by making it shorter
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)


class Stage:
    """A run that waits at a gate; after each request its documents are as they were."""

    def __init__(self) -> None:
        self.scene = Scene(UPGRADE, SEND)
        self.app: FastAPI = create_app(
            self.scene.world.process,
            identify=lambda request: Identity("ada"),
            patience=TimePassing().patience(),
        )
        schema = schemathesis.openapi.from_asgi("/openapi.json", self.app)
        self.operations = [found.ok() for found in schema.get_all_operations()]
        self.description = self.app.openapi()
        self._documents = self._all()
        run = self.scene.run
        self.ids = {
            "run_id": [run.id],
            "gate_id": [self.scene.gate.id],
            "session_id": [run.session],
            "step": [1],
        }

    def clean(self) -> None:
        """As it was in the beginning."""
        store = self.scene.world.store
        store.commit([Delete(path) for path in self._all()])
        store.commit([Create(path, fields) for path, fields in self._documents.items()])
        self.scene.world.bus.waiting.clear()

    def _all(self) -> dict[str, Any]:
        store = self.scene.world.store
        return {doc.path: dict(doc.fields) for kind in KINDS for doc in store.query(Query(collection=kind, limit=1000))}


@pytest.fixture(scope="module")
def stage() -> Stage:
    """One for all requests."""
    return Stage()


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=["valid", "invalid"])
def test_whatever_is_asked_is_answered_as_described(stage: Stage, mode: GenerationMode):
    """Never with a 5xx, never with something that the description does not promise."""
    conformance = Conformance(stage.description)
    strategies = [operation.as_strategy(generation_mode=mode) for operation in stage.operations]

    @ROUNDS
    @given(st.data())
    def play(data: st.DataObject) -> None:
        case: Case[Any] = data.draw(data.draw(st.sampled_from(strategies)))
        for name, known in stage.ids.items():  # most made up ids lead to 404 and no further
            if name in case.path_parameters and data.draw(st.integers(0, 3)):
                case.path_parameters[name] = data.draw(st.sampled_from(known))
        if case.path.endswith("/events"):  # else it is told for ever
            case.query["follow"] = "false"
        answer = case.call()
        assert answer.status_code < 500, case.as_curl_command()
        request = httpx.Request(case.method, f"http://fuzz{case.formatted_path}")
        headers = {name: values[0] for name, values in answer.headers.items()}
        conformance.check(httpx.Response(answer.status_code, headers=headers, content=answer.content, request=request))
        stage.clean()

    play()
    assert len(conformance.seen) > 30, "hardly anything was reached"
