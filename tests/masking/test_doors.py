"""Every way in: what comes in is masked before it is kept."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import Any

import pytest
from msgspec.json import encode

from entracte.agents import Agent, Memory, Network
from entracte.core.client_calls.opening import Client
from entracte.core.modelling import ModelReply, ModelRequest, WantedCall
from entracte.core.runs.starting import RunRequest
from entracte.errors import ConfigurationError, Conflict
from entracte.harness import Mask
from entracte.runtime.services.client_calls import ClientCalls
from entracte.testing.scripted import ScriptedModel
from entracte.testing.world import World
from entracte.toolbox.artifacts import artifact_tools, create_artifact, edit_artifact, get_artifact
from tests.masking.clinic import (
    ASKED_EMAIL,
    EMAIL,
    PLACEHOLDER,
    SEALING_KEY,
    Clinic,
    judged,
    open_world,
    planted_in,
    texts_of,
)
from tests.masking.test_calls import asking


def kept(world: World) -> set[str]:
    """What of the planted values any document shows."""
    return {value for text in texts_of(world) for value in planted_in(text)}


def test_labels_state_and_forks_are_masked() -> None:
    """A run's metadata, a session's state from outside, and a fork's changes of state."""
    clinic = Clinic()
    world = open_world(clinic)
    request = RunRequest(input={"message": "go"}, session="s", metadata={"for": EMAIL})
    run = world.process.runs.start(request, owner="ada", idempotency_key="k")
    world.process.state.change("s", {"facts": f"write to {ASKED_EMAIL}"}, owner="ada")

    assert kept(world) == set()
    assert world.process.runs.get(run.id, owner="ada").metadata["for"].startswith("⟨email-")
    assert "⟨email-" in json.dumps(world.process.state.get("s", owner="ada"), ensure_ascii=False)


def test_the_same_request_with_the_same_key_is_the_same_run() -> None:
    """Masked requests are compared by what they were."""
    world = open_world(Clinic())
    request = RunRequest(input={"message": EMAIL})

    first = world.process.runs.start(request, owner="ada", idempotency_key="k")
    again = world.new_process().runs.start(request, owner="ada", idempotency_key="k")

    assert first == again


def test_a_clients_call_is_masked_and_so_is_its_answer() -> None:
    """Of an agent that reaches the tools through the gateway."""
    world = open_world(Clinic())
    client = Client(session="c", owner="ada", name="desktop")

    answered = ClientCalls(world.process.engine).call(client, "look_up", {"id": 7})

    assert answered.outcome is not None
    assert answered.outcome.result["email"].startswith("⟨email-")
    assert kept(world) == set()


def test_equal_calls_of_two_sessions_of_an_owner_are_equal() -> None:
    """A client that was restarted asks again: what it may be granted was asked for with the same arguments."""
    world = open_world(Clinic())
    calls = ClientCalls(world.process.engine)
    arguments = {"id": 7, "email": EMAIL, "card": 1}

    held = calls.call(Client(session="one", owner="ada", name="desktop"), "change", arguments)
    again = calls.call(Client(session="two", owner="ada", name="desktop"), "change", arguments)

    assert held.action.id == again.action.id
    assert kept(world) == set()


def test_tools_edit_artifacts_as_they_are_and_the_store_keeps_them_masked() -> None:
    """What a tool searches for is a true value; what people and models read of the artifact is not."""

    def reply(request: ModelRequest) -> ModelReply:
        match request.purpose, request.step:
            case "evaluate", _:
                return judged(request)
            case "interpret", _:
                return ModelReply(value={"goals": [], "tasks": []})
            case _, 1:
                made = {"title": "Letter", "content": f"To: {EMAIL}\nDear Ada,\n"}
                return ModelReply(calls=(WantedCall("create_artifact", made),))
            case _, 2:
                edit = {"artifact": "Letter", "edits": [{"search": EMAIL, "replace": ASKED_EMAIL}]}
                return ModelReply(calls=(WantedCall("edit_artifact", edit),))
            case _:
                return ModelReply(value="done")

    desk = Agent(name="desk", prompt="p", tools=[create_artifact, get_artifact, edit_artifact])
    world = World(Network(entry=desk, mask=Mask()), ScriptedModel(reply), secrets={"ENTRACTE_MASK_KEY": SEALING_KEY})
    run = world.ask("go")
    while gates := [gate for gate in world.process.gates.of_run(run.id) if gate.waiting]:
        assert planted_in(encode(gates[0]).decode()) == []
        world.process.gates.decide(gates[0].id, "approve", user="ada", via="http")
        world.settle()

    (artifact,) = world.process.open_shelf("session", "ada").list()
    assert world.process.open_shelf("session", "ada").get(artifact.id).text.startswith("To: ⟨email-")
    assert kept(world) == set()
    edited = [a for a in world.process.runs.actions(world.run(run.id)) if a.tool == "edit_artifact"]
    assert [a.status for a in edited] == ["applied"]
    world.process.runs.undo(run.id, owner="ada", to=edited[0].id)
    world.settle()
    assert world.process.runs.actions(world.run(run.id))[-1].status == "reverted"


