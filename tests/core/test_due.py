"""What the documents call for next (due.py)."""

from datetime import timedelta

import pytest
from hypothesis import given, strategies as st

from entracte.core.due import after_end, due_messages, frame_of, only_people_awaited, startable
from entracte.core.messages import Message
from tests.core.builders import NOW, a_frame, a_lease, an_action


def step_of(*calls):
    """Actions from ``status effect`` or ``status agent``, in index order."""
    actions = []
    for index, call in enumerate(calls):
        status, what = call.split()
        kind = {"kind": "agent"} if what == "agent" else {"effect": what}
        actions.append(an_action(index, calls=len(calls), status=status, **kind))
    return tuple(actions)


def indexes(actions):
    """Which calls of the step they are."""
    return [action.index for action in actions]


def execute(*indexes):
    """A message for each of these calls."""
    return tuple(Message(kind="execute", run="r", session="s", action=f"r.1.{index}") for index in indexes)


EVALUATE = (Message(kind="evaluate", run="r", session="s", frame="r", step=1, calls=2),)
NEXT_PLAN = (Message(kind="plan", run="r", session="s", frame="r", step=2, calls=2),)


@pytest.mark.parametrize(
    ("calls", "ready"),
    [
        (["proposed readonly", "proposed agent", "proposed readonly"], [0, 1, 2]),
        (["proposed changing", "proposed changing", "proposed readonly"], [0, 2]),
        (["started changing", "proposed changing", "proposed agent"], [2]),
        (["applied changing", "proposed changing", "proposed changing"], [1]),
        (["unknown changing", "proposed changing", "proposed changing"], [1]),
        (["unknown changing", "started changing", "proposed changing"], []),
        (["failed changing", "blocked changing", "proposed changing"], [2]),
        (["started readonly", "started agent", "applied readonly"], []),
    ],
)
def test_readonly_and_agent_calls_start_at_once_and_changing_ones_in_order(calls, ready):
    """One change at a time, in the order chosen; one that waits for a person is set aside."""
    assert indexes(startable(step_of(*calls))) == ready


@given(st.lists(st.sampled_from(["readonly", "changing", "agent"]), min_size=1, max_size=8), st.data())
def test_changing_calls_start_one_at_a_time_in_index_order_and_every_call_starts(effects, data):
    """Whichever call ends next, and however it ends."""
    actions = {action.index: action for action in step_of(*(f"proposed {effect}" for effect in effects))}
    begun = []

    def begin():
        for action in startable(tuple(actions.values())):
            actions[action.index] = action.evolve(status="started")
            begun.append(action.index)

    begin()
    while under_way := [action for action in actions.values() if action.status == "started"]:
        assert sum(effects[action.index] == "changing" for action in under_way) <= 1
        ended = data.draw(st.sampled_from(under_way))
        end = data.draw(st.sampled_from(["applied", "failed", "unknown"]))
        actions[ended.index] = ended.evolve(status=end)
        begin()
    changing = [index for index in begun if effects[index] == "changing"]
    assert changing == sorted(changing)
    assert sorted(begun) == list(actions)


@pytest.mark.parametrize(
    ("calls", "ended", "light", "messages"),
    [
        (["applied readonly", "applied readonly"], 0, False, EVALUATE),
        (["applied readonly", "failed changing"], 1, True, NEXT_PLAN),
        (["applied readonly", "proposed readonly"], 0, False, ()),
        (["applied readonly", "proposed changing"], 0, False, ()),
        (["applied agent", "proposed changing"], 0, False, ()),
        (["applied changing", "proposed changing"], 0, False, execute(1)),
        (["unknown changing", "proposed changing"], 0, False, execute(1)),
        (["applied changing", "unknown changing"], 0, False, ()),
    ],
)
def test_the_end_of_a_call_sets_off_what_waited_for_it(calls, ended, light, messages):
    """The last call the next phase, a changing call the next changing one, others nothing: those run already."""
    actions = step_of(*calls)
    assert after_end(actions[ended], actions, light=light) == messages


def test_calls_that_wait_for_people_alone_keep_a_frame_waiting():
    """As soon as a single call can move by itself, the frame is not parked."""
    parked, busy = a_frame(id="r.1.1", due=None), a_frame(id="r.1.1")
    assert only_people_awaited(step_of("applied readonly", "unknown changing"), {})
    assert only_people_awaited(step_of("unknown changing", "started agent"), {"r.1.1": parked})
    assert not only_people_awaited(step_of("unknown changing", "started agent"), {"r.1.1": busy})
    assert not only_people_awaited(step_of("unknown changing", "started agent"), {})
    assert not only_people_awaited(step_of("unknown changing", "proposed readonly"), {})
    assert not only_people_awaited(step_of("applied readonly", "failed changing"), {})


def due(frame, *actions, children=None, light=False):
    """What the frame calls for now."""
    return due_messages(frame, actions, children or {}, light=light, now=NOW)


@pytest.mark.parametrize("phase", ["interpret", "plan"])
def test_a_frame_about_to_plan_calls_for_its_plan(phase):
    """Also when the message before was lost."""
    assert due(a_frame(step=4, phase=phase)) == (Message(kind="plan", run="r", session="s", frame="r", step=4),)


def test_a_frame_that_waits_for_calls_calls_for_those_that_can_start_or_are_overdue():
    """A live lease is somebody at work; one that has ended is not."""
    live, over = a_lease(expires=NOW + timedelta(seconds=1)), a_lease(expires=NOW)
    actions = [
        an_action(0, calls=4, status="started", lease=live, effect="changing"),
        an_action(1, calls=4, status="proposed", effect="readonly"),
        an_action(2, calls=4, status="proposed", effect="changing"),
    ]
    assert due(a_frame(), *actions) == execute(1)
    assert due(a_frame(), actions[0].evolve(lease=over), *actions[1:]) == execute(1, 0)


def test_a_frame_whose_calls_have_ended_calls_for_the_next_phase():
    """The last call's author may have died before saying so."""
    actions = step_of("applied readonly", "failed changing")
    assert due(a_frame(), *actions) == EVALUATE
    assert due(a_frame(), *actions, light=True) == NEXT_PLAN


@pytest.mark.parametrize(
    ("child", "called_for"),
    [
        (a_frame(id="r.1.0", parent="r.1.0"), ()),
        (a_frame(id="r.1.0", parent="r.1.0", phase="ended"), execute(0)),
        (a_frame(id="r.1.0", parent="r.1.0", due=None), execute(0)),
    ],
)
def test_a_sub_agent_call_is_looked_at_when_its_frame_ends_or_parks(child, called_for):
    """In between, the child's own due date covers it."""
    action = an_action(0, status="started", kind="agent")
    assert due(a_frame(), action, children={"r.1.0": child}) == called_for


def test_an_ended_child_tells_its_parent_until_the_parent_has_taken_it():
    """The root frame's end is the run's, and nobody waits for it."""
    child = a_frame(id="r.1.0", parent="r.1.0", phase="ended")
    assert due(child) == execute(0)
    assert due(child.evolve(due=None)) == ()
    assert due(a_frame(phase="ended")) == ()


def test_every_message_leads_to_a_frame():
    """What is given up is stalled there."""
    assert frame_of(Message(kind="plan", run="r", frame="r.1.0")) == "r.1.0"
    assert frame_of(Message(kind="execute", run="r", action="r.1.0.2.3")) == "r.1.0"
