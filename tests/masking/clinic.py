"""A network whose records, messages and people hold what must not be seen, and a look at everything that is kept."""

from __future__ import annotations

import base64
import json
import logging
import re
from collections.abc import Iterator
from typing import Any

from entracte.agents import Agent, Event, Network, ToolContext, tool
from entracte.core.modelling import ModelReply, ModelRequest, WantedCall
from entracte.harness import Mask
from entracte.testing.scripted import ScriptedModel
from entracte.testing.world import World
from tests.gates.shop import policy_of

EMAIL, NEW_EMAIL, ASKED_EMAIL = "ada@patients.example", "ada.l@elsewhere.example", "carer@family.example"
CARD, CARD_TEXT = 4111111111111111, "5555 5555 5555 4444"
KEY = "sk-" + "a1B2c3D4e5F6g7H8i9J0"
PHONE = "+44 20 7946 0958"
EMPLOYEE = "E-204961"

PLANTED = (EMAIL, NEW_EMAIL, ASKED_EMAIL, str(CARD), CARD_TEXT, KEY, PHONE, EMPLOYEE)

SEALING_KEY = base64.b64encode(b"k" * 32).decode()

RULES = {
    "look_up": "class: readonly",
    "change": "class: reversible, gate: always, editable: true, question: Change the address to $.email?, "
    "snapshot: {tool: look_up, args: {id: $.id}}, ignore: [seen], "
    "inverse: {tool: change, args: {id: $.id, email: $snapshot.email, card: $snapshot.card}}",
}

PLACEHOLDER = r"⟨%s-[a-z2-7]{10}⟩"


class Clinic:
    """The records, and what tools were really called with."""

    def __init__(self) -> None:
        self.record: dict[str, Any] = {
            "email": EMAIL,
            "card": CARD,
            "notes": f"Second card {CARD_TEXT}, call {PHONE}; portal token {KEY}; seen by {EMPLOYEE}.",
            "seen": 0,
        }
        self.called: list[dict[str, Any]] = []
        self.says: Exception | None = None
        self.answers = ""

    def network(self, mask: Mask | None, **more: Any) -> Network:
        @tool(effect="readonly", persist="project_data")
        def look_up(id: int, ctx: ToolContext[None]) -> dict[str, Any]:
            """Read a patient's record."""
            ctx.progress(f"Asking for {self.record['email']}")
            logging.getLogger("entracte").warning("looked up %s", self.record["email"])
            return {**self.record}

        @tool
        def change(id: int, email: str, card: int, ctx: ToolContext[None]) -> dict[str, Any]:
            """Change a patient's address."""
            self.called.append({"email": email, "card": card})
            if self.says is not None:
                raise self.says
            self.record |= {"email": email, "card": card, "seen": self.record["seen"] + 1}
            ctx.update_state({"vars": f"address is {email}"})
            return {"changed": self.answers or f"{id} to {email}"}

        desk = Agent(name="desk", prompt=f"Patients may write to {EMAIL} themselves.", tools=[look_up, change])
        return Network(entry=desk, policy=policy_of(RULES), mask=mask, **more)


def judged(request: ModelRequest, *facts: str) -> ModelReply:
    """Evaluate's reply: all is well, and these facts are known."""
    calls = json.loads(request.part("results"))
    verdicts = [{"call": call["call"], "verdict": "ok", "note": ""} for call in calls]
    return ModelReply(value={"verdicts": verdicts, "state": {"facts": [*facts]}})


def reply(request: ModelRequest) -> ModelReply:
    """Look the patient up, change the address to the one asked for, answer: with what the model was shown only."""
    seen = "\n".join([request.system, *(part.text for part in request.parts)])
    match request.purpose, request.step:
        case "evaluate", _:
            record = json.loads(request.part("results"))[0].get("result") or {}
            facts = [f"{name} is {record[name]}" for name in ("email", "card", "notes") if name in record]
            return judged(request, *facts)
        case "interpret", _:
            return ModelReply(
                value={"goals": [f"Write to {asked_for(seen)}"], "tasks": []}, thought=f"They mean {ASKED_EMAIL}."
            )
        case _, 1:
            return ModelReply(calls=(WantedCall("look_up", {"id": 7}),))
        case _, 2:
            wanted = {"id": 7, "email": asked_for(seen), "card": known_card(request.part("state"))}
            return ModelReply(calls=(WantedCall("change", wanted),), thought=f"I know {NEW_EMAIL} by heart.")
        case _:
            return ModelReply(value=f"Written to {asked_for(seen)}.")


def asked_for(text: str) -> str:
    """The placeholder of the address that the request names; a true one where it names none."""
    found = re.search(rf"address to ({PLACEHOLDER % 'email'})", text)
    return found.group(1) if found else NEW_EMAIL


def known_card(state: str) -> str:
    """The placeholder of the card that the state knows."""
    found = re.search(rf"card is ({PLACEHOLDER % 'card'})", state)
    return found.group(1) if found else "0"


class Everything:
    """Observer that keeps what it is told."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def on_event(self, event: Event) -> None:
        self.events.append(event)


def open_world(clinic: Clinic, mask: Mask | None = None, **more: Any) -> World:
    """The clinic on fakes, masked."""
    mask = mask or Mask(patterns={"employee": r"E-[0-9]{6}"})
    return World(clinic.network(mask, **more), ScriptedModel(reply), secrets={"ENTRACTE_MASK_KEY": SEALING_KEY})


def planted_in(shown: str) -> list[str]:
    """What of the planted values can be read in a text, with or without blanks between digits."""
    digits = re.sub(r"(?<=\d)[ -](?=\d)", "", shown)
    return [value for value in PLANTED if value in shown or value.replace(" ", "") in digits]


def texts_of(world: World) -> Iterator[str]:
    """Every document as text."""
    for path, fields in world.documents().items():
        yield f"{path} {fields!r}"
