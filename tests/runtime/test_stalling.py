"""What nothing brings forward is stalled, visibly (stalling.py, sweep.py)."""

from entracte.agents import Agent, Budget, tool
from entracte.core.due import PHASE_DUE
from entracte.runtime.upkeep.sweep import MAX_SWEEPS
from tests.runtime.scenes import a_world, actions, events, frame
from tests.runtime.script import Script, calls


@tool(effect="readonly")
def look_up() -> str:
    """Look something up."""
    return "found"


PATIENT = Budget(wall_s=10**9)
REASON = f"Nothing has moved it after {MAX_SWEEPS} tries."


def swept_in_vain(world, *, lost=lambda message: True):
    """Sweep until nothing is due any more, while messages get lost; gives the hours that it took."""
    hours = 0
    while due(world) and hours < 100:
        world.clock.advance(hours=1)
        hours += 1
        world.sweep()
        waiting, world.bus.waiting = world.bus.waiting, []
        for message in waiting:
            if not lost(message):
                world.deliver(message)
    return hours


def due(world):
    """Paths of everything that sweep will look at."""
    return [path for path, fields in world.documents().items() if fields.get("due") is not None]


def test_the_pauses_between_sweeps_grow():
    """What does not move is looked at less and less often."""
    world = a_world(Script(["done"]))
    run = world.start("Go.")
    pauses = []
    for _ in range(MAX_SWEEPS):
        world.clock.advance(days=1)
        world.sweep()
        pauses.append((frame(world, run).due - world.clock.now()) / PHASE_DUE)
    assert pauses == [2, 4, 8, 16, 32, 32]


def test_what_nothing_moves_is_stalled_with_the_reason():
    """Visibly: on the run and in its journal; and it costs sweep nothing from then on."""
    world = a_world(Script(["done"]))
    run = world.start("Go.")
    hours = swept_in_vain(world)
    stalled = world.run(run.id)
    assert (stalled.status, stalled.error) == ("stalled", REASON)
    assert frame(world, run).error == REASON
    assert [event.data["message"] for event in events(world, run, "error")] == [REASON]
    assert (due(world), 12 < hours < 36) == ([], True)
    world.clock.advance(days=9)
    assert world.sweep() == 0


def test_a_move_forgives_the_sweeps_before_it():
    """Only tries in a row count."""
    world = a_world(Script([calls(("look_up", {})), "done"]), look_up, budget=PATIENT)
    run = world.start("Go.")
    for _ in range(MAX_SWEEPS):
        world.clock.advance(days=1)
        world.bus.waiting.clear()
        world.sweep()
    world.deliver(world.bus.waiting.pop(0))
    assert frame(world, run).sweeps == 0


def test_a_run_that_stalled_goes_on_when_its_message_comes_after_all():
    """Late is better than never; and it ends as it should."""
    world = a_world(Script([calls(("look_up", {})), "done"]), look_up, budget=PATIENT)
    run = world.start("Go.")
    (late,) = world.bus.waiting
    swept_in_vain(world)
    world.deliver(late)
    world.settle()
    ended = world.run(run.id)
    assert (ended.status, ended.error, due(world)) == ("succeeded", "", [])


def test_a_stalled_child_keeps_its_run_stalled_while_others_end():
    """What one frame waits for is not hidden by another that goes on."""
    clerks = [Agent(name=name, prompt="You note.", light=True) for name in ("ann", "bob")]
    wanted = calls(*((clerk.name, {"message": "x"}) for clerk in clerks))
    world = a_world(Script({"desk": [wanted, "done"], "ann": ["ok"], "bob": ["ok"]}), agents=clerks, budget=PATIENT)
    run = world.start("Go.")
    lost = f"{run.id}.1.0"
    swept_in_vain(world, lost=lambda message: message.frame == lost)
    assert [action.status for action in actions(world, run)] == ["started", "applied"]
    stalled = world.run(run.id)
    assert (stalled.status, stalled.error, due(world)) == ("stalled", REASON, [])


def test_a_child_whose_end_reaches_nobody_stalls_its_run():
    """The parent's turn fails each time; that is seen too."""
    clerk = Agent(name="clerk", prompt="You note.", light=True)
    model = Script({"desk": [calls(("clerk", {"message": "x"})), "done"], "clerk": ["noted"]})
    world = a_world(model, agents=[clerk])
    run = world.start("Go.")
    swept_in_vain(world, lost=lambda message: frame_has_ended(world, run))
    stalled = world.run(run.id)
    assert (stalled.status, stalled.error, due(world)) == ("stalled", REASON, [])


def frame_has_ended(world, run):
    """Whether the child's frame has."""
    frames = world.process.runs.frames(run)
    return any(frame.ended for frame in frames)


def test_what_a_closed_run_has_left_due_is_swept_once():
    """However often it was swept before."""
    for sweeps in (0, MAX_SWEEPS):
        world = a_world(Script(["done"]))
        run = world.start("Go.")
        for _ in range(sweeps):
            world.clock.advance(days=1)
            world.sweep()
        world.process.runs.cancel(run.id, owner="ada")
        world.clock.advance(days=1)
        world.sweep()
        assert due(world) == []
        assert world.run(run.id).status == "cancelled"
