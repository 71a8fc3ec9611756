"""Every function process, where nobody is believed: the API asks for signed tokens, the phases for their claims."""

from __future__ import annotations

import base64
import json
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from entracte.client import Client
from entracte.errors import Unauthenticated
from front_door import ACCOUNT, stripped_token
from stack import FUNCTIONS, Stack
from tests.identity.issuer import AUDIENCE, Issuer

pytestmark = pytest.mark.emulator

PHASES = sorted(main.parent.name for main in FUNCTIONS.glob("*/main.py") if main.parent.name not in ("api", "mcp"))
QUESTION = "Which customers are on the Pro plan?"


@dataclass(frozen=True, slots=True)
class Guarded:
    """The stack, and the issuer that its API trusts."""

    stack: Stack
    issuer: Issuer

    def push(self, function: str, token: str) -> int:
        """Status of what a function says to a message of its own kind that changes nothing."""
        message = {"schema_version": 1, "kind": function, "run": "none", "frame": "none", "step": 1, "phase": function}
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        body: dict[str, object] = {"message": {"data": base64.b64encode(json.dumps(message).encode()).decode()}}
        if function == "gate_edit":
            kind = "google.cloud.firestore.document.v1.updated.withAuthContext"
            headers |= {"ce-id": "1", "ce-source": "test", "ce-specversion": "1.0", "ce-type": kind}
        return httpx.post(f"http://{self.stack.addresses[function]}/", json=body, headers=headers).status_code


@pytest.fixture(scope="module")
def guarded(
    firestore_emulator: str, pubsub_emulator: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Guarded]:
    """The sample network behind sign-in."""
    folder: Path = tmp_path_factory.mktemp("crm")
    issuer = Issuer()
    with pytest.MonkeyPatch.context() as patch, issuer.served() as certs_url:
        patch.setenv("CRM_DATABASE", str(folder / "crm.sqlite3"))
        patch.setenv("CRM_OUTBOX", str(folder / "outbox"))
        patch.setenv("ENTRACTE_AUTH", "google")
        patch.setenv("ENTRACTE_AUDIENCE", AUDIENCE)
        patch.setenv("ENTRACTE_CERTS_URL", certs_url)
        patch.setenv("ENTRACTE_USERS", "*@example.com")
        project = f"demo-guarded-{uuid.uuid4().hex[:8]}"
        with Stack(network="crm:network", project=project, guarded=True) as stack:
            yield Guarded(stack, issuer)


def test_a_run_goes_through_all_of_them(guarded: Guarded):
    """Its owner signs in; messages come with the token of the subscription's account."""
    with Client(guarded.stack.api_url, token=guarded.issuer.token("ada@example.com")) as ada:
        run = ada.run(QUESTION)
    assert (run.status, run.stop_reason) == ("succeeded", "answered")


FORGED: dict[str, Callable[[Guarded, str], str]] = {
    "nothing": lambda guarded, address: "",
    "still signed": lambda guarded, address: guarded.issuer.token(ACCOUNT, aud=f"https://{address}"),
    "expired": lambda guarded, address: stripped_token(address, exp=1),
    "wrong audience": lambda guarded, address: stripped_token("127.0.0.1:1"),
    "wrong issuer": lambda guarded, address: stripped_token(address, iss="https://evil.example"),
    "other account": lambda guarded, address: stripped_token(address, "eve@example.com"),
    "unverified": lambda guarded, address: stripped_token(address, email_verified=False),
}


@pytest.mark.parametrize("function", PHASES)
def test_a_phase_takes_only_what_cloud_run_has_let_through_for_it(guarded: Guarded, function: str):
    """Whatever else comes is refused, and not acknowledged; the same message with a true token is."""
    address = guarded.stack.addresses[function]
    statuses = {name: guarded.push(function, forged(guarded, address)) for name, forged in FORGED.items()}
    assert statuses == dict.fromkeys(FORGED, 401) | dict.fromkeys(("other account", "unverified"), 403)
    assert guarded.push(function, stripped_token(address)) < 300


REFUSED = {"forged": 401, "expired": 401, "wrong audience": 401, "stripped": 401, "not a user": 403}


def refused_tokens(issuer: Issuer) -> dict[str, str]:
    """Tokens that open nothing, by what is wrong with them."""
    return {
        "forged": issuer.token("ada@example.com", signed_with="somebody's"),
        "expired": issuer.token("ada@example.com", exp=int(issuer.now_s) - 60),
        "wrong audience": issuer.token("ada@example.com", aud="https://other.example"),
        "stripped": issuer.stripped("ada@example.com"),
        "not a user": issuer.token("ada@elsewhere.example"),
    }


def test_the_gateway_takes_only_what_its_issuer_signed(guarded: Guarded):
    """Tools of the network are offered to nobody else."""
    url = f"http://{guarded.stack.addresses['mcp']}/mcp"
    version = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": version}
    accepted = {"Accept": "application/json, text/event-stream"}

    def status(token: str) -> int:
        headers = accepted | ({"Authorization": f"Bearer {token}"} if token else {})
        return httpx.post(url, json=asked, headers=headers, timeout=30).status_code

    statuses = {name: status(token) for name, token in refused_tokens(guarded.issuer).items()}
    assert statuses | {"nothing": status("")} == REFUSED | {"nothing": 401}
    assert status(guarded.issuer.token("ada@example.com")) == 200


def test_the_api_takes_only_what_its_issuer_signed(guarded: Guarded):
    """With the keys that the issuer serves; another user finds nothing of Ada's."""
    statuses = {
        name: httpx.get(f"{guarded.stack.api_url}/v1/runs", headers={"Authorization": f"Bearer {token}"}).status_code
        for name, token in refused_tokens(guarded.issuer).items()
    }
    assert statuses == REFUSED
    with Client(guarded.stack.api_url) as nobody, pytest.raises(Unauthenticated):
        nobody.list()
    with Client(guarded.stack.api_url, token=guarded.issuer.token("eve@example.com")) as eve:
        assert eve.list().runs == ()
