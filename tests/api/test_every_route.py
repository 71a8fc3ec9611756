"""Every route of the API, asked by everybody: the owner, others, nobody, forgers, operators.

A route that is not in one of the three lists below fails the first test; one that forgot to ask who calls, the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient
from starlette.routing import Route

from entracte.adapters.gcp.signatures import PublishedKeys
from entracte.api.app import create_app
from entracte.core.identity.issuers import Kind, issuer_of
from entracte.runtime.doors.callers import SignedIn
from entracte.runtime.doors.signing_in import SignIn
from entracte.runtime.upkeep.letters import keep_letter
from tests.api.time_passing import TimePassing
from tests.gates.linked import Linked
from tests.gates.scene import SEND, Scene
from tests.gates.shop import policy
from tests.identity.issuer import AUDIENCE, FIREBASE, PROJECT, Issuer

OPEN = {
    "GET /": "leads to the page below",
    "GET /docs": "the same for every deployment of this version",
    "GET /gates/{gate_id}": "a page without content; what it shows comes by a signed link",
    "GET /health": "says that the process is up",
    "GET /healthz": "says that the process is up",
    "GET /openapi.json": "the same for every deployment of this version",
}
"""Routes that anybody may call, and why."""

LINKS = {"POST /v1/links/preview", "POST /v1/links/decision", "POST /v1/links/renew"}
"""Routes that ask for a signed link in place of a sign-in."""


@dataclass(frozen=True, slots=True)
class Case:
    """How a route is called, and what it answers.

    Attributes:
        served: Status for the owner of the run, and for an operator who is not.
        other: Status for somebody else: 404 for a thing that is not theirs.
        body: JSON to send, or what makes it of the scene.
        query: What an operator adds to be shown what is the owner's.
        ended: Asked of a run that has ended.
        operators: Nobody else is served.
    """

    served: int = 200
    other: int = 404
    body: Mapping[str, Any] | Callable[[Scene], Any] | None = None
    query: str = ""
    ended: bool = False
    operators: bool = False


def a_denial(scene: Scene) -> dict[str, Any]:
    """What decides the scene's gate."""
    return {"decision": "deny", "digest": scene.gate.z.digest}


CASES = {
    "GET /v1/gates": Case(other=200, query="?owner=ada"),
    "GET /v1/gates/{gate_id}": Case(),
    "POST /v1/erasures": Case(other=403, operators=True, body={"owner": "ada"}),
    "GET /v1/letters": Case(other=403, operators=True),
    "DELETE /v1/letters/{letter}": Case(other=403, operators=True),
    "GET /v1/memories": Case(other=200, query="?owner=ada"),
    "GET /v1/memories/export": Case(other=200, query="?owner=ada"),
    "GET /v1/memories/{memory}": Case(query="?owner=ada"),
    "DELETE /v1/memories": Case(other=200, query="?owner=ada"),
    "DELETE /v1/memories/{memory}": Case(query="?owner=ada"),
    "GET /v1/network": Case(other=200),
    "GET /v1/runs": Case(other=200, query="?owner=ada"),
    "GET /v1/runs/{run_id}": Case(),
    "GET /v1/runs/{run_id}/events": Case(ended=True),
    "GET /v1/runs/{run_id}/journal": Case(),
    "GET /v1/runs/{run_id}/undo": Case(ended=True),
    "GET /v1/sessions/{session_id}": Case(),
    "GET /v1/sessions/{session_id}/artifacts": Case(),
    "GET /v1/sessions/{session_id}/artifacts/{artifact}": Case(),
    "PATCH /v1/sessions/{session_id}/artifacts/{artifact}": Case(body={"active": False}),
    "DELETE /v1/sessions/{session_id}/artifacts/{artifact}": Case(),
    "POST /v1/sessions/{session_id}/artifacts": Case(served=201, body={"title": "Plan", "content": "One."}),
    "GET /v1/sessions/{session_id}/export": Case(),
    "GET /v1/sessions/{session_id}/state": Case(),
    "GET /v1/sessions/{session_id}/turns": Case(),
    "DELETE /v1/sessions/{session_id}/state": Case(),
    "PATCH /v1/sessions/{session_id}/state": Case(body={}),
    "POST /v1/runs/{run_id}/fork": Case(served=202, body={"at": 1}),
    "POST /v1/runs/{run_id}/resume": Case(served=409),
    "POST /v1/runs/{run_id}/retry": Case(served=409),
    "POST /v1/gates/decisions": Case(other=200, body=lambda scene: [{"gate": scene.gate.id} | a_denial(scene)]),
    "POST /v1/gates/{gate_id}/decision": Case(body=a_denial),
    "POST /v1/runs": Case(served=202, other=202, body={"message": "hi"}),
    "POST /v1/runs/{run_id}/cancel": Case(),
    "POST /v1/runs/{run_id}/undo": Case(served=202, body={}),
}
"""Routes that ask who calls."""


