"""The API's description of itself, and the network's (api/openapi.py, api/routes/service.py, api/routes/network.py)."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Callable

import pytest
from fastapi.testclient import TestClient
from jsonschema import Draft202012Validator
from msgspec.structs import asdict

from entracte.errors import ModelRefused
from entracte.runtime.engine.giving_up import give_up
from entracte.testing.world import World
from tests.api.conformance import Conformance
from tests.api.echo import EchoModel
from tests.api.test_letters import keep
from tests.api.time_passing import TimePassing
from tests.gates.linked import Linked
from tests.gates.scene import SEND, Scene


class Refusing(EchoModel):
    """Answers nothing."""

    def generate(self, request, **how):
        raise ModelRefused("No.")


def stop(world: World, how: str, run: str) -> None:
    """Have a run fail or stall, so that it can be retried or resumed."""
    if how == "retry":
        world.model = Refusing()
        world.settle()
        world.model = EchoModel()
    else:
        give_up(world.process.engine, world.bus.waiting.pop(), "It broke.")


def test_what_the_main_paths_answer_is_what_is_described(
    api: TestClient,
    api_of: Callable[[Scene], TestClient],
    world: World,
    conformance: Conformance,
    time_passing: TimePassing,
):
    """Every route at least once with success; the client of these tests checks each answer."""
    run = api.post("/v1/runs", json={"message": "hi", "session": "s"}).json()["links"]
    time_passing.meanwhile = world.settle
    api.post("/v1/runs?wait=9", json={"message": "hi", "session": "t"})
    api.get("/v1/runs")
    api.get(run["self"])
    api.get(run["journal"])
    api.get(run["events"])
    api.post(api.post("/v1/runs", json={"message": "hi"}).json()["links"]["cancel"])
    api.get("/v1/sessions/s")
    api.get("/v1/sessions/s/turns")
    api.get("/v1/sessions/s/export")
    api.patch("/v1/sessions/s/state", json={"facts": "one"})
    api.get("/v1/sessions/s/state")
    api.delete("/v1/sessions/s/state")
    made = api.post("/v1/sessions/s/artifacts", json={"title": "Plan", "content": "One."}).headers["location"]
    api.get("/v1/sessions/s/artifacts")
    memory = world.process.open_memories("ada").remember(key="k", text="Ada drinks tea.").id
    for path in ("/v1/memories", "/v1/memories/export", f"/v1/memories/{memory}"):
        api.get(path)
    api.delete(f"/v1/memories/{memory}")
    api.delete("/v1/memories")
    api.patch(made, json={"active": False})
    api.get(made)
    api.delete(made)
    ops = {"x-owner": "ops"}
    api.delete(f"/v1/letters/{keep(world, b'{')}", headers=ops)
    api.get("/v1/letters", headers=ops)
    api.post("/v1/erasures", json={"owner": "nobody"}, headers=ops)
    api.get("/v1/network")
    api.get("/healthz")
    scene = Scene(("write", {"id": 1, "plan": "Pro"}), SEND, SEND)
    linked = Linked(scene)
    scene.world.process, token = linked.process, linked.token("ada", scene.open[0])
    gated, gates = api_of(scene), [{"gate": g.id, "decision": "deny", "digest": g.z.digest} for g in scene.open]
    gated.get("/v1/gates")
    gated.get(f"/v1/gates/{gates[0]['gate']}")
    gated.post(f"/v1/gates/{gates[0].pop('gate')}/decision", json=gates[0])
    gated.post("/v1/links/preview", json={"token": token})
    gated.post("/v1/links/renew", json={"token": token})
    token = linked.token("ada", scene.open[0])
    gated.post("/v1/links/decision", json={"token": token, "decision": "deny"})
    gated.post("/v1/gates/decisions", json=gates[1:])
    scene.settle()
    gated.get(f"/v1/runs/{scene.id}/undo")
    gated.post(f"/v1/runs/{scene.id}/fork", json={"at": 1})
    gated.post(f"/v1/runs/{scene.id}/undo", json={})
    scene.settle()
    for how in ("retry", "resume"):
        stopped = api.post("/v1/runs", json={"message": "hi", "session": how}).json()["id"]
        stop(world, how, stopped)
        api.post(f"/v1/runs/{stopped}/{how}")
    gated.post(f"/v1/runs/{scene.id}/undo", json={})
    assert conformance.seen == {answer for answer in conformance.promised if answer.endswith(("200", "201", "202"))}


def test_the_description_names_no_model_that_it_does_not_have(api: TestClient):
    """And has none that it does not name, but for the schemas themselves."""
    text = api.get("/openapi.json").text
    referred = set(re.findall(r'"#/components/schemas/(\w+)"', text))
    assert referred == set(json.loads(text)["components"]["schemas"])


def test_every_operation_is_described(api: TestClient):
    """In one line and at length, with all of its statuses."""
    paths = api.get("/openapi.json").json()["paths"]
    for operation in (operation for path in paths.values() for operation in path.values()):
        assert operation["summary"]
        assert operation["description"]
        assert all(response["description"] for response in operation["responses"].values())


@pytest.mark.parametrize(
    ("path", "method", "model"),
    [
        ("/v1/gates/decisions", "post", "DecisionsBody"),
        ("/v1/gates/{gate_id}/decision", "post", "DecisionBody"),
        ("/v1/links/decision", "post", "LinkDecisionBody"),
        ("/v1/links/preview", "post", "LinkBody"),
        ("/v1/runs", "post", "RunBody"),
        ("/v1/runs/{run_id}/undo", "post", "UndoBody"),
        ("/v1/sessions/{session_id}/artifacts", "post", "ArtifactBody"),
        ("/v1/sessions/{session_id}/artifacts/{artifact}", "patch", "ArtifactChange"),
        ("/v1/sessions/{session_id}/state", "patch", "StateDiff"),
    ],
)
def test_the_examples_are_acceptable(api: TestClient, path: str, method: str, model: str):
    """They are what people copy."""
    description = api.get("/openapi.json").json()
    content = description["paths"][path][method]["requestBody"]["content"]["application/json"]
    validator = Draft202012Validator({**content["schema"], "components": description["components"]})
    assert content["schema"]["$ref"].endswith(model)
    assert len(content["examples"]) > 1
    for example in content["examples"].values():
        validator.validate(example["value"])


def test_the_examples_of_runs_start_runs(api: TestClient):
    """Not only in form."""
    description = api.get("/openapi.json").json()
    examples = description["paths"]["/v1/runs"]["post"]["requestBody"]["content"]["application/json"]["examples"]
    assert [api.post("/v1/runs", json=e["value"]).status_code for e in examples.values()] == [202, 202]


def test_a_browser_is_led_to_the_docs(api: TestClient):
    """The page may run its own script and no other."""
    assert api.get("/").headers["location"] == "/docs"
    page = api.get("/docs")
    (script,) = re.findall(r"<script>(.*?)</script>", page.text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = page.headers["content-security-policy"]
    assert f"script-src https://cdn.jsdelivr.net 'sha256-{digest}';" in policy
    assert "unsafe-inline" not in policy.partition("script-src")[2].partition(";")[0]


def test_the_docs_list_the_routes_where_swagger_ui_cannot_be_loaded(api: TestClient):
    """Where it can, it takes the list's place; what it loads is named by hash."""
    page = api.get("/docs").text
    described = {
        f"<dt><code>{method.upper()} {path}</code></dt><dd>{html.escape(route['summary'])}</dd>"
        for path, methods in api.get("/openapi.json").json()["paths"].items()
        for method, route in methods.items()
    }
    assert set(re.findall("<dt>.*", page)) == described
    assert page.count("https://cdn.jsdelivr.net/") == len(re.findall(r'integrity="sha384-\S+" crossorigin', page)) == 2


