"""A stalled run goes on (resuming.py, stalling.py, going_on.py)."""

import pytest

from entracte.agents import Agent, Budget, tool
from entracte.core.due import PHASE_DUE
from entracte.core.frames.stalling import stall
from entracte.errors import Conflict
from entracte.runtime.engine.giving_up import give_up
from entracte.runtime.services.going_on import resume
from tests.runtime.scenes import a_world, actions, events, frame
from tests.runtime.script import Script, calls, judging

LOOK = calls(("look_up", {}))


@tool(effect="readonly")
def look_up() -> str:
    """Look something up."""
    return "found"


def stalled(model, *tools, after=0, **network):
    """A world and a run that stalled at its first message but `after`."""
    world = a_world(model, *tools, **network)
    run = world.start("Go.")
    for _ in range(after):
        world.deliver(world.bus.waiting.pop(0))
    for message in [world.bus.waiting.pop(0)]:
        give_up(world.process.engine, message, "It broke.")
    world.settle()
    return world, world.run(run.id)


def resumed(world, run):
    """The run, once it was resumed and has settled."""
    resume(world.process.engine, run, by="ada")
    world.settle()
    return world.run(run.id)


@pytest.mark.parametrize("after", range(4))
def test_a_stalled_run_goes_on_where_it_stood(after):
    """Whether it stalled at a plan, at a call or at an evaluate; nothing is done twice."""
    world, run = stalled(Script([LOOK, "done"], evaluate=[judging({"facts": ["f"]})]), look_up, after=after)
    assert (run.status, run.error) == ("stalled", "It broke.")
    ended = resumed(world, run)
    assert (ended.status, ended.error, ended.stalled, ended.output.value) == ("succeeded", "", (), "done")
    assert [action.attempt for action in actions(world, run)] == [1]


def test_who_resumed_it_is_in_the_journal():
    """Beside the frames that it brought forward."""
    world, run = stalled(Script(["done"]))
    resumed(world, run)
    (event,) = events(world, run, "run.resumed")
    assert event.data == {"how": "resume", "by": "ada", "frames": [run.id]}


def test_time_spent_stalled_is_not_the_runs_own():
    """A month later it has as much left as before."""
    world, run = stalled(Script(["done"]), budget=Budget(wall_s=60))
    world.clock.advance(days=30)
    assert resumed(world, run).status == "succeeded"


def test_only_a_stalled_run_is_resumed():
    """What moves needs no help, what has ended is retried or forked."""
    world = a_world(Script(["done"]))
    run = world.start("Go.")
    with pytest.raises(Conflict, match=f"Run {run.id} is queued, not stalled") as caught:
        resume(world.process.engine, run, by="ada")
    assert caught.value.code == "not_stalled"


def test_what_is_sent_when_it_is_resumed_may_be_lost():
    """Its frames are due: sweep finds them."""
    world, run = stalled(Script([LOOK, "done"]), look_up, after=1)
    resume(world.process.engine, run, by="ada")
    world.bus.waiting.clear()
    world.clock.advance(seconds=PHASE_DUE.total_seconds())
    world.sweep()
    world.settle()
    assert world.run(run.id).status == "succeeded"


def test_a_stalled_sub_agent_is_resumed_and_its_caller_with_it():
    """Both waited for one person."""
    clerk = Agent(name="clerk", prompt="You note.", light=True)
    world = a_world(Script({"desk": [calls(("clerk", {"message": "x"})), "done"], "clerk": ["noted"]}), agents=[clerk])
    run = world.start("Go.")
    for _ in range(2):
        world.deliver(world.bus.waiting.pop(0))
    give_up(world.process.engine, world.bus.waiting.pop(0), "It broke.")
    world.clock.advance(hours=1)
    world.sweep()  # the caller sees that its call waits
    world.settle()
    run = world.run(run.id)
    assert (run.status, run.stalled, frame(world, run).due) == ("stalled", (f"{run.id}.1.0",), None)
    resume(world.process.engine, run, by="ada")
    assert frame(world, run).due is not None
    world.settle()
    assert world.run(run.id).status == "succeeded"


def test_a_late_message_brings_the_run_out_of_its_stall_at_once():
    """Not only when it ends: whoever looks meanwhile sees that it moves."""
    world = a_world(Script([LOOK, "done"]), look_up)
    run = world.start("Go.")
    (late,) = world.bus.waiting
    give_up(world.process.engine, late, "It broke.")
    world.deliver(world.bus.waiting.pop(0))
    moving = world.run(run.id)
    assert (moving.status, moving.error, moving.stalled) == ("running", "", ())
    assert [event.data["how"] for event in events(world, run, "run.resumed")] == ["message"]


def test_one_frame_that_moves_again_does_not_hide_another_that_stalls():
    """The run counts as stalled until the last of them moves."""
    clerks = [Agent(name=name, prompt="You note.", light=True) for name in ("ann", "bob")]
    wanted = calls(*((clerk.name, {"message": "x"}) for clerk in clerks))
    world = a_world(Script({"desk": [wanted, "done"], "ann": ["ok"], "bob": ["ok"]}), agents=clerks)
    run = world.start("Go.")
    for _ in range(3):
        world.deliver(world.bus.waiting.pop(0))
    late = list(world.bus.waiting)
    for message in late:
        give_up(world.process.engine, message, "It broke.")
    assert [message.kind for message in late] == ["plan", "plan"]
    world.bus.waiting.clear()
    world.deliver(late[0])
    assert world.run(run.id).status == "stalled"
    assert world.run(run.id).stalled == (late[1].frame,)
    world.settle()
    assert resumed(world, world.run(run.id)).status == "succeeded"


def test_a_childs_end_that_comes_late_counts_no_longer_as_stalled():
    """Its caller has taken it after all."""
    clerk = Agent(name="clerk", prompt="You note.", light=True)
    world = a_world(Script({"desk": [calls(("clerk", {"message": "x"})), "done"], "clerk": ["noted"]}), agents=[clerk])
    run = world.start("Go.")
    for _ in range(3):
        world.deliver(world.bus.waiting.pop(0))
    (late,) = world.bus.waiting
    child = f"{run.id}.1.0"
    ended = frame(world, run, child)
    paths = (f"runs/{run.id}", f"runs/{run.id}/frames/{child}")
    world.process.engine.apply(paths, lambda s: stall(s, world.run(run.id), ended, reason="It broke."))
    assert world.run(run.id).stalled == (child,)
    world.settle()
    assert (late.kind, world.run(run.id).status, world.run(run.id).stalled) == ("execute", "succeeded", ())
