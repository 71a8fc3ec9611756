"""Routes of undos (api/routes/undo.py). What an undo does is tested in tests/undo and tests/gates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.api.time_passing import TimePassing
from tests.gates.scene import SEND, Scene, shop_network
from tests.gates.shop import policy

ApiOf = Callable[[Scene], TestClient]

WRITE = ("write", {"id": 1, "plan": "Pro", "note": "new"})
ADD = ("add", {"plan": "Free"})
UNGATED = policy(send="class: irreversible, gate: never")


def undo(api: TestClient, scene: Scene, *, by: str = "ada", wait: int = 0, **body: Any) -> Any:
    """The response to asking for an undo."""
    return api.post(f"/v1/runs/{scene.id}/undo?wait={wait}", json=body, headers={"x-owner": by})


def plan(api: TestClient, scene: Scene, **how: Any) -> Any:
    """What an undo would do."""
    return api.get(f"/v1/runs/{scene.id}/undo", params=how).json()


def test_a_run_is_taken_back(api_of: ApiOf):
    """202 while it goes on, with where to look; 200 when it is undone already."""
    scene = Scene(WRITE)
    api = api_of(scene)
    first = undo(api, scene)
    assert (first.status_code, first.json()["status"]) == (202, "undoing")
    assert first.headers["location"] == f"/v1/runs/{scene.id}"
    scene.settle()
    undone = api.get(first.headers["location"]).json()
    assert (undone["status"], undone["undo"]["reverted"], undone["undo"]["by"]) == ("undone", [scene.action.id], "ada")
    assert scene.shop.plans() == {1: "Free", 2: "Pro"}
    again = undo(api, scene)
    assert (again.status_code, again.json()) == (200, undone)


def test_a_caller_who_waits_is_told_when_it_is_over(api_of: ApiOf, time_passing: TimePassing):
    """A run that is being taken back is closed, and yet worth waiting for."""
    scene = Scene(WRITE)
    time_passing.meanwhile = scene.settle
    response = undo(api_of(scene), scene, wait=30)
    assert (response.status_code, response.json()["status"]) == (200, "undone")
    assert 0 < time_passing.seconds < 1


def test_reading_a_run_waits_for_its_undo(api_of: ApiOf, time_passing: TimePassing):
    """Whoever did not wait at first can do so later."""
    scene = Scene(WRITE)
    api = api_of(scene)
    undo(api, scene)
    time_passing.meanwhile = scene.settle
    assert api.get(f"/v1/runs/{scene.id}?wait=30").json()["status"] == "undone"


def test_what_could_not_be_taken_back_is_named(api_of: ApiOf):
    """The mail stays sent; the rest is as before."""
    scene = Scene(WRITE, SEND, rules=UNGATED)
    api = api_of(scene)
    undo(api, scene)
    scene.settle()
    run = api.get(f"/v1/runs/{scene.id}").json()
    write, send = (action.id for action in scene.actions)
    assert (run["status"], run["undo"]["permanent"], run["undo"]["reverted"]) == ("partial", [send], [write])


def test_an_undo_that_stops_says_where_and_why(api_of: ApiOf):
    """Somebody has changed the record since: it is left to them."""
    scene = Scene(WRITE)
    api = api_of(scene)
    scene.shop.records[1]["plan"] = "Team"
    assert (plan(api, scene)["whole"], plan(api, scene)["steps"][0]["shown"]["found"]["plan"]) == (False, "Team")
    undo(api, scene)
    scene.settle()
    stopped = api.get(f"/v1/runs/{scene.id}").json()
    assert (stopped["status"], stopped["undo"]["stopped"]) == ("partial", scene.action.id)
    assert stopped["undo"]["reason"]
    assert scene.shop.plans()[1] == "Team"


def test_a_dry_run_says_what_an_undo_would_do_and_writes_nothing(api_of: ApiOf):
    """Newest effect first, with the calls."""
    scene = Scene(WRITE, ADD, SEND, rules=UNGATED)
    api = api_of(scene)
    before, documents = scene.shop.plans(), scene.world.documents()
    shown = plan(api, scene)
    fates = {step["tool"]: (step["fate"], step["inverse"]) for step in shown["steps"]}
    assert (shown["run"], shown["whole"], len(shown["steps"])) == (scene.id, False, 3)
    assert fates == {
        "write": ("revert", {"tool": "write", "arguments": {"id": 1, "plan": "Free", "note": ""}}),
        "add": ("unverified", {"tool": "remove", "arguments": {"id": 101}}),
        "send": ("permanent", None),
    }
    assert (scene.shop.plans(), scene.world.documents()) == (before, documents)


def test_an_undo_ends_where_it_is_told(api_of: ApiOf):
    """What came before is kept, and the dry run says the same."""
    scene = Scene(WRITE, ADD)
    api = api_of(scene)
    newest, oldest = (step["action"] for step in plan(api, scene)["steps"])
    assert [step["fate"] for step in plan(api, scene, to=newest)["steps"]][1] == "kept"
    undo(api, scene, to=newest)
    scene.settle()
    assert api.get(f"/v1/runs/{scene.id}").json()["undo"]["kept"] == [oldest]


def test_an_undo_is_planned_anew_where_it_is_asked_for(api_of: ApiOf):
    """By the policy of today, which knows the inverse of what had none; the dry run says so before."""
    scene = Scene(ADD, rules=policy(add="class: irreversible, gate: never"))
    scene.undo()
    scene.world = scene.world.again(network=shop_network(scene.shop, policy()))
    api = api_of(scene)
    assert [plan(api, scene, replan=how)["whole"] for how in (False, True)] == [False, True]
    undo(api, scene, replan=True)
    scene.settle()
    run = api.get(f"/v1/runs/{scene.id}").json()
    assert (run["status"], run["undo"]["replan"], scene.shop.plans()) == ("undone", True, {1: "Free", 2: "Pro"})


def test_a_live_run_is_cancelled_first(api_of: ApiOf):
    """Its gates close with it."""
    scene = Scene(WRITE, SEND)
    api = api_of(scene)
    assert undo(api, scene).status_code == 202
    scene.settle()
    run = api.get(f"/v1/runs/{scene.id}").json()
    assert (run["status"], run["stop_reason"], [gate.status for gate in scene.gates]) == (
        "undone",
        "cancelled",
        ["cancelled"],
    )


def test_one_undo_at_a_time(api_of: ApiOf):
    """The second caller is told, and nothing is done twice."""
    scene = Scene(WRITE)
    api = api_of(scene)
    undo(api, scene)
    problem = undo(api, scene).json()
    assert (problem["status"], problem["type"]) == (409, "urn:entracte:undo_under_way")


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize(("run", "to", "by"), [("nope", "", "ada"), ("", "", "eve"), ("", "nope", "ada")])
def test_what_is_not_there_cannot_be_undone(api_of: ApiOf, method: str, run: str, to: str, by: str):
    """Nor what is somebody else's."""
    scene = Scene(WRITE)
    how: dict[str, Any] = {"json": {"to": to or None}} if method == "POST" else {"params": {"to": to}}
    response = api_of(scene).request(method, f"/v1/runs/{run or scene.id}/undo", headers={"x-owner": by}, **how)
    assert (response.status_code, scene.status) == (404, "succeeded")


def test_an_undo_is_asked_for_with_a_body(api_of: ApiOf):
    """Pages of other sites can send requests without one, and without asking."""
    scene = Scene(WRITE)
    assert api_of(scene).post(f"/v1/runs/{scene.id}/undo").status_code == 415
    assert scene.status == "succeeded"
