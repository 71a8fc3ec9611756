"""An owner is erased: all of theirs, and nothing else (erasing.py)."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from datetime import timedelta

import pytest

from entracte.adapters.memory.store import MemoryStore
from entracte.agents import tool
from entracte.core.addresses import latest_call_path, live_path, sealed_path, spending_path
from entracte.core.documents.run import Run
from entracte.core.runs.starting import RunRequest
from entracte.errors import Conflict, InvalidInput
from entracte.ports.store import Create, Store, Update
from entracte.runtime.engine.process import LEASE_MARGIN
from entracte.runtime.upkeep.erasing import erase
from entracte.testing.crashing import Crash, CrashingStore, Fuse, each_death
from entracte.testing.world import World
from tests.runtime.scenes import a_world
from tests.runtime.script import Script, calls

LARGE = "x" * 700_000


@tool(effect="readonly")
def look_up() -> str:
    """Look something up."""
    return LARGE


@tool
def wire() -> str:
    """Wire money."""
    raise ConnectionResetError


def a_life(world: World, owner: str) -> None:
    """Of all that is ever kept of somebody, one or more. No run of theirs is open."""
    run = begin(world, owner)
    world.process.runs.cancel(run.id, owner=owner)
    world.settle()
    shelf = world.process.open_shelf(run.session, owner)
    shelf.create(key="k", title="Plan", text=LARGE)
    shelf.create(key="l", title="Style", text=LARGE, shared=True)
    world.process.open_memories(owner).remember(key="k", text="Likes tea.")
    (gate,) = world.process.gates.of_run(run.id)
    orphan = world.store.load([f"gates/{gate.id}"])[f"gates/{gate.id}"].fields
    now = world.clock.now()
    world.store.commit(
        [
            Create(f"gates/gone-{owner}.1.0.1", {**orphan, "run": f"gone-{owner}"}),
            Create(live_path(run.id, run.id), {"owner": owner, "at": now}),
            Create(latest_call_path(f"key-{owner}"), {"owner": owner, "at": now}),
            Create(sealed_path(owner, "pepper"), {"key": "k", "data": b"x"}),
            Create(spending_path(owner), {"owner": owner}),
        ]
    )


def begin(world: World, owner: str, key: str = "key") -> Run:
    """A run of theirs that waits for a person."""
    request = RunRequest(input={"message": "Go."}, session=f"{owner[:3]}-session")
    run = world.process.runs.start(request, owner=owner, idempotency_key=key)
    world.settle()
    return run


def two_lives(store: Store | None = None) -> tuple[World, set[str]]:
    """Ada's and Eve's; and the paths of what is Eve's."""
    world = a_world(Script([calls(("look_up", {}), ("wire", {}))]), look_up, wire, store=store)
    a_life(world, "eve@example.com")
    eves = set(world.documents())
    a_life(world, "ada@example.com")
    return world, eves


def kinds(paths: set[str]) -> Counter[str]:
    """How many of each collection."""
    return Counter(path.split("/")[-2] for path in paths)


def test_all_of_an_owner_goes_and_nothing_else(store: Store) -> None:
    """Whatever the capitals of the name. Counted first, which changes nothing; a second time there is nothing left."""
    world, eves = two_lives(store)
    before = world.documents()
    engine = world.process.engine
    looked = erase(engine, "Ada@Example.com", dry_run=True, by="ops")
    assert (looked.counts, looked.open, looked.complete) == (kinds(set(before) - eves), (), True)
    assert {*looked.counts} >= {"runs", "frames", "actions", "journal", "live", "gates", "sessions", "turns", "chunks"}
    assert {*looked.counts} >= {"artifacts", "items", "memories", "sealed", "latest_calls", "spending"}
    assert world.documents() == before
    gone = erase(engine, "ada@example.com", dry_run=False, by="ops")
    assert (gone.counts, gone.complete, set(world.documents())) == (looked.counts, True, eves)
    again = erase(engine, "ada@example.com", dry_run=False, by="ops")
    assert (again.counts.total(), again.complete, set(world.documents())) == (0, True, eves)


def test_a_process_that_dies_anywhere_leaves_what_the_next_one_finds() -> None:
    """Parts go before what they are found by."""
    store = MemoryStore()
    lived, eves = two_lives(store)

    def killed(fuse: Fuse) -> set[str]:
        world = lived.again(store=store.copy())
        doomed = world.new_process(store=lambda store: CrashingStore(store, fuse))
        with suppress(Crash):
            erase(doomed.engine, "ada@example.com", dry_run=False, by="ops")
        erase(world.process.engine, "ada@example.com", dry_run=False, by="ops")
        return set(world.documents())

    deaths = list(each_death(killed))
    assert len(deaths) > 20
    for where, left in deaths:
        assert left == eves, where


