"""Generated histories of the support desk: an agent that creates, changes and deletes customers as its seed has it."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from crm.database import dump
from crm.deps import Crm
from crm.mail import Outbox
from crm.tools.correspondence import send_email
from crm.tools.records import (
    create_customer,
    delete_customer,
    get_customer,
    list_invoices,
    search_customers,
    update_customer,
)
from entracte.agents import Agent, Models, Network
from entracte.core.documents.action import Action
from entracte.core.modelling import ModelReply, ModelRequest, OnDelta, WantedCall
from entracte.testing.crashing import Crash, Fuse
from entracte.testing.world import World
from tests.gates.scene import PATIENT
from tests.runtime.script import judging

TOOLS = (search_customers, get_customer, list_invoices, update_customer, create_customer, delete_customer, send_email)
CAST = (17, 42, 108, 431, 211, 329)
"""Customers that histories are about; 42 and 108 have invoices, so that they cannot be deleted."""

NOBODY = 4999
"""Id that no customer has."""


class HistoryModel:
    """Wants one to three calls a step, chosen by seed and step among what the database holds then.

    Asked twice at a step it wants the same, as long as the database is the same.
    """

    def __init__(self, seed: int, database: Path) -> None:
        self._seed = seed
        self._database = database

    def generate(self, request: ModelRequest, *, deadline_s: float, on_delta: OnDelta | None = None) -> ModelReply:
        match request.purpose:
            case "interpret":
                return ModelReply(value={"goals": [], "tasks": []})
            case "evaluate":
                return judging()(request)
            case _:
                chance = random.Random(f"{self._seed}.{request.step}")
                if request.step > 2 + self._seed % 3:
                    return ModelReply(value="done")
                known = self._known()
                return ModelReply(calls=tuple(self._call(chance, known) for _ in range(chance.randint(1, 3))))

    def _call(self, chance: random.Random, known: list[int]) -> WantedCall:
        tool = chance.choices(
            ["update_customer", "create_customer", "delete_customer", "get_customer"], weights=[5, 3, 3, 1]
        )[0]
        customer = chance.choice([*known, NOBODY] if chance.random() < 0.2 else known)
        match tool:
            case "update_customer":
                return WantedCall(tool, {"id": customer, **self._fields(chance)})
            case "create_customer":
                name = f"Nobody {chance.randrange(10**6)}"
                return WantedCall(tool, {"name": name, "email": "nobody@nowhere.example", "since": "2026-01-01"})
            case _:
                return WantedCall(tool, {"id": customer})

    def _fields(self, chance: random.Random) -> dict[str, Any]:
        fields = {
            "name": f"Renamed {chance.randrange(100)}",
            "email": f"n{chance.randrange(100)}@moved.example",
            "plan": chance.choice(["Free", "Pro", "Team"]),
            "country": chance.choice(["", "Japan", "Ísland"]),
            "notes": chance.choice(["", 'Said "yes".', "– 伊藤"]),
        }
        return {name: fields[name] for name in chance.sample(sorted(fields), chance.randint(1, 3))}

    def _known(self) -> list[int]:
        """The cast, as far as it is still there, and whoever was created."""
        with closing(sqlite3.connect(self._database)) as connection:
            ids = [row[0] for row in connection.execute("SELECT id FROM customers ORDER BY id")]
        return [id for id in ids if id in CAST or id > max(CAST) + 69] or [NOBODY]


class History:
    """One generated run on a database of its own.

    Attributes:
        before: Dump of the database before the run.
    """

    def __init__(self, seed: int, database: Path) -> None:
        self.seed = seed
        self.database = database
        self.before = dump(database)
        crm = Crm(database=database, outbox=Outbox(database.with_name("outbox")))
        desk = Agent(name="desk", prompt="You keep records.", tools=TOOLS)
        network = Network(
            entry=desk, models=Models(main="scripted/x"), policy="crm:policy.yaml", deps=lambda: crm, budget=PATIENT
        )
        self.world = World(network, HistoryModel(seed, database))
        self.id = self.world.start("Keep records.").id
        self._run()

    def _run(self) -> None:
        """Deliver and answer what is asked, by the seed, until the run has ended."""
        chance = random.Random(f"{self.seed} answers")
        gates = self.world.process.gates
        self.world.settle()
        while waiting := [gate for gate in gates.of_run(self.id) if gate.waiting]:
            gates.decide(waiting[0].id, chance.choice(["approve", "deny"]), user="ada", via="cli")
            self.world.settle()
        assert self.world.run(self.id).status == "succeeded"

    @property
    def now(self) -> str:
        """Dump of the database."""
        return dump(self.database)

    @property
    def actions(self) -> tuple[Action, ...]:
        return self.world.process.runs.actions(self.world.run(self.id))

    @property
    def changed(self) -> list[str]:
        """Tools of the calls that changed something, oldest first."""
        return [action.tool for action in self.actions if action.status == "applied" and action.effect == "changing"]

    def undo(self, *fuses: Fuse, redelivered: bool = True) -> None:
        """Ask for the undo, with processes that die one after the other, until nothing moves any more.

        Args:
            redelivered: The broker delivers once more what a process died over; else sweep has to find it.
        """
        processes = [self.world.dying(fuse) for fuse in fuses]
        try:
            (processes[0] if processes else self.world.process).runs.undo(self.id, owner="ada")
        except Crash:
            processes.pop(0)
            if self.world.run(self.id).status == "succeeded":  # nothing was asked yet
                self.world.process.runs.undo(self.id, owner="ada")
        for _ in range(6):
            while self.world.bus.waiting:
                message = self.world.bus.waiting.pop(0)
                try:
                    self.world.deliver(message, processes[0] if processes else None)
                except Crash:
                    processes.pop(0)
                    self.world.bus.waiting += [message] if redelivered else []
                    self.world.clock.advance(seconds=10)
            self.world.clock.advance(hours=9)  # beyond the longest pause between two sweeps
            self.world.sweep()
