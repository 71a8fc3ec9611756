"""A session with artifacts, and runs of an agent that works with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from entracte.agents import Agent, Budget, Network, Tool
from entracte.core.documents.action import Action
from entracte.core.documents.artifact import Artifact
from entracte.core.documents.gate import Gate
from entracte.core.documents.run import Run
from entracte.core.policy.policy import Policy
from entracte.ports.shelf import Shelf
from entracte.ports.store import Query, Store, Stored, Write
from entracte.testing.crashing import Crash
from entracte.testing.world import World
from entracte.toolbox.artifacts import artifact_tools
from tests.gates.scene import in_steps
from tests.runtime.scenes import MODEL, actions
from tests.runtime.script import Line, Script, calls

OUTLINE = "# Plot\n\n1. Ada finds a letter.\n2. She does not open it.\n3. The letter is gone.\n"


class MortalStore:
    """A store whose process dies before or after a commit, and does nothing any more, in whatever thread."""

    def __init__(self, store: Store, dies_at: int) -> None:
        self._store = store
        self._left = dies_at
        self.dead = False

    def load(self, paths: Sequence[str]) -> Mapping[str, Stored]:
        self._live()
        return self._store.load(paths)

    def query(self, query: Query) -> Sequence[Stored]:
        self._live()
        return self._store.query(query)

    def commit(self, writes: Sequence[Write]) -> Mapping[str, int]:
        self._pass()
        versions = self._store.commit(writes)
        self._pass()
        return versions

    def close(self) -> None: ...

    def _pass(self) -> None:
        self._live()
        self._left -= 1
        self.dead = self._left < 0
        self._live()

    def _live(self) -> None:
        if self.dead:
            raise Crash


class Desk:
    """One run after the other in one session.

    Args:
        tools: What the agent has; the artifact tools by default.
        network: More arguments of the network.
    """

    def __init__(self, tools: Sequence[Tool] = artifact_tools, **network: Any) -> None:
        agent = Agent(name="desk", prompt="You write.", tools=tools)
        declared = {"policy": Policy(), "budget": Budget(wall_s=10**9)} | network
        self.model = Script(["done"])
        self.world = World(Network(entry=agent, models=MODEL, **declared), self.model)
        self.runs = 0

    def ask(self, *lines: Line | tuple[str, Any]) -> Run:
        """A run in which the agent says these lines, a pair being a call; until it ends or waits."""
        said = [calls(line) if isinstance(line, tuple) else line for line in lines]
        self.model = self.world.model = Script([*said, "done"])
        self.world.process = self.world.new_process()
        self.runs += 1
        return self.world.ask("Go.", key=f"key-{self.runs}")

    def ask_of_a_mortal(self, wanted: tuple[str, Any], *, dies_at: int) -> MortalStore:
        """A run with one call, in a process that dies at that point; another one finishes it, by the same key."""
        self.model = self.world.model = Script([in_steps(calls(wanted))])
        self.world.process = self.world.new_process()
        self.run = self.world.start("Go.", key="key-1").id
        store = MortalStore(self.world.store, dies_at)
        process = self.world.new_process(store=lambda _: store)
        for _ in range(1000):
            if not self.world.bus.waiting:
                break
            message = self.world.bus.waiting.pop(0)
            try:
                self.world.deliver(message, process)
            except Crash:
                process = self.world.process
                self.world.bus.waiting.append(message)
                self.world.clock.advance(seconds=1000)  # its lease ends
        return store

    @property
    def shelf(self) -> Shelf:
        return self.world.process.open_shelf("session", "ada")

    def put(self, title: str, text: str = "", **fields: Any) -> Artifact:
        """Somebody puts an artifact on the desk."""
        self.world.clock.advance(seconds=1)
        return self.shelf.create(key=f"by hand: {title}", title=title, text=text, **fields)

    def actions(self, run: Run) -> list[Action]:
        return actions(self.world, run)

    def gates(self, run: Run) -> list[Gate]:
        """Those of the run that wait."""
        return [gate for gate in self.world.process.gates.of_run(run.id) if gate.waiting]

    def decide(self, run: Run, decision: str = "approve") -> Run:
        """Answer the run's only gate."""
        (gate,) = self.gates(run)
        self.world.process.gates.decide(gate.id, decision, user="ada", via="http", operator=True)
        self.world.settle()
        return self.world.run(run.id)

    def undo(self, run: Run) -> Run:
        """Take a run back."""
        self.world.process.runs.undo(run.id, owner="ada")
        self.world.settle()
        return self.world.run(run.id)

    def stored(self) -> dict[str, dict[str, Any]]:
        """All artifacts as they are kept, by path, but for what counts writes."""
        found = {path: fields for path, fields in self.world.documents().items() if "/artifacts/" in path}
        return {
            path: {k: v for k, v in fields.items() if k not in ("rev", "written_by")} for path, fields in found.items()
        }
