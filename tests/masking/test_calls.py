"""Calls of a network that masks: what tools get, what people see, what undo compares."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

import pytest
from msgspec.json import encode

from entracte.adapters.masking.finder import Finder
from entracte.adapters.masking.sealing import Sealer
from entracte.adapters.memory.store import MemoryStore
from entracte.agents import Agent, Network, ToolContext, ToolError, tool
from entracte.core.calls import Call, Directives, Record, ToolOutcome
from entracte.core.documents.action import Action
from entracte.core.documents.gate import Gate
from entracte.core.modelling import ModelReply, ModelRequest, WantedCall
from entracte.core.runs.starting import RunRequest
from entracte.errors import InvalidInput
from entracte.harness import Mask
from entracte.ports.store import Delete, Query, Store, Version, Write
from entracte.runtime.masking.effects import MaskedEffects
from entracte.runtime.masking.masking import Masking
from entracte.runtime.masking.vault import Vault
from entracte.testing.clock import FakeClock
from entracte.testing.scripted import ScriptedModel
from entracte.testing.world import World
from tests.masking.clinic import ASKED_EMAIL, CARD, EMAIL, SEALING_KEY, Clinic, judged, open_world, planted_in, texts_of

QUESTION = f"Set patient 7's address to {ASKED_EMAIL}, please."
OTHER_KEY = base64.b64encode(b"o" * 32).decode()


class Scene:
    """A run of the clinic that waits at its gate, or has gone on behind it."""

    def __init__(self, clinic: Clinic | None = None, mask: Mask | None = None) -> None:
        self.clinic = clinic or Clinic()
        self.world = open_world(self.clinic, mask)
        self.id = self.world.ask(QUESTION).id

    @property
    def gate(self) -> Gate:
        return self.world.process.gates.of_run(self.id)[-1]

    def actions(self) -> list[Action]:
        return list(self.world.process.runs.actions(self.world.run(self.id)))

    def approve(self, **how: Any) -> None:
        self.world.process.gates.decide(self.gate.id, "approve", user="ada", via="http", **how)
        self.world.settle()

    def undo(self) -> str:
        self.world.process.runs.undo(self.id, owner="ada")
        self.world.settle()
        return self.world.run(self.id).status

    def redeployed(self, *, mask: Mask | None = None, keys: str = SEALING_KEY) -> None:
        """The same documents, with another mask or other keys."""
        self.world.secrets = {"ENTRACTE_MASK_KEY": keys}
        network = self.clinic.network(mask) if mask is not None else None
        self.world = self.world.again(network=network)


def asking(tool: str, arguments: dict[str, Any]) -> ScriptedModel:
    """A model that asks for one call."""

    def reply(request: ModelRequest) -> ModelReply:
        match request.purpose, request.step:
            case "evaluate", _:
                return judged(request)
            case "interpret", _:
                return ModelReply(value={"goals": [], "tasks": []})
            case _, 1:
                return ModelReply(calls=(WantedCall(tool, arguments),))
            case _:
                return ModelReply(value="done")

    return ScriptedModel(reply)


def test_a_placeholder_that_stands_for_nothing_is_refused_before_the_call() -> None:
    """A model that invents one is told so; the tool is not called with the placeholder itself."""
    clinic = Clinic()
    world = World(
        clinic.network(Mask()),
        asking("change", {"id": 7, "email": "⟨email-inventedxx⟩", "card": 1}),
        secrets={"ENTRACTE_MASK_KEY": SEALING_KEY},
    )

    run = world.ask("go")

    (action,) = world.process.runs.actions(run)
    assert (action.status, clinic.called) == ("blocked", [])
    assert "⟨email-inventedxx⟩ stands for nothing" in action.error


def test_a_tool_that_is_not_to_be_told_is_not_called_with_true_values() -> None:
    """`reveal_to` names the tools that are."""
    scene = Scene(mask=Mask(reveal_to=("look_up",)))

    change = scene.actions()[-1]
    assert (change.status, scene.clinic.called) == ("blocked", [])
    assert change.error.startswith("change is not given what ⟨card-")


@pytest.mark.parametrize(("reveal_to", "told"), [(("look_*",), EMAIL), (("change",), "⟨email-")])
def test_labels_of_a_run_are_true_for_the_tools_that_are_to_be_told(reveal_to: tuple[str, ...], told: str) -> None:
    """Others see what the journal does."""
    seen: list[str] = []

    @tool(effect="readonly")
    def look_up(ctx: ToolContext[None]) -> str:
        """Look."""
        seen.append(ctx.metadata["for"])
        return "ok"

    desk = Agent(name="desk", prompt="p", tools=[look_up])
    network = Network(entry=desk, mask=Mask(reveal_to=reveal_to))
    world = World(network, asking("look_up", {}), secrets={"ENTRACTE_MASK_KEY": SEALING_KEY})
    world.process.runs.start(RunRequest(input={"message": "go"}, metadata={"for": EMAIL}), owner="ada")
    world.settle()

    (found,) = seen
    assert found.startswith(told)


def test_the_gate_shows_placeholders_and_is_bound_to_them() -> None:
    """The preview and the question name no true value; the digest changes with every true value."""
    scene = Scene()

    gate, action = scene.gate, scene.actions()[-1]
    assert gate.question.startswith("Change the address to ⟨email-")
    assert planted_in(encode(gate).decode()) == []
    assert gate.z.digest == action.digest


def test_what_an_approver_writes_is_masked_and_the_call_is_made_with_it() -> None:
    """Edited arguments hold a new address: documents keep a placeholder, the tool gets the address."""
    scene = Scene()
    placeholder = json.loads(scene.gate.z.arguments.text)["card"]

    edited = json.dumps({"id": 7, "email": "new@address.example", "card": placeholder})
    scene.approve(edited_arguments=edited, reason="said new@address.example on the phone")

    assert scene.clinic.called == [{"email": "new@address.example", "card": CARD}]
    assert [text for text in texts_of(scene.world) if "new@address.example" in text] == []
    assert scene.undo() == "undone"
    assert scene.clinic.record["email"] == EMAIL


def test_a_placeholder_that_an_approver_has_mistyped_is_not_written_as_it_is() -> None:
    """It stands for nothing: the call is not made."""
    scene = Scene()

    scene.approve(edited_arguments='{"id": 7, "email": "⟨email-mistypedxx⟩", "card": 1}')

    change = scene.actions()[-1]
    assert (change.status, scene.clinic.called) == ("blocked", [])
    assert "⟨email-mistypedxx⟩ stands for nothing" in change.error


@pytest.mark.parametrize("depth", [300, 100_000])
def test_arguments_of_an_approver_that_are_nested_too_deeply_are_refused_in_words(depth: int) -> None:
    """As where nothing is masked; the message is handled, rather than to come back as a bug."""
    scene = Scene()

    with pytest.raises(InvalidInput, match="is not JSON"):
        scene.approve(edited_arguments="[" * depth + "]" * depth)

    assert scene.gate.waiting


def test_an_undo_does_not_write_back_a_placeholder_whose_value_is_gone() -> None:
    """What was sealed was deleted: the undo stops, and the record stays as it is."""
    scene = Scene()
    scene.approve()
    changed = dict(scene.clinic.record)
    sealed = scene.world.store.query(Query(collection="sealed", limit=1000))
    scene.world.store.commit([Delete(doc.path) for doc in sealed if "email-" in doc.path])
    scene.world = scene.world.again()

    assert scene.undo() == "partial"
    assert scene.clinic.record == changed


def test_a_tools_words_on_its_failure_are_masked(caplog: pytest.LogCaptureFixture) -> None:
    """Both a ToolError and a broken call, whose end nobody knows."""
    for error in (ToolError(f"{EMAIL} bounced"), RuntimeError(f"lost {EMAIL}")):
        clinic = Clinic()
        clinic.says = error
        scene = Scene(clinic)

        scene.approve()

        assert "⟨email-" in scene.actions()[-1].error
        assert [text for text in texts_of(scene.world) if EMAIL in text] == []
    assert EMAIL not in caplog.text


def test_text_that_only_looks_like_a_placeholder_comes_back_as_it_was() -> None:
    """A record holds such a text already: undo restores it, and not what it would stand for as a placeholder."""
    scene = Scene()
    placeholder = json.loads(scene.gate.z.arguments.text)["email"]
    scene.approve()
    scene.clinic.record["email"] = placeholder

    scene.id = scene.world.ask(QUESTION, key="again").id
    scene.approve()
    assert scene.clinic.record["email"] == ASKED_EMAIL

    assert scene.undo() == "undone"
    assert scene.clinic.record["email"] == placeholder


def test_drift_is_told_by_true_values_and_shown_masked() -> None:
    """Somebody has changed the card since: the undo stops, and says so without the numbers."""
    scene = Scene()
    scene.approve()
    scene.clinic.record["card"] = 5555555555554444

    assert scene.undo() == "partial"
    assert scene.clinic.record["card"] == 5555555555554444
    assert [text for text in texts_of(scene.world) if "5555555555554444" in text or str(CARD) in text] == []


@pytest.mark.parametrize(
    "mask",
    [Mask(kinds=("card",)), Mask(patterns={"domain": r"[a-z]+\.example"}), Mask(kinds=())],
    ids=["fewer kinds", "another pattern", "nothing"],
)
def test_a_mask_that_was_changed_meanwhile_is_no_drift(mask: Mask) -> None:
    """The record is what it was, whatever of it is masked today: undo restores it."""
    scene = Scene()
    before = dict(scene.clinic.record)
    scene.approve()
    scene.redeployed(mask=mask)

    assert scene.undo() == "undone"
    assert scene.clinic.record == before | {"seen": 2}


def test_keys_that_were_changed_meanwhile_still_open_what_was_sealed() -> None:
    """The new key in front, the old one behind."""
    scene = Scene()
    scene.redeployed(keys=f"{OTHER_KEY},{SEALING_KEY}")
    scene.approve()

    assert scene.clinic.record["email"] == ASKED_EMAIL
    assert scene.undo() == "undone"
    assert scene.clinic.record["email"] == EMAIL


def test_a_key_that_was_lost_stops_the_undo_and_changes_nothing() -> None:
    """The reason names the key; nothing is written back that is only a placeholder."""
    scene = Scene()
    scene.approve()
    changed = dict(scene.clinic.record)
    scene.redeployed(keys=OTHER_KEY)

    assert scene.undo() == "partial"
    assert scene.clinic.record == changed
    undo = scene.world.run(scene.id).undo
    assert undo is not None and "was sealed with key" in undo.reason


class _FullVault:
    """Store that takes no sealed value any more."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def commit(self, writes: Sequence[Write]) -> Mapping[str, Version]:
        if any(write.path.startswith("vaults/") for write in writes):
            raise InvalidInput("The vault is full.")
        return self._store.commit(writes)