def test_tags_of_an_artifact_stay_masked_when_it_is_put_back() -> None:
    """Undo gives the tool the record as it was, true values and all."""
    world = World(
        Network(entry=Agent(name="desk", prompt="p", tools=[*artifact_tools]), mask=Mask()),
        asking("delete_artifact", {"artifact": "Letter"}),
        secrets={"ENTRACTE_MASK_KEY": SEALING_KEY},
    )
    shelf = world.process.open_shelf("session", "ada")
    made = shelf.create(key="k", title="Letter", text="Dear Ada,", tags=[EMAIL])
    run = world.ask("go")
    (gate,) = world.process.gates.of_run(run.id)
    world.process.gates.decide(gate.id, "approve", user="ada", via="http")
    world.settle()
    assert shelf.list() == ()

    world.process.runs.undo(run.id, owner="ada")
    world.settle()

    assert shelf.get(made.id).tags == made.tags
    assert kept(world) == set()


def test_a_version_that_has_passed_is_a_conflict_under_a_mask_too() -> None:
    """Versions are of what its reader sees, which may not be what is kept."""
    world = World(
        Network(entry=Agent(name="desk", prompt="p", tools=[*artifact_tools]), mask=Mask()),
        asking("list_artifacts", {}),
        secrets={"ENTRACTE_MASK_KEY": SEALING_KEY},
    )
    for opens in (False, True):
        shelf = world.process.open_shelf("session", "ada", opens=opens)  # type: ignore[call-arg]  # as tools have it
        seen = shelf.create(key=f"k{opens}", title=f"Letter {opens}", text=f"To: {EMAIL}")
        shelf.change(seen.id, lambda a: a.changed(text="b"), key=f"l{opens}", version=seen.version)
        with pytest.raises(Conflict):
            shelf.change(seen.id, lambda a: a.changed(text="c"), key=f"m{opens}", version=seen.version)
        with pytest.raises(Conflict):
            shelf.delete(seen.id, version=seen.version)


def test_what_is_remembered_of_a_masked_value_is_found_by_it() -> None:
    """Memories hold placeholders, and whoever looks for the value is looking for them."""
    network = Network(entry=Agent(name="desk", prompt="p"), mask=Mask(), memory=Memory())
    world = World(network, asking("none", {}), secrets={"ENTRACTE_MASK_KEY": SEALING_KEY})
    memories = world.process.open_memories("ada")
    kept_item = memories.remember(key="k", text=f"Write to {EMAIL}.", tags=[ASKED_EMAIL])
    assert kept(world) == set()
    for known in (EMAIL, ASKED_EMAIL):
        assert [item.id for item in memories.recall(known)] == [kept_item.id]


def test_a_model_that_makes_edits_of_an_instruction_sees_placeholders_and_the_edits_fit() -> None:
    """It copies what it is shown of the text; the tool, which knows the text as it is, is given what that means."""

    def reply(request: ModelRequest) -> ModelReply:
        if request.purpose != "edit":
            return instructing.generate(request, deadline_s=1)
        shown = request.part("question")
        assert planted_in(shown) == []
        (placeholder,) = set(re.findall(PLACEHOLDER % "email", shown))
        return ModelReply(value={"edits": [{"search": f"To: {placeholder}", "replace": f"For: {placeholder}"}]})

    instructing = asking("edit_artifact", {"artifact": "Letter", "instruction": "For, not To."})
    desk = Agent(name="desk", prompt="p", tools=[*artifact_tools])
    world = World(Network(entry=desk, mask=Mask()), ScriptedModel(reply), secrets={"ENTRACTE_MASK_KEY": SEALING_KEY})
    shelf = world.process.open_shelf("session", "ada")
    made = shelf.create(key="k", title="Letter", text=f"To: {EMAIL}\n")

    run = world.ask("go")
    (gate,) = world.process.gates.of_run(run.id)
    world.process.gates.decide(gate.id, "approve", user="ada", via="http")
    world.settle()

    assert shelf.get("Letter").text == made.text.replace("To", "For")
    assert kept(world) == set()


def test_a_mask_that_cannot_be_used_is_refused_when_it_is_made() -> None:
    """With what is wrong."""
    wrong: list[dict[str, Any]] = [{"patterns": {"A b": "x"}}, {"patterns": {"x": "("}}, {"kinds": ("iban",)}]
    for how in wrong:
        with pytest.raises(ConfigurationError):
            Mask(**how)


def test_without_a_key_nothing_is_kept_unmasked() -> None:
    """The door says which secret is missing, and there is no run."""
    world = World(Clinic().network(Mask()), asking("look_up", {"id": 7}))

    with pytest.raises(ConfigurationError, match="ENTRACTE_MASK_KEY"):
        world.start(f"Write to {EMAIL}")
    assert kept(world) == set()


def test_a_network_without_a_mask_imports_nothing_of_it() -> None:
    """Cold start counts."""
    code = (
        "import sys; from entracte.agents import Agent, Network; import entracte.runtime.local.embedded as e;"
        "n = Network(entry=Agent(name='a', prompt='p'), name='n');"
        "from entracte.runtime.settings import read_settings;"
        "print(sorted(m for m in sys.modules if m.startswith("
        "('cryptography', 'phonenumbers', 'stdnum', 'entracte.runtime.masking', 'entracte.harness', 'opentelemetry'))))"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
