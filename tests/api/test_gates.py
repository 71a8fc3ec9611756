"""Routes of gates (api/routes/gates.py). What counts as a decision is tested in tests/gates; here, how it comes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from fastapi.testclient import TestClient

from entracte.core.payload import digest
from tests.gates.scene import SEND, Scene, in_steps
from tests.gates.shop import gated, policy
from tests.runtime.script import Script, calls

ApiOf = Callable[[Scene], TestClient]

OPS, SEC = "ops@shop.example", "sec@shop.example"
APPROVERS = policy(send=f"class: irreversible, approvers: [{OPS}, {SEC}]")
BOB = ("send", {"to": "bob"})


def decide(api: TestClient, gate: dict[str, Any], decision: str, *, by: str = "ada", key: str = "", **more: Any) -> Any:
    """The response to a decision about a gate as it was shown."""
    headers = {"x-owner": by} | ({"Idempotency-Key": key} if key else {})
    body = {"decision": decision, "digest": gate["digest"], **more}
    return api.post(f"/v1/gates/{gate['id']}/decision", json=body, headers=headers)


def ids(api: TestClient, *, by: str = "ada", **filters: Any) -> list[str]:
    """Ids of a list of gates."""
    return [gate["id"] for gate in api.get("/v1/gates", params=filters, headers={"x-owner": by}).json()["items"]]


def test_a_gate_is_found_read_and_decided(api_of: ApiOf):
    """The run shows it while it waits; then the mail goes out, and the gate says who let it."""
    scene = Scene(SEND)
    api = api_of(scene)
    (shown,) = api.get(f"/v1/runs/{scene.id}").json()["gates"]
    assert api.get(f"/v1/gates/{shown['id']}").json() == shown
    assert api.get("/v1/gates?status=waiting").json() == {"items": [shown], "next_cursor": None, "unreadable": 0}
    response = decide(api, shown, "approve", reason="She asked.")
    decided = response.json()
    assert (response.status_code, decided["status"]) == (200, "approved")
    assert [(v["by"], v["via"], v["decision"], v["reason"]) for v in decided["votes"]] == [
        ("ada", "http", "approve", "She asked.")
    ]
    scene.settle()
    assert (scene.status, scene.shop.done) == ("succeeded", [("send", "ada")])
    assert api.get(f"/v1/runs/{scene.id}").json()["gates"] == []


def test_the_second_of_two_reviewers_is_told_who_decided_what(api_of: ApiOf):
    """Whatever they wanted; nothing changes."""
    scene = Scene(SEND, rules=APPROVERS)
    api = api_of(scene)
    gate = api.get(f"/v1/gates/{scene.gate.id}").json()
    assert decide(api, gate, "deny", by=OPS).status_code == 200
    problem = decide(api, gate, "approve", by=SEC).json()
    assert (problem["status"], problem["type"]) == (409, "urn:entracte:gate_already_decided")
    assert f"denied by {OPS} at 2026-01-01" in problem["detail"]
    scene.settle()
    assert (scene.statuses, scene.shop.done) == (["denied"], [])


@pytest.mark.parametrize(
    ("rule", "by", "body", "expected"),
    [
        (f"approvers: [{OPS}]", "ada", {}, (403, "not_an_approver", "/decision")),
        ("four_eyes: true", "ada", {}, (403, "four_eyes", "/decision")),
        ("gate: always", "ada", {"decision": "aprove"}, (422, "unknown_decision", "/decision")),
        ("gate: always", "ada", {"digest": digest({"to": "eve"})}, (409, "digest_mismatch", "/digest")),
        ("gate: always", "ada", {"edited_arguments": {"to": "x"}}, (422, "not_editable", "/edited_arguments")),
        ("editable: true", "ada", {"edited_arguments": {"to": 7}}, (422, "bad_arguments", "/edited_arguments")),
        ("gate: always", "eve", {}, (404, "gate_not_found", "")),
    ],
)
def test_an_answer_that_does_not_count_says_why(api_of: ApiOf, rule: str, by: str, body: Any, expected: Any):
    """With the place in the body; nothing is decided."""
    scene = Scene(SEND, rules=policy(send=f"class: irreversible, {rule}"))
    api = api_of(scene)
    sent = {"decision": "approve", "digest": scene.gate.z.digest} | body
    response = api.post(f"/v1/gates/{scene.gate.id}/decision", json=sent, headers={"x-owner": by})
    problem = response.json()
    assert (response.status_code, problem["type"], problem["pointer"]) == (
        expected[0],
        f"urn:entracte:{expected[1]}",
        expected[2],
    )
    scene.settle()
    assert (scene.statuses, scene.shop.done) == (["gated"], [])


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"decision": "approve"}, "/digest"),
        ({"decision": "approve", "digest": ""}, "/digest"),
        ({"decision": "approve", "digest": "sha256:" + "0" * 64, "edited_arguments": []}, "/edited_arguments"),
        ({"decision": "", "digest": "sha256:" + "0" * 64}, "/decision"),
        ({"decision": "approve", "digest": "sha256:" + "0" * 64, "by": "ops"}, "/by"),
    ],
)
def test_a_decision_without_what_it_needs_is_refused_before_it_is_one(api_of: ApiOf, body: Any, pointer: str):
    """The digest above all: without it nobody can say what was approved. Who decides is nobody's to write."""
    scene = Scene(SEND)
    problem = api_of(scene).post(f"/v1/gates/{scene.gate.id}/decision", json=body).json()
    assert (problem["status"], problem["pointer"]) == (422, pointer)
    assert scene.gate.votes == ()


