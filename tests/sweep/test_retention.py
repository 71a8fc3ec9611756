"""Closed runs, letters and orphaned chunks are deleted in time (retention.py)."""

from datetime import timedelta

import pytest
from msgspec.structs import replace

from entracte.agents import tool
from entracte.core.addresses import sealed_path
from entracte.core.runs.retention import RETENTION
from entracte.errors import Conflict
from entracte.ports.store import Create, Update
from entracte.runtime.engine.repository import CHUNK_DUE
from entracte.runtime.settings import read_settings
from entracte.runtime.upkeep import retention
from entracte.runtime.upkeep.letters import keep_letter
from entracte.runtime.upkeep.sweep import Sweep
from tests.gateway.counter import Counter
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


def of_run(world, run):
    """Paths of everything that a run has left, its session's apart."""
    return [path for path in world.documents() if run.id in path and not path.startswith("sessions/")]


def after_its_time(world):
    """The time of what is closed now is over."""
    world.clock.advance(seconds=(RETENTION + retention.GRACE).total_seconds())


def sweep_all(world):
    """As many sweeps as it takes to look at what is looked at in turn."""
    for _ in retention.IN_TURN:
        world.sweep()
        world.clock.advance(minutes=1)


def test_a_closed_run_is_deleted_with_all_that_belongs_to_it():
    """Frames, calls, journal, gates and chunks; nothing is left. The conversation has its own time."""
    world = a_world(Script([calls(("look_up", {}), ("wire", {})), "done"]), look_up, wire)
    run = world.ask("Go.")
    world.process.runs.cancel(run.id, owner="ada")
    world.settle()
    kinds = {path.split("/")[-2] for path in of_run(world, run)}
    assert kinds == {"runs", "frames", "actions", "journal", "chunks", "gates"}
    after_its_time(world)
    world.sweep()
    assert of_run(world, run) == []


def test_nothing_is_deleted_before_its_time():
    """Nor is an open run, ever."""
    world = a_world(Script([calls(("wire", {}))]), wire)
    waiting, closed = world.ask("Go.", key="1", session="1"), world.ask("Go.", key="2", session="2")
    world.process.runs.cancel(closed.id, owner="ada")
    world.settle()
    world.clock.advance(minutes=15)
    world.sweep()  # whether its gates say that it was cancelled
    world.clock.advance(seconds=RETENTION.total_seconds() - 15 * 60)
    before = world.documents()
    world.sweep()
    assert world.documents() == before
    world.clock.advance(days=1000)
    sweep_all(world)
    assert world.run(waiting.id).status == "waiting"
    assert [path for path in world.documents() if path.startswith("sessions/1")] != []


@pytest.mark.parametrize(
    ("given", "days"),
    [({}, RETENTION.days), ({"ENTRACTE_RETENTION_DAYS": "7"}, 7), ({"ENTRACTE_RETENTION_DAYS": "0"}, None),
     ({"ENTRACTE_RETENTION_DAYS": ""}, None)],
)  # fmt: skip
def test_a_deployment_says_for_how_long(given, days):
    """0 or nothing is for ever: silence deletes nothing."""
    retention = read_settings(given).retention
    assert (retention.days if retention is not None else None) == days


@pytest.mark.parametrize("how", ["answered", "cancelled", "undone"])
@pytest.mark.parametrize("kept", [None, timedelta(days=7), timedelta(days=90)])
def test_a_run_is_kept_as_long_as_the_deployment_says(kept, how):
    """However it closed."""
    world = a_world(Script([calls(("wire", {})) if how == "cancelled" else "done"]), wire)
    engine = world.process.engine
    engine.process = replace(engine.process, retention=kept)
    run = world.ask("Go.")
    if how == "cancelled":
        world.process.runs.cancel(run.id, owner="ada")
    if how == "undone":
        world.process.runs.undo(run.id, owner="ada")
    world.settle()
    world.clock.advance(seconds=((kept or timedelta(days=10_000)) - timedelta(minutes=1)).total_seconds())
    world.sweep()
    assert of_run(world, run) != []
    world.clock.advance(seconds=retention.GRACE.total_seconds() + 60)
    world.sweep()
    assert (of_run(world, run) == []) == (kept is not None)


def test_a_run_that_is_being_undone_is_kept():
    """Its undo was asked for in time."""
    world = a_world(Script(["done"]))
    run = world.ask("Go.")
    world.process.runs.undo(run.id, owner="ada")
    world.bus.waiting.clear()
    path = f"runs/{run.id}"
    world.store.commit([Update(path, {"due": None}, world.store.load([path])[path].version)])
    after_its_time(world)
    world.sweep()
    assert world.run(run.id).status == "undoing"


