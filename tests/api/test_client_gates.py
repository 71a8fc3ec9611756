"""Gates and undos through the client, over a real server on loopback (client.py)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pytest

from entracte.adapters.memory.store import MemoryStore
from entracte.adapters.system.clock import SystemClock
from entracte.adapters.system.secrets import EnvironmentSecrets
from entracte.api.app import create_app
from entracte.client import Client
from entracte.core.identity.identity import Identity
from entracte.errors import Conflict, InvalidInput, NotFound
from entracte.runtime.compose import compose
from entracte.runtime.local.local_bus import LocalBus
from tests.api.serving import served
from tests.gates.scene import SEND, in_steps, shop_network
from tests.gates.shop import Shop, policy
from tests.runtime.script import Script, calls

WRITE = ("write", {"id": 1, "plan": "Pro", "note": "new"})


@pytest.fixture
def shop() -> Shop:
    """What the tools work on."""
    return Shop()


class Asked:
    """Says that everybody is Ada.

    Attributes:
        then: Called after so many requests as it is long, each once.
    """

    def __init__(self) -> None:
        self.then: list[Callable[[], object]] = []

    def __call__(self, request: object) -> Identity:
        if self.then:
            self.then.pop(0)()
        return Identity("ada")


@pytest.fixture
def asked() -> Asked:
    """Who is calling, and when."""
    return Asked()


@pytest.fixture
def client(shop: Shop, asked: Asked) -> Iterator[Client]:
    """A client of a shop whose mails are gated, and may be edited."""
    bus = LocalBus(threads=2)
    model = Script([in_steps(calls(WRITE, SEND))])
    runtime = compose(
        shop_network(shop, policy(send="class: irreversible, editable: true")),
        store=MemoryStore(),
        bus=bus,
        clock=SystemClock(),
        secrets_port=EnvironmentSecrets({}),
        worker="test",
        open_model=lambda name: model,
    )
    bus.attach(runtime.engine.handle, lambda message, error: None)
    with served(create_app(runtime, identify=asked)) as url, Client(url) as client:
        yield client
    runtime.close()


def test_a_gate_is_decided_from_afar(client: Client, shop: Shop):
    """The run waits and shows it; it goes on when it is approved, with the arguments that were given."""
    run = client.run("Go.")
    (gate,) = run.gates
    assert (run.status, client.gate(gate["id"])) == ("waiting", gate)
    assert client.gates(status="waiting").gates == client.gates(run=run.id).gates == (gate,)
    decided = client.decide(gate["id"], "approve", reason="Fine.", arguments={"to": "bob"}, digest=gate["digest"])
    assert (decided["status"], decided["votes"][0]["reason"]) == ("approved", "Fine.")
    assert (client.wait(run.id).status, shop.done[-1]) == ("succeeded", ("send", "bob"))
    assert client.gates(status="waiting").gates == client.gates(to_decide=True).gates == ()


def test_without_a_digest_the_gate_is_decided_as_it_is_now(client: Client):
    """A script that was told to approve whatever is asked."""
    (gate,) = client.run("Go.").gates
    assert client.decide(gate["id"], "deny")["status"] == "denied"


def test_refused_decisions_are_the_errors_that_they_were(client: Client):
    """With the code that says why."""
    (gate,) = client.run("Go.").gates
    with pytest.raises(InvalidInput) as slip:
        client.decide(gate["id"], "aprove")
    with pytest.raises(Conflict) as stale:
        client.decide(gate["id"], "approve", digest="sha256:" + "0" * 64)
    client.decide(gate["id"], "deny")
    with pytest.raises(Conflict, match="denied by ada") as late:
        client.decide(gate["id"], "approve")
    with pytest.raises(NotFound) as missing:
        client.decide("nope", "approve")
    assert [error.value.code for error in (slip, stale, late, missing)] == [
        "unknown_decision",
        "digest_mismatch",
        "gate_already_decided",
        "gate_not_found",
    ]


def test_a_run_is_rehearsed_and_taken_back_from_afar(client: Client, shop: Shop):
    """It is waited for; undoing it again changes nothing."""
    run = client.run("Go.")
    (step,) = client.dry_run(run.id)
    assert (step["tool"], step["fate"], step["inverse"]["arguments"]["plan"]) == ("write", "revert", "Free")
    undone = client.undo(run.id)
    assert (undone.status, shop.plans()) == ("undone", {1: "Free", 2: "Pro"})
    assert client.start_undo(run.id).data == client.undo(run.id).data == undone.data
    with pytest.raises(NotFound):
        client.undo(run.id, to="nope")


def test_an_undo_is_waited_for_however_often_that_takes_asking(
    client: Client, shop: Shop, asked: Asked, monkeypatch: pytest.MonkeyPatch
):
    """A service answers after half a minute that it is not over yet."""
    monkeypatch.setattr("entracte.client._WAIT_S", 0.001)
    run, let = client.run("Go."), threading.Event()
    shop.before["write"] = lambda: let.wait(10)
    undoing = client.start_undo(run.id)
    asked.then = [lambda: None, lambda: None, lambda: let.set()]
    assert (undoing.status, client.wait(run.id).status) == ("undoing", "undone")
    assert asked.then == []
