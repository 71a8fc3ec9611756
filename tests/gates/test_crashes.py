"""A process that dies between any two moves of a run that waits for a person: nothing is lost, nothing done twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from entracte.core.documents.gate import Gate
from entracte.runtime.compose import Runtime
from entracte.testing.crashing import AmbiguousStore, Crash, Fuse, each_death
from entracte.testing.simulation.sameness import comparable
from tests.gates.scene import SEND, Scene
from tests.gates.shop import Shop

WANTED = (("write", {"id": 1, "plan": "Pro"}), ("send", {"to": "ada"}), ("send", {"to": "bob"}))
WORDS = {"ada": "approve", "bob": "deny"}
Wrapped = Callable[[Scene, Fuse], Runtime]


def crashing(scene: Scene, fuse: Fuse) -> Runtime:
    """A process that dies when the fuse blows."""
    return scene.world.dying(fuse)


def ambiguous(scene: Scene, fuse: Fuse) -> Runtime:
    """A process that is left without an answer to a commit that went through."""
    return scene.world.new_process(store=lambda s: AmbiguousStore(s, fuse))


def run_with(scene: Scene, process: Runtime | None) -> None:
    """Deliver with a process that may die, and answer each gate once, when nothing moves and people know of it.

    What was not acknowledged is delivered again, to another process. An answer is a message like any other.
    """
    answered: set[str] = set()
    while True:
        process = scene.world.settle(process)
        known = [gate for gate in scene.open if gate.z.announced and gate.z.kind == "approval"]
        new = [gate for gate in known if gate.id not in answered]
        if not new:
            return
        answered |= {gate.id for gate in new}
        scene.world.bus.publish([scene.message(_word(gate), f"answer to {gate.id}", gate=gate) for gate in new])


def _word(gate: Gate) -> str:
    return WORDS[gate.z.arguments.value["to"]]


def heal(scene: Scene, process: Runtime) -> None:
    """What time brings: leases end, sweep looks at what is due; and whoever has not been heard yet is asked."""
    for _ in range(5):
        scene.world.clock.advance(minutes=20)
        scene.world.sweep()
        run_with(scene, process)


def a_scene(*, idempotent: bool) -> Scene:
    """A change, a mail that will be approved and one that will be denied."""
    return Scene(*WANTED, shop=Shop(idempotent=idempotent), start=False)


def every_point(wrapped: Wrapped, *, idempotent: bool) -> Iterator[tuple[str, Scene]]:
    """The scene after a crash at each point in turn, and what time made of it."""

    def killed(fuse: Fuse) -> Scene:
        scene = a_scene(idempotent=idempotent)
        run_with(scene, wrapped(scene, fuse))
        heal(scene, scene.world.process)
        return scene

    return each_death(killed)


def final(scene: Scene) -> dict[str, Any]:
    """The documents without what may differ: for how long the run was parked among it."""
    documents = comparable(scene.world.documents())
    return {path: {k: v for k, v in fields.items() if k != "parked_ms"} for path, fields in documents.items()}


@pytest.fixture(scope="module")
def undisturbed() -> dict[str, Any]:
    """The documents of a run in which nothing went wrong."""
    scene = a_scene(idempotent=True)
    run_with(scene, scene.world.process)
    assert (scene.status, scene.statuses) == ("succeeded", ["applied", "applied", "denied"])
    return final(scene)


@pytest.mark.parametrize("wrapped", [crashing, ambiguous])
def test_a_crash_at_any_point_leaves_the_same_documents_where_tools_honour_the_key(
    undisturbed: dict[str, Any], wrapped: Wrapped
) -> None:
    """One change, one mail, one denial, one gate each; whichever move was the last."""
    points = 0
    for where, scene in every_point(wrapped, idempotent=True):
        assert final(scene) == undisturbed, where
        assert scene.shop.done == [("write", {"id": 1, "plan": "Pro"}), ("send", "ada")], where
        points += 1
    assert points > 30


def test_a_crash_never_repeats_a_call_that_does_not_honour_the_key() -> None:
    """Killed between effect and record it is in doubt, and asked: the gates it had before stay what they were."""
    doubts = 0
    for where, scene in every_point(crashing, idempotent=False):
        assert max(scene.shop.keys.values()) == 1, where
        unknown = scene.statuses.count("unknown")
        assert [gate.z.kind for gate in scene.open] == ["in_doubt"] * unknown, where
        assert scene.status == ("waiting" if unknown else "succeeded"), where
        assert ("send", "bob") not in scene.shop.done, where
        doubts += unknown
    assert doubts >= 2, "neither the change nor the mail was ever in doubt: the test tests nothing"


class AfterCommit(Fuse):
    """Blows after the first commit."""

    def point(self, name: str) -> None:
        if name == "after commit":
            raise Crash(name)


@pytest.mark.parametrize("close", ["cancel", "undo"])
def test_gates_close_although_whoever_closed_their_run_died_before_they_were_told(close: str) -> None:
    """Sweep tells them; whoever asked for it need not come again."""
    scene = Scene(SEND)
    with pytest.raises(Crash, match="after commit"):
        getattr(crashing(scene, AfterCommit()).runs, close)(scene.id, owner="ada")
    waiting = len(scene.open)
    scene.world.clock.advance(minutes=16)
    for _ in range(3):
        scene.world.sweep()
        scene.settle()
        scene.world.clock.advance(minutes=16)
    assert (waiting, [gate.status for gate in scene.gates]) == (1, ["cancelled"])
    assert (scene.status, scene.statuses, scene.due()) == (
        "cancelled" if close == "cancel" else "undone",
        ["cancelled"],
        {},
    )
