"""A network in this process (runtime/local/embedded.py, runtime/engine/workers.py)."""

import os
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from threading import Event, Thread

import pytest
import stamina

from entracte.adapters.memory.store import MemoryStore
from entracte.adapters.sqlite.store import SqliteStore
from entracte.adapters.system.clock import SystemClock
from entracte.adapters.system.secrets import EnvironmentSecrets
from entracte.agents import UNGATED, Agent, Network, tool
from entracte.core.modelling import ModelReply
from entracte.core.runs.starting import RunRequest
from entracte.errors import (
    EntracteError,
    InvalidInput,
    ModelUnavailable,
    NotFound,
    RunFailed,
    RunWaiting,
    StoreUnavailable,
)
from entracte.runtime.compose import compose
from entracte.runtime.engine.workers import is_dead, worker_name
from entracte.runtime.local import local_bus
from entracte.runtime.local.embedded import Embedded
from entracte.runtime.local.local_bus import LocalBus
from entracte.testing.bus import HeldBus
from tests.runtime.scenes import MODEL
from tests.runtime.script import Script, calls, judging

WAIT_S = 20


@tool(effect="readonly")
def look() -> str:
    """Look."""
    return "seen"


@tool
def change() -> str:
    """Change something."""
    raise ConnectionResetError


NETWORK = Network(entry=Agent(name="desk", prompt="You answer.", tools=[look, change]), models=MODEL, policy=UNGATED)


def on(store, bus, model, *, worker, observers=()):
    """The network on a store and a bus, as a process of that name would have it."""
    return compose(
        NETWORK,
        store=store,
        bus=bus,
        clock=SystemClock(),
        secrets_port=EnvironmentSecrets({}),
        worker=worker,
        open_model=lambda name: model,
        observers=observers,
    )


@contextmanager
def embedded(*plans, store=None, **lines):
    """The network with this model, closed in the end."""
    bus = LocalBus()
    opened = Embedded(on(store or MemoryStore(), bus, Script(plans, **lines), worker=worker_name()), bus, owner="ada")
    yield opened
    opened.close()


def test_a_run_goes_on_in_the_background_until_it_has_an_answer():
    """With the state that it left in its session."""
    with embedded(calls(("look", {})), "done", evaluate=[judging({"facts": ["blue"]})]) as network:
        run = network.wait(network.start("Go.", metadata={"ticket": "T-7"}).id, timeout_s=WAIT_S)
        assert (run.status, run.stop_reason, run.text, run.output) == ("succeeded", "answered", "done", "done")
        assert run.state == {"facts": [{"id": "F_001", "text": "blue"}]}
        assert (run.data["metadata"], run.usage["model_calls"]) == ({"ticket": "T-7"}, 4)
        assert run.raise_for_status() is run


def test_waiting_ends_with_the_time():
    """The run goes on."""
    go_on = Event()

    def slow(request):
        go_on.wait(WAIT_S)
        return ModelReply(value="done")

    with embedded(slow) as network:
        run = network.start("Go.")
        assert network.wait(run.id, timeout_s=0.01).status in ("queued", "running")
        go_on.set()
        assert network.wait(run.id, timeout_s=WAIT_S).text == "done"


def test_waiting_ends_when_a_person_is_awaited():
    """With the status that says so."""
    with embedded(calls(("change", {}))) as network:
        run = network.wait(network.start("Go.").id, timeout_s=WAIT_S)
        assert run.status == "waiting"
        with pytest.raises(RunWaiting, match=f"Run {run.id} is waiting"):
            run.raise_for_status()


def test_papers_are_put_on_a_sessions_desk_and_taken_off_it():
    """By title or id; only in a session of one's own."""
    with embedded("done") as network:
        desk = network.artifacts(network.wait(network.start("Go.").id, timeout_s=WAIT_S).session)
        made = desk.create(title="Outline", content="One.", tags=["draft"])
        assert desk.change("Outline", content="Two.", version=made["version"])["content"] == "Two."
        assert [paper["title"] for paper in desk.list(tag="draft")] == ["Outline"]
        assert (desk.delete(made["id"])["content"], desk.list()) == ("Two.", ())
        with pytest.raises(NotFound):
            network.artifacts("somebody-elses")


def test_an_overloaded_model_is_waited_for(monkeypatch):
    """The run says so, and goes on by itself when the model answers again."""
    monkeypatch.setattr(local_bus, "RETRY_PAUSES_S", (0,))
    overloaded = [ModelUnavailable("The model is overloaded.")] * 50
    with embedded("done", interpret=[*overloaded, {"goals": [], "tasks": []}]) as network:
        run = network.wait(network.start("Go.").id, timeout_s=WAIT_S)
        assert (run.status, run.text) == ("succeeded", "done")
        told = [event["data"]["message"] for event in network.events(run.id) if event["type"] == "error"]
        assert told == ["Tried again later: The model is overloaded."]


