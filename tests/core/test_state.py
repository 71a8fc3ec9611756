"""State changes item by item (state.py)."""

from hypothesis import given, strategies as st

from entracte.core.state import DEFAULT_KEYS, MAX_BYTES, Applied, Drawer, Item, Key, Refused, apply_diff

SCHEMA = {
    "facts": Key(scope="global", prefix="F", description="Verified statements.", how_to="One statement an item."),
    "tasks": Key(scope="local", prefix="T", description="What is to be done.", how_to="Mark: to do, doing, done."),
}


def state_of(**texts):
    """State with items of these texts."""
    return apply_diff({}, texts, SCHEMA).state


def test_a_string_adds_an_item_with_the_next_id():
    """Ids are given by the code, so the model need not invent one."""
    result = apply_diff({}, {"facts": " Ada is on Pro "}, SCHEMA)
    assert result.state == {"facts": Drawer((Item("F_001", "Ada is on Pro"),), given=1)}
    assert result.applied == (Applied("global", "facts", "F_001", "Ada is on Pro"),)


def test_an_item_with_a_known_id_changes_in_its_place():
    """Tasks keep their order when their mark changes."""
    state = state_of(tasks=["to do: a", "to do: b"])
    result = apply_diff(state, {"tasks": {"id": "T_001", "text": "done: a"}}, SCHEMA)
    assert result.state["tasks"].items == (Item("T_001", "done: a"), Item("T_002", "to do: b"))
    assert result.applied == (Applied("local", "tasks", "T_001", "done: a"),)


def test_an_item_that_is_given_its_own_text_has_not_changed():
    """Small models say again what is there; that is no progress."""
    state = state_of(tasks=["to do: a"])
    result = apply_diff(state, {"tasks": {"id": "T_001", "text": "to do: a"}}, SCHEMA)
    assert (result.state, result.applied, result.refused) == (state, (), ())


def test_an_id_where_none_was_ever_given_adds_an_item():
    """It is made up; what it says need not be lost for that. To remove nothing is refused all the same."""
    diff = {"facts": [{"id": "F_007", "text": "a"}, {"id": "F_007", "text": "b"}], "tasks": {"id": "T_001", "text": ""}}
    result = apply_diff({}, diff, SCHEMA)
    assert result.state["facts"].items == (Item("F_001", "a"),)
    assert [refused.failed for refused in result.refused] == [diff["facts"][1], diff["tasks"]]


def test_an_empty_text_removes_the_item():
    """And says so with an empty text."""
    result = apply_diff(state_of(facts=["a", "b"]), {"facts": [{"id": "F_001", "text": ""}]}, SCHEMA)
    assert result.state["facts"].items == (Item("F_002", "b"),)
    assert result.applied == (Applied("global", "facts", "F_001", ""),)


def test_the_id_of_a_removed_item_is_never_given_again():
    """A decision that cites F_001 must not come to mean another fact."""
    state = apply_diff(state_of(facts="wrong"), {"facts": [{"id": "F_001", "text": ""}, "right"]}, SCHEMA).state
    assert state["facts"].items == (Item("F_002", "right"),)


def test_a_bad_entry_is_refused_beside_the_good_ones():
    """One slip of the model does not cost what it got right."""
    diff = {"facts": ["good", 7, "  ", None], "fcats": "typo", "tasks": {"id": "T_009", "text": "x"}}
    result = apply_diff(state_of(tasks="to do: a"), diff, SCHEMA)
    assert [a.text for a in result.applied] == ["good"]
    assert result.refused == (
        Refused(7, "expected a text, or an object with id and text"),
        Refused("  ", "expected a text, or an object with id and text"),
        Refused(None, "expected a text, or an object with id and text"),
        Refused({"fcats": "typo"}, "unknown key 'fcats'; known keys: facts, tasks"),
        Refused({"id": "T_009", "text": "x"}, "tasks has no item 'T_009'; to add one, give its text alone"),
    )


def test_a_scope_takes_no_more_than_there_is_room_for():
    """The rest of the diff is applied; what is removed makes room; the other scope has room of its own."""
    half = "é" * (MAX_BYTES // 4 - 40)
    diff = {"facts": [half, half, half, "a fact"], "tasks": [half]}
    result = apply_diff({}, diff, SCHEMA)
    assert [(a.id, len(a.text)) for a in result.applied] == [
        ("F_001", len(half)),
        ("F_002", len(half)),
        ("T_001", len(half)),
    ]
    assert [r.message for r in result.refused] == [
        "facts has no room for 131,056 bytes more; keep it shorter",
        "facts has no room for 70 bytes more; keep it shorter",
    ]
    changed = apply_diff(result.state, {"facts": [{"id": "F_001", "text": "short"}, half[:-50]]}, SCHEMA)
    assert ([a.id for a in changed.applied], changed.refused) == (["F_001", "F_003"], ())


def test_what_is_too_large_already_may_only_shrink():
    """It was kept before there was a bound, or under other keys."""
    state = {"facts": Drawer((Item("F_001", "a" * MAX_BYTES), Item("F_002", "b")), given=2)}
    diff = {"facts": ["c", {"id": "F_002", "text": "bb"}, {"id": "F_001", "text": "a"}, "d"]}
    result = apply_diff(state, diff, SCHEMA)
    assert [a.text for a in result.applied] == ["a", "d"]


def test_what_is_no_object_at_all_is_refused_whole():
    """A tool may hand in anything; nothing of it may stop the step."""
    for odd in ("facts", ["facts"], 7):
        result = apply_diff({}, odd, SCHEMA)
        assert (result.state, result.applied) == ({}, ())
        assert result.refused == (Refused(odd, "expected an object: key, then a text, an item or a list of them"),)


def test_the_state_given_is_not_changed():
    """The caller applies the diff again to what it read anew when it lost a race."""
    state = state_of(facts="a")
    apply_diff(state, {"facts": [{"id": "F_001", "text": "b"}, "c"]}, SCHEMA)
    assert state == state_of(facts="a")


@given(st.lists(st.lists(st.text(min_size=1).filter(str.strip) | st.integers(1, 12), max_size=4), max_size=6))
def test_no_two_items_ever_share_an_id(diffs):
    """Whatever is added and removed, in however many diffs; a number removes the item of that id."""
    state: dict = {}
    ever: list[str] = []
    for entries in diffs:
        diff = [{"id": f"F_{e:03d}", "text": ""} if isinstance(e, int) else e for e in entries]
        result = apply_diff(state, {"facts": diff}, SCHEMA)
        state = result.state
        ever += [a.id for a in result.applied if a.text]
    assert len(set(ever)) == len(ever)


def test_the_default_keys_are_those_of_the_manual():
    """Two scopes: what all agents share, and what one agent works with."""
    scopes = {name: key.scope for name, key in DEFAULT_KEYS.items()}
    assert scopes == {
        "facts": "global",
        "evidences": "global",
        "vars": "global",
        "goals": "local",
        "tasks": "local",
        "decisions": "local",
        "questions": "local",
    }