def test_an_owner_with_an_open_run_is_not_erased() -> None:
    """It could go on while its documents go. The refusal names it, and so does the look before."""
    world, _ = two_lives()
    run = begin(world, "ada@example.com", key="another")
    before = world.documents()
    with pytest.raises(Conflict) as caught:
        erase(world.process.engine, "ada@example.com", dry_run=False, by="ops")
    assert (caught.value.code, run.id in caught.value.message) == ("runs_open", True)
    assert erase(world.process.engine, "ada@example.com", dry_run=True, by="ops").open == (run.id,)
    assert world.documents() == before
    world.process.runs.undo(run.id, owner="ada@example.com")
    with pytest.raises(Conflict):
        erase(world.process.engine, "ada@example.com", dry_run=False, by="ops")


def test_a_call_under_way_is_waited_for() -> None:
    """What it does would be recorded nowhere. Once its lease must have ended, nobody is waited for."""
    world, eves = two_lives()
    path = next(p for p, f in world.documents().items() if "/actions/" in p and f["owner"] == "ada@example.com")
    world.store.commit([Update(path, {"status": "started"}, world.store.load([path])[path].version)])
    engine = world.process.engine
    with pytest.raises(Conflict, match="under way"):
        erase(engine, "ada@example.com", dry_run=False, by="ops")
    world.clock.advance(seconds=(engine.process.timeout + LEASE_MARGIN + timedelta(seconds=1)).total_seconds())
    erase(engine, "ada@example.com", dry_run=False, by="ops")
    assert set(world.documents()) == eves


def test_a_call_under_way_of_any_closed_run_is_waited_for() -> None:
    """However it has closed: what belongs to the run stays until then."""
    world, _ = two_lives()
    path = next(p for p, f in world.documents().items() if "/actions/" in p and f["owner"] == "ada@example.com")
    run = "/".join(path.split("/")[:2])
    for place, fields in ((path, {"status": "started"}), (run, {"status": "failed"})):
        world.store.commit([Update(place, fields, world.store.load([place])[place].version)])
    with pytest.raises(Conflict) as caught:
        erase(world.process.engine, "ada@example.com", dry_run=False, by="ops")
    assert (caught.value.code, {path, run} <= set(world.documents())) == ("owner_active", True)


def test_an_owner_who_begins_something_meanwhile_is_told_of() -> None:
    """Their new run keeps its conversation."""
    world, _ = two_lives()

    class Beginning:
        def __init__(self, store: Store) -> None:
            self.store = store
            self.begun = False

        def __getattr__(self, name: str) -> object:
            return getattr(self.store, name)

        def query(self, query):  # type: ignore[no-untyped-def]
            if query.collection == "turns" and not self.begun:
                self.begun = True
                begin(world, "ada@example.com", key="another")
            return self.store.query(query)

    process = world.new_process(store=Beginning)  # type: ignore[arg-type]
    with pytest.raises(Conflict) as caught:
        erase(process.engine, "ada@example.com", dry_run=False, by="ops")
    assert caught.value.code == "owner_active"
    assert world.process.runs.session("ada-session", owner="ada@example.com").turns > 0


def test_what_does_not_fit_into_a_requests_time_is_left_to_the_next() -> None:
    """Each deletes something, and says that there is more."""
    world, eves = two_lives()

    class Slow:
        def __init__(self, store: Store) -> None:
            self.store = store

        def __getattr__(self, name: str) -> object:
            return getattr(self.store, name)

        def commit(self, writes):  # type: ignore[no-untyped-def]
            world.clock.advance(seconds=15)
            return self.store.commit(writes)

    engine = world.new_process(store=Slow).engine  # type: ignore[arg-type]
    parts = []
    for _ in range(30):
        parts.append(erase(engine, "ada@example.com", dry_run=False, by="ops"))
        if parts[-1].complete:
            break
    assert set(world.documents()) == eves
    assert len(parts) > 3
    assert all(part.counts for part in parts[:-1])


def test_however_much_there_is_all_of_it_goes(store: Store) -> None:
    """More than a page of each kind of thing that is found by page."""
    world = a_world(Script(["done"]), store=store)
    owner, now = "ada", world.clock.now()
    wholes = [Create(f"runs/r{n}", {"owner": owner, "status": "failed", "created": now}) for n in range(45)]
    wholes += [Create(f"sessions/s{n}", {"owner": owner}) for n in range(45)]
    parts = [Create(f"runs/r1/journal/{n}", {}) for n in range(405)]
    parts += [Create(sealed_path(owner, f"email-{n}"), {}) for n in range(405)]
    for start in range(0, len(writes := [*wholes, *parts]), 100):
        store.commit(writes[start : start + 100])
    looked = erase(world.process.engine, owner, dry_run=True, by="ops")
    assert looked.counts == kinds({write.path for write in writes})
    assert erase(world.process.engine, owner, dry_run=False, by="ops").counts == looked.counts
    assert world.documents() == {}


def test_nobody_is_nobody() -> None:
    """An empty name is no owner of everything."""
    world, _ = two_lives()
    with pytest.raises(InvalidInput):
        erase(world.process.engine, " ", dry_run=False, by="ops")