def test_health_asks_nothing_of_others(api: TestClient):
    """Under both of its names."""
    assert api.get("/healthz").json() == api.get("/health").json() == {"status": "ok"}


def test_the_network_shows_what_a_caller_needs(api: TestClient, world: World):
    """Which agents there are and how to ask them, within which limits."""
    network = api.get("/v1/network").json()
    assert (network["name"], network["entry"], network["models"]) == (
        "echo",
        "echo",
        {"main": "echo/main", "light": "echo/light"},
    )
    assert network["limits"] == asdict(world.network.blueprint.limits)
    echo, weather = network["agents"]
    assert (echo["name"], echo["tools"], list(echo["input"]["properties"])) == ("echo", ["look_up"], ["message"])
    assert (weather["summary"], weather["input"]["required"]) == ("Tells the weather.", ["city"])
    (tool,) = network["tools"]
    assert (tool["summary"], tool["effect"], tool["timeout_s"]) == ("Look a customer up.", "readonly", 5)
    assert [key["name"] for key in network["state"]] == list(world.network.blueprint.state)


def test_the_network_shows_nothing_of_its_inside(api: TestClient):
    """Prompts, knowledge, addresses and secrets are the author's own."""
    shown = api.get("/v1/network").text
    assert [word for word in ("PROMPT", "KNOWLEDGE", "never-show", "NEVER") if word in shown] == []