def test_arguments_are_edited_where_the_rule_lets_approvers(api_of: ApiOf):
    """The mail goes to whom the approver wrote."""
    scene = Scene(SEND, rules=policy(send="class: irreversible, editable: true"))
    api = api_of(scene)
    decided = decide(api, api.get(f"/v1/gates/{scene.gate.id}").json(), "approve", edited_arguments={"to": "bob"})
    scene.settle()
    assert (decided.json()["votes"][0]["edited"], scene.shop.done) == (True, [("send", "bob")])


@pytest.mark.parametrize(("decision", "other"), [("approve", "deny"), ("deny", "approve")])
def test_a_decision_that_is_sent_again_with_its_key_counts_once(api_of: ApiOf, decision: str, other: str):
    """Whoever got no answer sends it again. Another decision with the same key is another one, and comes too late."""
    scene = Scene(SEND)
    api = api_of(scene)
    gate = api.get(f"/v1/gates/{scene.gate.id}").json()
    first, again = (decide(api, gate, decision, key="k") for _ in "12")
    late = decide(api, gate, other, key="k")
    assert (first.status_code, again.status_code, again.json()) == (200, 200, first.json())
    assert (late.status_code, late.json()["type"]) == (409, "urn:entracte:gate_already_decided")


def test_several_gates_are_decided_each_by_itself(api_of: ApiOf):
    """One that is refused keeps none of the others from counting, before it or after it."""
    scene = Scene(SEND, BOB, ("send", {"to": "eve"}))
    api = api_of(scene)
    first, second, third = api.get(f"/v1/gates?run={scene.id}").json()["items"]
    sent = [
        {"gate": first["id"], "decision": "approve", "digest": first["digest"]},
        {"gate": second["id"], "decision": "approve", "digest": first["digest"]},
        {"gate": "nope", "decision": "approve", "digest": first["digest"]},
        {"gate": third["id"], "decision": "deny", "digest": third["digest"], "reason": "Not her."},
    ]
    items = api.post("/v1/gates/decisions", json=sent).json()["items"]
    assert [(item["gate"], item["status"], (item["problem"] or {}).get("type")) for item in items] == [
        (first["id"], 200, None),
        (second["id"], 409, "urn:entracte:digest_mismatch"),
        ("nope", 404, "urn:entracte:gate_not_found"),
        (third["id"], 200, None),
    ]
    assert [(item["result"] or {}).get("status") for item in items] == ["approved", None, None, "denied"]
    scene.settle()
    assert (scene.statuses, scene.shop.done) == (["applied", "gated", "denied"], [("send", "ada")])


@pytest.mark.parametrize(
    ("body", "pointer", "words"),
    [
        ([], "", "at least 1"),
        ({}, "", "A list is expected"),
        ([{"gate": "g", "decision": "approve"}], "/0/digest", "missing"),
        ([{"gate": "g", "decision": "a", "digest": "sha256:" + "0" * 64, "x": 1}], "/0/x", "no field 'x'"),
        ([{"gate": "g", "decision": "a", "digest": "sha256:" + "0" * 64}] * 101, "", "at most 100"),
    ],
)
def test_a_batch_with_a_slip_decides_nothing(api: TestClient, body: Any, pointer: str, words: str):
    """It is read as a whole before any of it counts."""
    problem = api.post("/v1/gates/decisions", json=body).json()
    assert (problem["status"], problem["pointer"], words in problem["detail"]) == (422, pointer, True)