def test_a_message_that_always_comes_back_stalls_its_run_with_the_reason(monkeypatch):
    """Instead of trying in silence."""
    monkeypatch.setattr(local_bus, "RETRY_PAUSES_S", (0, 0, 0))
    monkeypatch.setattr(local_bus, "MAX_DELIVERIES", 4)
    with embedded(interpret=[ModelUnavailable("The model is overloaded.")]) as network:
        run = network.wait(network.start("Go.").id, timeout_s=WAIT_S)
        assert (run.status, run.error) == ("stalled", "The model is overloaded.")
        with pytest.raises(RunWaiting, match=r"is stalled\. The model is overloaded\."):
            run.raise_for_status()


@pytest.mark.parametrize("leave", [Embedded.wait, lambda network, run, **_: list(network.events(run))])
def test_who_waits_is_told_that_the_disk_is_full_and_the_run_goes_on_once_it_is_not(leave, tmp_path, monkeypatch):
    """After a few tries, not after hours; the run is left as it is, since nothing can be written about it either."""
    monkeypatch.setattr(local_bus, "RETRY_PAUSES_S", (0,))
    file = tmp_path / "store.db"
    store = SqliteStore(file)

    def fill(request):
        store._connections._writer.execute("PRAGMA max_page_count = 1")  # as many as there are: SQLITE_FULL
        return ModelReply(value="long " * 50_000)

    with embedded(fill, store=store) as network:
        run = network.start("Go.").id
        with pytest.raises(EntracteError, match=r"store\.db .*: database or disk is full\."):
            leave(network, run, timeout_s=WAIT_S)
        assert network.runs.get(run, owner="ada").status == "running"
    with embedded("done", store=SqliteStore(file)) as network:
        assert network.wait(run, timeout_s=WAIT_S).text == "done"


def test_who_waits_is_told_when_sweep_after_sweep_finds_the_store_failing(monkeypatch):
    """A call whose end could not be written is left to sweep; once that can write again, waiting goes on."""
    monkeypatch.setattr("entracte.runtime.local.embedded.SWEEP_EVERY_S", 0.01)
    go_on, is_full = Event(), Event()

    class Full(MemoryStore):
        def query(self, query):
            if is_full.is_set():
                raise StoreUnavailable("The disk is full.")
            return super().query(query)

    def slow(request):
        go_on.wait(WAIT_S)
        return ModelReply(value="done")

    with embedded(slow, store=Full()) as network:
        run = network.start("Go.").id
        is_full.set()
        with pytest.raises(StoreUnavailable, match=r"The disk is full\."):
            network.wait(run, timeout_s=WAIT_S)
        is_full.clear()
        go_on.set()
        for attempt in stamina.retry_context(on=StoreUnavailable, attempts=50, wait_initial=0.05, wait_max=0.1):
            with attempt:
                assert network.wait(run, timeout_s=WAIT_S).text == "done"


def test_a_run_that_failed_says_why():
    """When it is asked to."""
    from entracte.errors import ModelRefused

    with embedded(ModelRefused("No such model.")) as network:
        run = network.wait(network.start("Go.").id, timeout_s=WAIT_S)
        with pytest.raises(RunFailed, match=rf"Run {run.id} is failed \(error\)\. No such model\."):
            run.raise_for_status()


def test_several_runs_are_worked_on_at_once():
    """Each waiter gets its own."""
    with embedded(calls(("look", {})), "done") as network:
        runs = [network.start(f"Question {n}") for n in range(5)]
        assert {network.wait(run.id, timeout_s=WAIT_S).status for run in runs} == {"succeeded"}


def test_the_state_of_a_session_can_be_read_changed_and_forgotten():
    """Item by item; what is refused is said, and nothing of that diff applied."""
    with embedded("done") as network:
        network.wait(network.start("Hello.", session="s").id, timeout_s=WAIT_S)
        assert network.load_state("s", {"facts": ["a", "b"]})["facts"][1] == {"id": "F_002", "text": "b"}
        for bad in ({"facts": ["c", 7]}, {"goals": "local"}, "facts"):
            with pytest.raises(InvalidInput, match="State not changed"):
                network.load_state("s", bad)
        assert [item["text"] for item in network.get_state("s")["facts"]] == ["a", "b"]
        network.reset_state("s")
        assert not any(network.get_state("s").values())
        assert network.load_state("s", {"facts": "c"})["facts"] == [{"id": "F_003", "text": "c"}]
        with pytest.raises(NotFound):
            network.get_state("nobody's")


