"""Gates of a whole network are announced (runtime/compose.py, runtime/local/embedded.py)."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from entracte.runtime.local import local_bus
from entracte.runtime.local.embedded import Embedded, open_embedded
from entracte.runtime.settings import read_settings
from tests.gates.scene import SEND, shop_network
from tests.gates.shop import Shop, gated
from tests.notify.web_server import WebServer
from tests.runtime.script import Script, calls


@contextmanager
def shop(monkeypatch: pytest.MonkeyPatch, **variables: str) -> Iterator[Embedded]:
    """A shop in this process whose mails are gated, with these settings."""
    model = Script([calls(SEND), "done"])
    monkeypatch.setattr("entracte.adapters.models.registry.open_model", lambda name, **options: model)
    given = {f"ENTRACTE_{name}": value for name, value in variables.items()}
    engine = open_embedded(
        shop_network(Shop(), gated("send")), read_settings({"ENTRACTE_STORE": "memory", "ENTRACTE_USER": "ada"} | given)
    )
    try:
        yield engine
    finally:
        engine.close()


def wait_idle(engine: Embedded) -> None:
    """Until every message has been handled, or given up."""
    assert engine.runtime.bus.wait_idle(20)


def test_a_gate_that_opens_is_announced_where_the_settings_say(monkeypatch: pytest.MonkeyPatch):
    """Once, with a link and the command; nobody is told again of a gate that was announced."""
    with WebServer() as server:
        settings = {
            "NOTIFY": f"webhook+{server.url}",
            "NOTIFY_LOOPBACK": "true",
            "WEBHOOK_SECRET": "s3cret",
            "PUBLIC_URL": "https://desk.example/",
        }
        with shop(monkeypatch, **settings) as engine:
            run = engine.wait(engine.start("Go.").id)
            wait_idle(engine)
            (gate,) = engine.runtime.gates.of_run(run.id)
    (posted,) = server.received
    told = json.loads(posted.body)
    assert gate.z.announced
    assert posted.headers["Entracte-Signature"].startswith("t=")
    assert (told["type"], told["gate"], told["title"]) == ("gate.opened", gate.id, gate.question)
    assert (told["lines"], told["how"]) == (
        list(gate.preview),
        f"entracte approve {gate.id} --url https://desk.example",
    )
    assert told["link"] == f"https://desk.example/gates/{gate.id}"


def test_a_way_that_is_down_keeps_nobody_from_deciding(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    """The announcement is tried again, then given up and logged; the gate stays open, and decides as ever."""
    monkeypatch.setattr(local_bus, "RETRY_PAUSES_S", (0.0, 0.0))
    monkeypatch.setattr(local_bus, "MAX_DELIVERIES", 3)
    with WebServer() as server:
        address = f"slack+{server.url}"
    with shop(monkeypatch, NOTIFY=address, NOTIFY_LOOPBACK="true") as engine, caplog.at_level(logging.ERROR):
        run = engine.wait(engine.start("Go.").id)
        wait_idle(engine)
        (gate,) = engine.runtime.gates.of_run(run.id)
        assert (gate.status, gate.z.announced) == ("waiting", False)
        engine.runtime.gates.decide(gate.id, "approve", user="ada", via="python")
        assert engine.wait(run.id).status == "succeeded"
    (given_up,) = caplog.messages
    assert given_up.startswith(f"message_given_up kind=approve run_id={run.id} gate={gate.id} localhost:")
