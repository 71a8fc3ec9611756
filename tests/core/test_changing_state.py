"""State diffs on the two documents that hold state (changing_state.py)."""

from entracte.core.frames.changing_state import change_state
from entracte.core.outcome import Put
from entracte.core.state import Drawer, Item
from tests.core.builders import a_blueprint, a_frame, a_session

OLD = Drawer((Item("X_001", "kept"),), given=1)


def change(*diffs, session=None, frame=None):
    """What the diffs make of them; both without state by default."""
    return change_state(a_blueprint(), session or a_session(), frame or a_frame(), diffs)


def test_each_key_goes_to_the_document_of_its_scope():
    """Global state is the session's, local state the frame's."""
    changed = change({"facts": "Ada is on Pro", "goals": "Answer."})
    assert changed.session.state == {"facts": Drawer((Item("F_001", "Ada is on Pro"),), given=1)}
    assert changed.frame.local == {"goals": Drawer((Item("G_001", "Answer."),), given=1)}
    assert changed.session_puts == (Put("sessions/s", changed.session),)


def test_a_local_change_does_not_write_the_session():
    """Parallel agents contend for the session only when they have something for it."""
    session = a_session()
    changed = change({"goals": "Answer."}, session=session)
    assert changed.session is session
    assert changed.session_puts == ()


def test_a_change_without_local_items_leaves_the_frames_state_alone():
    """A field that did not change is not written."""
    frame = a_frame(local={"goals": OLD})
    assert change({"facts": "Ada"}, frame=frame).frame.local is frame.local


def test_diffs_are_applied_one_after_the_other():
    """A tool's, then the evaluating model's: the second may change what the first added."""
    changed = change({"facts": "a"}, {"facts": {"id": "F_001", "text": "b"}})
    assert changed.session.state["facts"].items == (Item("F_001", "b"),)


def test_what_is_refused_is_told_and_journaled_beside_what_is_applied():
    """The agent can put it right, and whoever reads the journal sees why it is not there."""
    changed = change({"facts": ["a", 7]}, "no object")
    assert changed.refused == (
        "State not changed: expected a text, or an object with id and text",
        "State not changed: expected an object: key, then a text, an item or a list of them",
    )
    assert [(event.type, event.data.value) for event in changed.events] == [
        (
            "state.updated",
            {
                "applied": [{"scope": "global", "key": "facts", "id": "F_001", "text": "a"}],
                "refused": [
                    {"failed": 7, "message": "expected a text, or an object with id and text"},
                    {
                        "failed": "no object",
                        "message": "expected an object: key, then a text, an item or a list of them",
                    },
                ],
            },
        )
    ]


def test_nothing_to_change_is_no_event():
    """A step that learned nothing says nothing."""
    assert change({}, {}).events == ()


def test_keys_that_the_network_no_longer_has_stay_where_they_are():
    """A deployment that drops a key loses no state, and lets none slip from an agent to all of them."""
    session, frame = a_session(state={"old_global": OLD, "both": OLD}), a_frame(local={"old_local": OLD})
    changed = change({"facts": "a", "goals": "g"}, session=session, frame=frame)
    assert set(changed.session.state) == {"old_global", "both", "facts"}
    assert set(changed.frame.local) == {"old_local", "goals"}


def test_an_unknown_key_of_the_same_name_in_both_scopes_stays_two():
    """The agent's own must not take the place of everybody's."""
    own = Drawer((Item("X_001", "own"),), given=1)
    changed = change(
        {"facts": "a", "goals": "g"}, session=a_session(state={"both": OLD}), frame=a_frame(local={"both": own})
    )
    assert (changed.session.state["both"], changed.frame.local["both"]) == (OLD, own)