class Door:
    """The API over a run of Ada's that waits at a gate."""

    def __init__(self, *, ended: bool = False) -> None:
        self.scene = Scene(SEND, rules=policy(send="class: irreversible, gate: always"))
        if ended:
            self.scene.decide("deny")
            self.scene.settle()
        shelf = self.scene.world.process.open_shelf("session", "ada")
        shelf.create(key="k", title="Note of the session", text="Two.")
        repository = self.scene.world.process.engine.repository
        keep_letter(repository, self.scene.world.clock.now(), source="plan", body=b"{", reason="Not a message.")
        self.memory = self.scene.world.process.open_memories("ada").remember(key="k", text="Ada drinks tea.").id
        clock = self.scene.world.clock
        self.issuer = Issuer(now_s=clock.now().timestamp())
        kinds: tuple[Kind, ...] = ("google", "firebase")
        trusted = [issuer_of(kind, audiences=(AUDIENCE,), project=PROJECT) for kind in kinds]
        keys = [(one, PublishedKeys(one.certs_url, one.algorithm, fetch=self.issuer.keys)) for one in trusted]
        users, operators = ("ada", "*@example.com"), ("ops@example.com",)
        sign_in = SignIn(keys, clock=clock, users=users, operators=operators)
        self.app = create_app(self.scene.world.process, identify=SignedIn(sign_in), patience=TimePassing().patience())
        self.client = TestClient(self.app, follow_redirects=False)

    def token(self, caller: str) -> str:
        """Of one of the callers below; empty for none."""
        issuer = self.issuer
        tokens: dict[str, Callable[[], str]] = {
            "owner": lambda: issuer.of_app("ada"),
            "other": lambda: issuer.token("eve@example.com"),
            "operator": lambda: issuer.token("ops@example.com"),
            "anonymous": lambda: "",
            "forged": lambda: issuer.of_app("ada", signed_with="somebody's"),
            "stripped": lambda: issuer.stripped(iss=FIREBASE, aud=PROJECT, sub="ada"),
            "expired": lambda: issuer.of_app("ada", exp=int(issuer.now_s) - 60),
            "for_others": lambda: issuer.token(iss=FIREBASE, aud="another", sub="ada"),
            "claims_to_be": lambda: issuer.token("ada@example.com", email_verified=False),
            "stranger": lambda: issuer.token("ada@elsewhere.example"),
        }
        return tokens[caller]()

    def ask(self, route: str, caller: str) -> Any:
        """The response to a caller."""
        case = CASES[route]
        method, path = route.split(" ")
        gates = [gate.id for gate in self.scene.gates]
        ids = {
            "run_id": self.scene.id,
            "session_id": "session",
            "gate_id": gates[0],
            "artifact": "Note",
            "memory": self.memory,
            "letter": sha256(b"{").hexdigest(),
        }
        body = case.body(self.scene) if callable(case.body) else case.body
        token = self.token(caller)
        query = case.query if caller == "operator" else ""
        return self.client.request(
            method,
            path.format(**ids) + query,
            json=body,
            headers={"Authorization": f"Bearer {token}"} if token else {},
        )


def routes_of(app: FastAPI) -> Iterator[str]:
    """Method and path of each, those that are described and those that are not."""
    for route in plain_routes(app.routes):
        yield from names_of(route)


def plain_routes(routes: Iterable[Any]) -> Iterator[Route]:
    """Those of included routers too."""
    for route in routes:
        if isinstance(route, Route):
            yield route
        else:  # what is neither, such as a mounted app, has no such attribute and fails here
            yield from plain_routes(route.original_router.routes)


def names_of(route: Route) -> list[str]:
    """Each of its methods, with its path."""
    return [f"{method} {route.path}" for method in (route.methods or {"ANY"}) - {"HEAD"}]


def test_every_route_is_known_here():
    """A new one says in `CASES` how it is called, and the tests below see whether it asks by whom."""
    assert sorted(routes_of(Door().app)) == sorted({*OPEN, *LINKS, *CASES})


def test_every_route_with_a_caller_says_so_in_its_code():
    """By its dependencies: one that ignores the caller's name has to ask for it all the same."""
    silent = [
        name
        for route in plain_routes(Door().app.routes)
        for name in names_of(route)
        if not isinstance(route, APIRoute) or "_identity" not in _calls(route.dependant)
    ]
    assert sorted(silent) == sorted({*OPEN, *LINKS})


def _calls(dependant: Any) -> list[str]:
    return [dependant.call.__name__, *(name for inner in dependant.dependencies for name in _calls(inner))]