def test_a_run_whose_time_is_over_is_not_undone():
    """Its documents may be going at this moment."""
    world = a_world(Script(["done"]))
    run = world.ask("Go.")
    world.clock.advance(seconds=RETENTION.total_seconds())
    with pytest.raises(Conflict) as caught:
        world.process.runs.undo(run.id, owner="ada")
    assert caught.value.code == "run_expired"


def test_a_run_that_changes_while_it_is_deleted_is_left():
    """Each page is deleted on condition that the run is as it was found."""
    world = a_world(Script(["done"]))
    run = world.ask("Go.")
    after_its_time(world)
    path = f"runs/{run.id}"

    class Changing:
        def __init__(self, store):
            self.store = store

        def __getattr__(self, name):
            return getattr(self.store, name)

        def query(self, query):
            if query.collection == "frames" and query.parent:
                self.store.commit([Update(path, {"rev": 99}, self.store.load([path])[path].version)])
            return self.store.query(query)

    Sweep(world.new_process(store=Changing).engine, world.bus).run()
    assert {f"runs/{run.id}/frames/{run.id}", path} <= set(of_run(world, run))
    world.sweep()
    assert of_run(world, run) == []


def test_what_does_not_fit_into_a_sweeps_time_is_left_to_the_next():
    """Its pages are bounded, and so is its time."""
    world = a_world(Script(["done"]))
    runs = [world.ask("Go.", key=str(n), session=str(n)) for n in range(3)]
    after_its_time(world)

    class Slow:
        def __init__(self, store):
            self.store = store

        def __getattr__(self, name):
            return getattr(self.store, name)

        def commit(self, writes):
            world.clock.advance(minutes=5)
            return self.store.commit(writes)

    Sweep(world.new_process(store=Slow).engine, world.bus).run()
    left = [run for run in runs if of_run(world, run)]
    assert 0 < len(left) <= 3
    world.sweep()
    assert [run for run in runs if of_run(world, run)] == []


def test_one_sweep_deletes_all_whose_time_is_over():
    """However many there are, those behind a page of runs that cannot be read among them."""
    world = a_world(Script(["done"]))
    runs = [world.ask("Go.", key=f"{n}", session=f"{n}") for n in range(retention.RUNS_A_PAGE + 3)]
    for run in runs[: retention.RUNS_A_PAGE]:
        path = f"runs/{run.id}"
        world.store.commit([Update(path, {"schema_version": 2}, world.store.load([path])[path].version)])
    for n in range(retention.PAGE + 5):
        world.store.commit([Create(f"latest_calls/{n}", {"expires": world.clock.now()})])
    after_its_time(world)
    sweep_all(world)
    left = {path for path in world.documents() if path.startswith(("runs/", "latest_calls/")) and path.count("/") == 1}
    assert left == {f"runs/{run.id}" for run in runs[: retention.RUNS_A_PAGE]}


def test_chunks_of_a_run_that_never_came_to_be_are_deleted():
    """They are written before the commit that would have referred to them; others are left alone from then on."""
    world = a_world(Script([calls(("look_up", {})), "done"]), look_up)
    run = world.ask("Go.")
    chunks = [path for path in world.documents() if "/chunks/" in path]
    due = world.clock.now() + CHUNK_DUE
    orphans = [f"runs/gone/chunks/abc-{number}" for number in range(25)]
    world.store.commit([Create(path, {"schema_version": 1, "data": b"x", "due": due}) for path in orphans])
    world.sweep()
    assert {*orphans} <= {*world.documents()}
    world.clock.advance(seconds=CHUNK_DUE.total_seconds())
    world.sweep()
    left = {path: fields for path, fields in world.documents().items() if "/chunks/" in path}
    assert (sorted(left), [fields["due"] for fields in left.values()]) == (sorted(chunks), [None] * len(chunks))
    assert world.process.runs.actions(run)[0].result.value == LARGE


def test_a_letter_is_counted_and_deleted_in_time():
    """The same message twice is one letter."""
    world = a_world(Script(["done"]))
    repository = world.process.engine.repository
    for _ in range(2):
        keep_letter(
            repository,
            world.clock.now(),
            source="plan",
            body=b"{\xff",
            reason="Not a message.",
            kept_until=world.clock.now() + RETENTION,
        )
    (letter,) = [fields for path, fields in world.documents().items() if path.startswith("letters/")]
    assert (letter["count"], letter["body"], letter["source"]) == (2, "{\\xff", "plan")
    after_its_time(world)
    sweep_all(world)
    assert [path for path in world.documents() if path.startswith("letters/")] == []


def test_what_clients_asked_last_is_forgotten_in_time():
    """An equal call is a new one then."""
    counter = Counter()
    counter.ask("send", to="ada")
    after_its_time(counter.world)
    sweep_all(counter.world)
    assert [path for path in counter.world.documents() if path.startswith("latest_calls/")] == []