def test_what_cannot_be_masked_before_a_change_keeps_it_from_being_made() -> None:
    """What the call would change could not be kept: it is blocked, and nothing has happened."""
    scene = Scene()
    scene.world.process = scene.world.new_process(store=lambda store: cast(Store, _FullVault(store)))
    scene.clinic.record["notes"] = "now +81 3-3224-9999"

    scene.approve()

    change = scene.actions()[-1]
    assert (change.status, scene.clinic.record["email"]) == ("blocked", EMAIL)
    assert "The vault is full." in change.error


def test_a_result_that_cannot_be_masked_is_withheld() -> None:
    """Only the result holds what is new: the call was made, so it is applied, with a note in the result's place."""
    scene = Scene()
    scene.clinic.answers = "confirmed to desk@clinic.example"
    scene.world.process = scene.world.new_process(store=lambda store: cast(Store, _FullVault(store)))

    scene.approve()

    change = scene.actions()[-1]
    assert (change.status, scene.clinic.record["email"]) == ("applied", ASKED_EMAIL)
    assert change.result is not None
    assert "could not be masked: The vault is full." in change.result.value["note"]
    assert [text for text in texts_of(scene.world) if "desk@clinic.example" in text] == []


def test_nothing_of_a_calls_end_goes_on_as_it_came() -> None:
    """Warnings, progress, what tools ask for; and a server's own answer, which is for clients of the protocol."""
    clock = FakeClock()
    vault = Vault(MemoryStore(), Sealer(lambda: SEALING_KEY, "MASK"), clock.now)
    masked = MaskedEffects(_nothing, Masking(Finder(("email",)), vault), reveal_to=["*"], owner_of=lambda run: "ada")
    call = Call(
        run="r", session="s", frame="r", agent="a", step=1, action="r.1.0", tool="t", arguments={}, idempotency_key="k",
        attempt=1, user="ada", metadata={}, deadline=clock.now(),
    )  # fmt: skip
    said = {"text": f"Write to {EMAIL}."}
    outcome = ToolOutcome(
        ending="applied",
        result=said,
        raw=said,
        arguments={"to": EMAIL},
        error=EMAIL,
        warnings=(f"{EMAIL} bounced",),
        progress=(f"asking {EMAIL}",),
        directives=Directives(state=({"facts": EMAIL},), terminate=EMAIL),
        record=Record(present=True, value={"email": EMAIL}, error=EMAIL),
        native={"content": [said]},
    )
    ended = masked.ended(call, outcome)
    assert EMAIL not in repr(ended)
    assert ended.native is None
    unharmed = ToolOutcome(ending="applied", result="fine", raw="fine", native={"content": ["fine"]})
    assert masked.ended(call, unharmed) == unharmed


def _nothing(effect: Any, deadline_s: float) -> Any:
    raise AssertionError("nothing is to be done")