@pytest.fixture(scope="module")
def door() -> Door:
    """For those who are refused: they change nothing."""
    return Door()


@pytest.mark.parametrize("route", CASES)
def test_a_caller_without_a_proof_that_holds_is_refused(door: Door, route: str):
    """Nobody, forgers, and those whose token is over or for others: 401. Users of other deployments: 403."""
    callers = ("anonymous", "forged", "stripped", "expired", "for_others", "claims_to_be", "stranger")
    answers = [door.ask(route, caller) for caller in callers]
    assert [(answer.status_code, answer.json()["type"].removeprefix("urn:entracte:")) for answer in answers] == [
        (401, "unauthenticated"),
        (401, "bad_signature"),
        (401, "token_stripped"),
        (401, "token_expired"),
        (401, "wrong_audience"),
        (401, "email_not_verified"),
        (403, "not_a_user"),
    ]
    assert [answer.headers.get("www-authenticate") for answer in answers] == ["Bearer"] * 6 + [None]
    assert door.scene.gate.votes == ()


@pytest.mark.parametrize("route", CASES)
def test_another_user_is_told_that_there_is_no_such_thing(route: str):
    """In the words in which one is told who asks for what never was; and nothing of the owner's is answered."""
    case, door = CASES[route], Door(ended=CASES[route].ended)
    before = door.scene.world.documents()
    answer = door.ask(route, "other")
    assert answer.status_code == case.other, answer.text
    if "{" in route:
        assert answer.json()["type"].endswith("not_an_operator" if case.operators else "_not_found")
        assert {**door.scene.world.documents()} == {**before}
    assert '"ada"' not in answer.text


@pytest.mark.parametrize("caller", ["owner", "operator"])
@pytest.mark.parametrize("route", CASES)
def test_owners_and_operators_are_served(route: str, caller: str):
    """Operators as owners are, also with what is others'."""
    case, door = CASES[route], Door(ended=CASES[route].ended)
    answer = door.ask(route, caller)
    served = 403 if case.operators and caller != "operator" else case.served
    assert answer.status_code == served, answer.text
    if route.startswith("GET") and route != "GET /v1/network" and served == 200:
        shown = (door.scene.id, "session", door.memory, "Not a message.")
        assert any(one in answer.text for one in shown) or answer.json() == {}


def test_who_asked_for_others_things_stays_known():
    """An operator decides and undoes under their own name."""
    door = Door()
    decided = door.ask("POST /v1/gates/{gate_id}/decision", "operator").json()
    assert [vote["by"] for vote in decided["votes"]] == ["ops@example.com"]
    undone = door.ask("POST /v1/runs/{run_id}/undo", "operator").json()
    assert undone["undo"]["by"] == "ops@example.com"


@pytest.mark.parametrize("route", ["GET /v1/runs", "GET /v1/memories/export", "DELETE /v1/memories"])
def test_what_operators_ask_of_others_stands_in_the_log(route: str, caplog: pytest.LogCaptureFixture):
    """Also where they read or delete a list, which leaves no other trace."""
    with caplog.at_level("INFO", logger="entracte"):
        assert Door().ask(route, "operator").status_code == 200
    assert "operator_asks operator=ops@example.com owner='ada'" in caplog.text


def test_only_operators_list_what_is_others(door: Door):
    """Everybody else is told so, whether or not there is such an owner."""
    headers = {"Authorization": f"Bearer {door.token('other')}"}
    answers = [door.client.get(f"/v1/{what}?owner={whose}", headers=headers) for what in ("runs", "gates")
               for whose in ("ada", "nobody")]  # fmt: skip
    assert {(answer.status_code, answer.json()["type"]) for answer in answers} == {
        (403, "urn:entracte:not_an_operator")
    }


@pytest.mark.parametrize("route", sorted(LINKS))
def test_a_link_route_asks_for_a_link_that_was_signed_here(route: str):
    """With a sign-in or without: nobody's identity stands in for a link."""
    door = Door()
    method, path = route.split(" ")
    door.app.state.runtime = Linked(door.scene).process
    for caller in ("anonymous", "owner", "operator"):
        headers = {"Authorization": f"Bearer {door.token(caller)}"} if caller != "anonymous" else {}
        more = {"decision": "approve"} if path.endswith("decision") else {}
        answer = door.client.request(method, path, json={"token": "forged", **more}, headers=headers)
        assert (answer.status_code, answer.json()["type"]) == (403, "urn:entracte:link_invalid")


@pytest.mark.parametrize("route", OPEN)
def test_an_open_route_says_nothing_of_anybody(door: Door, route: str):
    """It is the same for everybody, and holds no id of any run."""
    path = route.split(" ")[1].format(gate_id=door.scene.gate.id)
    answer = door.client.get(path)
    assert answer.status_code < 400
    assert door.scene.id not in answer.text
