"""What the tests of undo share: calls, processes that die while they make one, and how an undo went."""

from __future__ import annotations

from typing import Any, Literal

import pytest

from entracte.core.documents.journal import Entry
from entracte.testing.crashing import Crash, CrashingStore, Fuse
from tests.gates.scene import Scene
from tests.gates.shop import policy, raising

UPGRADE = ("write", {"id": 1, "plan": "Pro"})
DOWNGRADE = ("write", {"id": 2, "plan": "Free"})
ADD = ("add", {"plan": "Pro"})
FREE = policy(send="class: irreversible, gate: never")
"""Nobody is asked before a mail is sent."""

CUT = raising(ConnectionResetError("cut"))

When = Literal["before the call", "after the call"]
"""Between the intent and the call, or between the call and the record of its end."""


class _Nth(Fuse):
    """Blows when a point of that name is passed for that time."""

    def __init__(self, name: str, nth: int) -> None:
        super().__init__()
        self._name, self._left = name, nth

    def point(self, name: str) -> None:
        self.points.append(name)
        self._left -= name == self._name
        if self._left == 0:
            raise Crash(name)


def die(scene: Scene, when: When) -> None:
    """Deliver the next message, which makes a call, to a process that dies; the message is lost."""
    fuse = _Nth("after commit", 1) if when == "before the call" else _Nth("before commit", 2)
    with pytest.raises(Crash):
        scene.world.deliver(
            scene.world.bus.waiting.pop(0), scene.world.new_process(store=lambda store: CrashingStore(store, fuse))
        )


def broken_off(call: tuple[str, Any], when: When, **scene: Any) -> Scene:
    """A run whose process died while it made the call."""
    made = Scene(call, start=False, **scene)
    made.deliver()
    die(made, when)
    return made


def kill_undo(scene: Scene, when: When) -> None:
    """Ask for the undo; the process that calls the first inverse dies."""
    scene.world.process.runs.undo(scene.id, owner="ada")
    scene.deliver()
    die(scene, when)


def moves(scene: Scene) -> list[dict[str, Any]]:
    """What the undos of a run have told, oldest first."""
    journal = scene.world.process.runs.journal(scene.run, limit=1000).items
    entries = sorted((entry for entry in journal if entry.phase == "undo"), key=_number)
    return [event.data.value for entry in entries for event in entry.events]


def fates(scene: Scene) -> list[str]:
    """What became of each action in the last undo, newest effect first: ``reverted write``."""
    told = moves(scene)
    asked = max(index for index, move in enumerate(told) if move["how"] == "asked")
    return [f"{m['how']} {m['tool']}" for m in told[asked:] if m["how"] not in ("asked", "ordered", "claimed")]


def _number(entry: Entry) -> int:
    return int(entry.id.rpartition(".")[2])