def a_dead_worker():
    """Name of a worker whose process has ended."""
    boot = worker_name().split(":")[1]
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        pid = process.pid
    return f"local:{boot}:{pid}:0a1b2c3d"


def test_what_a_dead_process_left_is_picked_up_when_the_store_is_opened(tmp_path):
    """Not a quarter of an hour later."""
    file = tmp_path / "store.db"
    store = SqliteStore(file)
    left = on(store, HeldBus(), Script(["never"]), worker=a_dead_worker())
    run = left.runs.start(RunRequest(input={"message": "Go."}), owner="ada")
    left.close()
    with embedded("done", store=SqliteStore(file)) as network:
        assert network.wait(run.id, timeout_s=WAIT_S).text == "done"


def test_what_a_living_process_works_on_is_left_to_it(tmp_path):
    """Two programs may have the same store open."""
    store = SqliteStore(tmp_path / "store.db")
    left = on(store, HeldBus(), Script(["never"]), worker=f"local:{worker_name().split(':')[1]}:{os.getppid()}:x")
    run = left.runs.start(RunRequest(input={"message": "Go."}), owner="ada")
    with embedded("done", store=store) as network:
        assert network.wait(run.id, timeout_s=0.05).status == "queued"


def test_who_is_dead():
    """Certainly ended, or of an earlier boot, or a process id that is ours now; in doubt, nobody."""
    own = worker_name()
    boot = own.split(":")[1]
    assert is_dead(a_dead_worker(), own=own)
    assert is_dead("local:00000000:1:x", own=own)
    assert is_dead(f"local:{boot}:{os.getpid()}:x", own=own)
    assert not is_dead(own, own=own)
    assert not is_dead(f"local:{boot}:{os.getppid()}:x", own=own)
    assert not is_dead(f"local:{boot}:1:x", own=own)
    assert not is_dead("cloud:0123456789abcdef", own=own)
    assert not is_dead(f"local:{boot}:many:x", own=own)


def test_no_two_workers_have_the_same_name():
    """Within a process either."""
    assert len({worker_name() for _ in range(100)}) == 100


def test_closing_twice_is_no_error():
    """At exit everything is closed once more."""
    with embedded("done") as network:
        network.close()


def test_a_run_is_told_as_it_happens_to_whoever_asks_for_a_stream():
    """Each event of the journal once and in order, with what is written in between, as it comes."""
    from entracte.core.modelling import Delta
    from entracte.runtime.watching.listening import Listening

    is_watched = Event()

    class Writing(Script):
        def generate(self, request, *, deadline_s, on_delta=None):
            assert is_watched.wait(WAIT_S)
            if on_delta is not None and request.purpose == "plan":
                on_delta(Delta("text", "do"))
                on_delta(Delta("text", "ne"))
            return super().generate(request, deadline_s=deadline_s)

    listening, bus, model = Listening(), LocalBus(), Writing([calls(("look", {})), "done"])
    runtime = on(MemoryStore(), bus, model, worker=worker_name(), observers=[listening])
    opened = Embedded(runtime, bus, owner="ada", listening=listening)
    told = opened.events(opened.start("Go.").id)
    first = next(told)
    is_watched.set()
    events = [first, *told]
    opened.close()
    kept = [event["type"] for event in events if event["type"] not in ("model.delta", "thought")]
    assert kept == ["run.started", "plan.ready", "tool.called", "tool.result", "run.ended"]
    assert [event["data"]["text"] for event in events if event["type"] == "model.delta"] == ["do", "ne"] * 2
    assert listening.deltas is False


def test_listeners_that_come_and_go_at_the_same_moment_leave_nobody_behind():
    """Or models would be asked for streams, and pieces kept, for somebody who has gone."""
    from entracte.runtime.watching.listening import Listening

    listening = Listening()

    def come_and_go(run):
        for _ in range(5000):
            with listening.to(run):
                pass

    threads = [Thread(target=come_and_go, args=(f"run {number}",)) for number in range(4)]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ExitStack() as staying:  # many, so that coming and going takes a moment
            for number in range(100):
                staying.enter_context(listening.to(f"run {number}"))
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
    finally:
        sys.setswitchinterval(before)
    assert listening.deltas is False


def test_a_stream_ends_where_a_person_is_awaited():
    """And goes on to the end for whoever wants to wait."""
    with embedded(calls(("change", {}))) as network:
        run = network.start("Go.")
        told = list(network.events(run.id))
        assert [event["type"] for event in told][-1] == "run.waiting"
        assert network.runs.get(run.id, owner="ada").status == "waiting"