def test_lists_show_what_is_asked_for(api_of: ApiOf):
    """By status, by run, and what waits for the caller in the runs of others."""
    scene = Scene(SEND, BOB, rules=APPROVERS)
    api = api_of(scene)
    first, second = (gate.id for gate in scene.gates)
    scene.decide("deny", by=OPS, gate=scene.gates[0])
    assert sorted(ids(api)) == sorted([first, second])
    assert ids(api, run=scene.id) == [first, second]
    assert (ids(api, status="waiting"), ids(api, status="denied")) == ([second], [first])
    assert ids(api, run=scene.id, status="denied") == [first]
    assert (ids(api, to_decide=True), ids(api, to_decide=True, by=OPS)) == ([], [second])
    assert (ids(api, by=OPS), ids(api, run=scene.id, by=OPS)) == ([], [first, second])
    assert (ids(api, run=scene.id, to_decide=True, by=SEC), ids(api, run=scene.id, to_decide=True)) == ([second], [])


def test_a_list_of_gates_shows_each_once(api_of: ApiOf):
    """Page by page, of one run and of all."""
    scene = Scene(SEND, BOB, ("send", {"to": "eve"}))
    api = api_of(scene)
    for filters in ({}, {"run": scene.id}, {"status": "waiting"}):
        seen, cursor = [], {}
        for _ in range(3):
            page = api.get("/v1/gates", params={"limit": 2, **filters, **cursor}).json()
            seen += [gate["id"] for gate in page["items"]]
            if page["next_cursor"] is None:
                break
            cursor = {"cursor": page["next_cursor"]}
        assert sorted(seen) == sorted(gate.id for gate in scene.gates)


@pytest.mark.parametrize(
    "query", ["status=open", "sttaus=waiting", "to_decide=true&status=denied", "limit=0", "cursor=x"]
)
def test_a_list_of_gates_that_cannot_be_made_is_refused(api: TestClient, query: str):
    """A mistyped filter must not list everything in silence."""
    assert api.get(f"/v1/gates?{query}").status_code == 422


def test_a_strangers_gates_do_not_exist(api_of: ApiOf):
    """The answer is the same as for gates and runs that never were."""
    scene = Scene(SEND)
    api = api_of(scene)
    eve = {"x-owner": "eve", "x-request-id": "same"}
    real, never = (
        api.get(f"/v1/gates/{id}", headers=eve).json() for id in (scene.gate.id, scene.gate.id.replace("0", "f"))
    )
    assert real | {"detail": ""} == never | {"detail": ""}
    assert api.get("/v1/gates", headers=eve).json()["items"] == []
    assert api.get(f"/v1/gates?run={scene.id}", headers=eve).json()["type"] == "urn:entracte:run_not_found"


def test_a_run_without_gates_has_an_empty_list(api_of: ApiOf):
    """Which is something else than a run that is not there."""
    scene = Scene(("read", {"id": 1}))
    assert ids(api_of(scene), run=scene.id) == []


def test_gates_inside_sub_agents_are_decided_like_any_other(api_of: ApiOf):
    """Their ids have more dots."""
    from entracte.agents import Agent

    model = Script({"desk": [in_steps(calls(("clerk", {"message": "Send it."})))], "clerk": [in_steps(calls(SEND))]})
    shop = Scene(start=False).shop
    clerk = Agent(name="clerk", prompt="You send.", summary="Sends.", tools=shop.tools)
    scene = Scene(model=model, shop=shop, agents=[clerk], rules=gated("send"))
    api = api_of(scene)
    gate = api.get("/v1/gates").json()["items"][0]
    assert (gate["id"].count("."), gate["agent"]) == (5, "clerk")
    assert decide(api, gate, "approve").json()["status"] == "approved"


def test_a_gate_that_cannot_be_read_is_left_out_of_lists_and_counted(api_of: ApiOf):
    """The others can be decided meanwhile; it is there, so nobody is asked again in its place."""
    scene = Scene(SEND, BOB, rules=APPROVERS)
    api = api_of(scene)
    odd, other = scene.open
    scene.edit_gate(odd, preview=7)
    lists = [api.get("/v1/gates", params=params).json() for params in ({}, {"status": "waiting"}, {"run": scene.id})]
    lists.append(api.get("/v1/gates?to_decide=true", headers={"x-owner": OPS}).json())
    assert [([gate["id"] for gate in page["items"]], page["unreadable"]) for page in lists] == [([other.id], 1)] * 4
    assert [gate["id"] for gate in api.get(f"/v1/runs/{scene.id}").json()["gates"]] == [other.id]
    assert decide(api, api.get(f"/v1/gates/{other.id}").json(), "approve", by=OPS).status_code == 200
    scene.settle()
    assert (scene.status, scene.shop.done) == ("waiting", [("send", "bob")])
    assert [(gate.id, gate.status) for gate in scene.gates] == [(other.id, "approved")]