def test_a_large_paper_that_sessions_share_is_kept():
    """It lies on a shelf, which is no document itself."""
    world = a_world(Script(["done"]))
    shelf = world.process.open_shelf(world.ask("Go.").session, "ada")
    paper = shelf.create(key="k", title="Plan", text=LARGE, shared=True)
    world.clock.advance(seconds=CHUNK_DUE.total_seconds())
    for _ in range(2):
        world.sweep()
    assert shelf.get(paper.id).text == LARGE


def of_owner(world):
    """Paths of all that is kept of anybody."""
    return {path for path in world.documents() if path.split("/")[0] != "letters"}


def test_a_conversation_goes_after_its_last_run(store):
    """With what was said, what it knew, and the last that is kept of its owner."""
    world = a_world(Script(["done", "done"]), store=store)
    world.ask("Go.", key="1")
    world.clock.advance(days=20)
    world.ask("Go.", key="2")
    world.process.open_memories("ada").forget(world.process.open_memories("ada").remember(key="k", text="Tea.").id)
    world.store.commit([Create(sealed_path("ada", "email-abcdefghij"), {"schema_version": 1})])
    world.clock.advance(days=11)
    sweep_all(world)
    assert world.process.runs.session("session", owner="ada").turns == 4
    after_its_time(world)
    sweep_all(world)
    assert of_owner(world) == set()


def test_a_conversation_whose_run_is_open_is_looked_at_again_later():
    """Its time begins anew, so that it does not hide others."""
    world = a_world(Script([calls(("wire", {}))]), wire)
    run = world.ask("Go.")
    after_its_time(world)
    sweep_all(world)
    expires = world.documents()["sessions/session"]["expires"]
    assert world.clock.now() < expires <= world.clock.now() + RETENTION
    world.process.runs.cancel(run.id, owner="ada")
    world.settle()
    for _ in range(2):
        after_its_time(world)
        sweep_all(world)
    assert of_owner(world) == set()


def test_a_conversation_with_papers_on_its_desk_stays():
    """Until somebody has taken them away."""
    world = a_world(Script(["done"]))
    run = world.ask("Go.")
    shelf = world.process.open_shelf(run.session, "ada")
    paper = shelf.create(key="k", title="Plan", text=LARGE)
    for _ in range(2):
        after_its_time(world)
        sweep_all(world)
    assert (of_run(world, run), shelf.get(paper.id).text) == ([], LARGE)
    shelf.delete(paper.id)
    after_its_time(world)
    sweep_all(world)
    assert of_owner(world) == set()


def test_a_conversation_whose_state_was_changed_lately_stays():
    """Somebody means to go on with it."""
    world = a_world(Script(["done"]))
    run = world.ask("Go.")
    world.clock.advance(days=29)
    world.process.state.change(run.session, {}, owner="ada")
    world.clock.advance(days=2)
    sweep_all(world)
    assert (of_run(world, run), world.process.runs.session(run.session, owner="ada").turns) == ([], 2)


def test_a_conversation_that_goes_on_while_it_is_deleted_stays():
    """A run that was started in this moment has its session."""
    world = a_world(Script(["done", "done"]))
    world.ask("Go.", key="1")
    after_its_time(world)

    class Asking:
        def __init__(self, store):
            self.store = store
            self.asked = False

        def __getattr__(self, name):
            return getattr(self.store, name)

        def query(self, query):
            if query.collection == "turns" and not self.asked:
                self.asked = True
                world.ask("Go on.", key="2")
            return self.store.query(query)

    process = world.new_process(store=Asking)
    for _ in retention.IN_TURN:
        Sweep(process.engine, world.bus).run()
        world.clock.advance(minutes=1)
    session = world.process.runs.session("session", owner="ada")
    assert (session.turns, len(world.process.runs.list(owner="ada", limit=9).items)) == (4, 1)


@pytest.mark.parametrize("what", ["another conversation", "a memory", "a shared paper"])
def test_what_is_remembered_of_an_owner_outlives_their_conversations(what):
    """As long as there is anything of theirs."""
    world = a_world(Script([calls(("wire", {}))]), wire)
    run = world.ask("Go.", key="1")
    world.process.runs.cancel(run.id, owner="ada")
    if what == "another conversation":
        world.ask("Go.", key="2", session="other")
    elif what == "a memory":
        world.process.open_memories("ada").remember(key="k", text="Tea.")
    else:
        world.process.open_shelf(run.session, "ada").create(key="k", title="Plan", text=LARGE, shared=True)
    world.store.commit([Create(sealed_path("ada", "email-abcdefghij"), {"schema_version": 1})])
    after_its_time(world)
    sweep_all(world)
    assert "sessions/session" not in world.documents()
    assert sealed_path("ada", "email-abcdefghij") in world.documents()
