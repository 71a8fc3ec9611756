"""Networks that share a store go on with their own runs only (process.py, delivery.py, sweep.py)."""

import pytest

from entracte.agents import Agent, Network, tool
from entracte.errors import Conflict
from entracte.runtime.services.going_on import resume, retry
from entracte.runtime.upkeep.sweep import Sweep
from entracte.testing.world import World
from tests.runtime.scenes import MODEL, frame
from tests.runtime.script import Script, calls


@tool
def change() -> str:
    """Change something."""
    CALLED.append("ours")
    return "changed"


@tool(name="change")
def wipe() -> str:
    """Change something else."""
    CALLED.append("theirs")
    return "wiped"


CALLED: list[str] = []


@pytest.fixture(autouse=True)
def nothing_called() -> None:
    """Since before."""
    CALLED.clear()


def network(name, one, agent="desk"):
    """A network whose changes wait for a person."""
    return Network(entry=Agent(name=agent, prompt="You answer.", tools=[one]), models=MODEL, name=name)


def two(*plans, agent="desk", adopted=()):
    """Network a with a run that has been started, and network b on the same store."""
    ours = World(network("a", change), Script(plans))
    ours.process = ours.new_process(shares_store=True)
    run = ours.start("Go.")
    theirs = ours.again(network=network("b", wipe, agent), model=Script(["by b"]))
    theirs.process = theirs.new_process(shares_store=True, adopted=frozenset({run.id} if adopted else ()))
    return ours, theirs, run


def waiting():
    """The run of a waits for a person. Gives the gate as well."""
    ours, theirs, run = two(calls(("change", {})), "done")
    ours.settle()
    (gate,) = ours.process.gates.of_run(run.id)
    return ours, theirs, run, gate


def undoing(ours, run):
    """Its undo has begun, and the process has died."""
    ours.process.runs.undo(run.id, owner="ada")
    ours.bus.waiting.clear()


@pytest.mark.parametrize("agent", ["desk", "another"])
def test_what_another_network_left_stays_as_it_is_and_due(agent):
    """At the start, and however often sweep looks; its own network finds it, with no sweep counted."""
    ours, theirs, run = two("done", agent=agent)
    ours.bus.waiting.clear()
    ours.clock.advance(minutes=20)
    before = theirs.documents()
    released = Sweep(theirs.process.engine, theirs.bus).release(lambda name: True)
    swept = [theirs.sweep() for _ in range(8)]
    assert (released, swept, theirs.bus.waiting, theirs.documents()) == (0, [0] * 8, [], before)
    ours.sweep()
    ours.settle()
    assert (ours.run(run.id).status, ours.run(run.id).output.value) == ("succeeded", "done")


def test_a_message_of_another_networks_run_changes_nothing(caplog):
    """The last line of defence: it is taken, logged, and not asked for again."""
    ours, theirs, run = two("done")
    before = theirs.documents()
    (message,) = ours.bus.waiting
    assert theirs.deliver(message) == "left to the run's own network"
    assert (theirs.documents(), theirs.bus.waiting) == (before, [])
    assert [record.message for record in caplog.records] == [
        f"message_left kind=plan run_id={run.id} its run is another network's"
    ]
    ours.settle()
    assert ours.run(run.id).output.value == "done"


@pytest.mark.parametrize("decision", ["approve", "deny"])
def test_an_answer_given_to_another_network_is_recorded_and_the_run_goes_on_with_its_own(decision):
    """At once, without the quarter of an hour that a phase is given."""
    ours, theirs, run, gate = waiting()
    theirs.process.gates.decide(gate.id, decision, user="ada", via="python", operator=True)
    theirs.settle()
    theirs.sweep()
    theirs.settle()
    assert (CALLED, ours.run(run.id).status) == ([], "running")
    assert theirs.process.gates.get(gate.id, user="ada").status == {"approve": "approved", "deny": "denied"}[decision]
    ours.sweep()
    ours.settle()
    assert (CALLED, ours.run(run.id).output.value) == (["ours"] if decision == "approve" else [], "done")


def test_arguments_are_edited_by_their_own_network_only():
    """Nobody else knows what fits the tool."""
    ours, theirs, _, gate = waiting()
    before = ours.documents()
    with pytest.raises(Conflict, match="was made by network 'a'; this is 'b'"):
        theirs.process.gates.decide(
            gate.id, "approve", user="ada", via="python", operator=True, edited_arguments='{"x": 1}'
        )
    assert ours.documents() == before


@pytest.mark.parametrize(
    "go_on",
    [
        lambda process, run: process.runs.undo(run.id, owner="ada"),
        lambda process, run: resume(process.engine, run, by="ada"),
        lambda process, run: retry(process.engine, run, by="ada"),
    ],
    ids=["undo", "resume", "retry"],
)
def test_a_run_is_not_undone_nor_brought_on_by_another_network(go_on):
    """It has neither the tools nor the policy. Nothing is written."""
    ours, theirs, run, _ = waiting()
    before = ours.documents()
    with pytest.raises(Conflict) as refused:
        go_on(theirs.process, run)
    assert (refused.value.code, ours.documents()) == ("other_network", before)


def test_an_undo_that_was_left_is_not_brought_on_by_another_network():
    """Its calls would be made with tools that only have the same names."""
    ours, theirs, run, _ = waiting()
    undoing(ours, run)
    before = ours.documents()
    theirs.clock.advance(minutes=20)
    assert (theirs.sweep(), theirs.documents()) == (0, before)
    ours.sweep()
    ours.settle()
    assert ours.run(run.id).status == "undone"


def test_a_run_that_a_person_names_goes_on_with_the_network_they_name():
    """As after a module was renamed."""
    ours, theirs, run = two("done", adopted=["it"])
    ours.clock.advance(minutes=20)
    theirs.sweep()
    theirs.settle()
    assert theirs.run(run.id).output.value == "by b"


def test_a_deployment_goes_on_with_its_runs_under_a_new_name():
    """Its store is its own."""
    ours, theirs, run = two("done")
    theirs.process = theirs.new_process()
    ours.clock.advance(minutes=20)
    theirs.sweep()
    theirs.settle()
    assert theirs.run(run.id).output.value == "by b"


def test_networks_without_a_name_of_their_own_are_one():
    """As they have always been: nothing tells them apart."""
    ours = World(network("network", change), Script(["done"]))
    run = ours.start("Go.")
    later = ours.again(network=network("network", wipe), model=Script(["later"]))
    later.process = later.new_process(shares_store=True)
    later.clock.advance(minutes=20)
    later.sweep()
    later.settle()
    assert frame(later, run).ended and later.run(run.id).output.value == "later"
