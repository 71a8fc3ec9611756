"""Values that refer to other values (template.py, reference.py)."""

import pytest
from hypothesis import given, strategies as st

from entracte.core.template import Template
from entracte.errors import ConfigurationError, InvalidInput

ROOTS = ("$", "$snapshot", "$result")
VALUES = {
    "$": {"id": 7, "to": "ada@example.com", "first-name": "Ada", "tags": ["a", "b"], "none": None},
    "$snapshot": {"name": "Ada", "plan": {"tier": "pro"}},
    "$result": {"items": [{"id": 1, "sub": [{"n": 1}, {"n": 2}]}, {"id": 2, "sub": []}], "empty": []},
}


def resolve(value):
    """The template filled in with `VALUES`."""
    return Template.parse(value, ROOTS).resolve(VALUES)


@pytest.mark.parametrize(
    ("template", "value"),
    [
        ("$", VALUES["$"]),
        ("$snapshot", VALUES["$snapshot"]),
        ("$.id", 7),
        ("$.none", None),
        ("$.first-name", "Ada"),
        ("$snapshot.plan", {"tier": "pro"}),
        ("$.tags[1]", "b"),
        ("$result.items[0].id", 1),
        ("$result.items[].id", [1, 2]),
        ("$result.items[].sub[].n", [[1, 2], []]),
        ("$result.items[1].sub[]", []),
        ("$result.empty[].whatever[3]", []),
    ],
)
def test_a_string_that_is_one_reference_keeps_the_values_type(template, value):
    """Undo must write back the number 7, not the text 7."""
    assert resolve(template) == value


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("Send this mail to $.to?", "Send this mail to ada@example.com?"),
        ("Restore $snapshot.name.", "Restore Ada."),
        ('"$snapshot.name."', '"Ada."'),
        ("#$.id", "#7"),
        ("plan: $snapshot.plan", 'plan: {"tier":"pro"}'),
        ("none: $.none", "none: null"),
        ("$.to$.id", "ada@example.com7"),
        ("$.toに送りますか?", "ada@example.comに送りますか?"),
    ],
)
def test_inside_text_a_reference_becomes_text(template, text):
    """Texts go in as they are, everything else as JSON."""
    assert resolve(template) == text


@pytest.mark.parametrize(
    ("template", "literal"),
    [("$$", "$"), ("$$.id", "$.id"), ("costs $$5", "costs $5"), ("$$$.id", "$7"), ({"$$set": "$$"}, {"$set": "$"})],
)
def test_two_dollar_signs_are_one_literal_dollar_sign_everywhere(template, literal):
    """In text, before something that would be a reference, and in keys."""
    assert resolve(template) == literal


def test_what_cannot_be_resolved_is_told_shortly_however_long_the_names_are_that_are_there():
    """A foreign server makes them, and what is said of them is kept with the call that has been made."""
    template = Template.parse("$result.id", ("$result",))
    with pytest.raises(InvalidInput) as refused:
        template.resolve({"$result": {f"{n}{'k' * 500_000}": 1 for n in range(3)}})
    assert len(refused.value.message) < 300


def test_objects_and_lists_are_filled_in_at_any_depth():
    """Everything that is not a string stays as it is."""
    template = {"id": "$.id", "to": [{"name": "$snapshot.name"}, 3, None, True], "note": "plain"}
    assert resolve(template) == {"id": 7, "to": [{"name": "Ada"}, 3, None, True], "note": "plain"}


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("$.nmae", "$.nmae cannot be resolved: $ has no field 'nmae' (it has: id, to, first-name, tags, none)."),
        ("$.tags[2]", "$.tags[2] cannot be resolved: $.tags has 2 items, so no [2]."),
        ("$.none.x", "$.none.x cannot be resolved: $.none is null, not an object."),
        ("$.id[0]", "$.id[0] cannot be resolved: $.id is a number, not a list."),
        ("$.to[].x", "$.to[].x cannot be resolved: $.to is text, not a list."),
        (
            "$result.items[].sub[0].n",
            "$result.items[].sub[0].n cannot be resolved: $result.items[1].sub has 0 items, so no [0].",
        ),
    ],
)
def test_a_missing_key_or_index_is_an_error_that_names_the_path(template, message):
    """The error says where the path ended, and shows keys but no values."""
    with pytest.raises(InvalidInput) as caught:
        resolve({"x": template})
    assert (str(caught.value), caught.value.code) == (message, "unresolved")


def test_references_can_be_tried_before_all_of_them_can_be_resolved():
    """An inverse is checked before the write, when there is no result yet."""
    template = Template.parse({"id": "$result.id", "was": "$snapshot.nmae, $.id"}, ROOTS)
    assert [reference.text for reference in template.references] == ["$result.id", "$snapshot.nmae", "$.id"]
    known_before = [reference for reference in template.references if reference.root != "$result"]
    with pytest.raises(InvalidInput, match=r"\$snapshot\.nmae cannot be resolved"):
        [reference.resolve(VALUES) for reference in known_before]


def test_a_root_without_a_value_is_an_error():
    """Resolving without a snapshot must not quietly write nothing."""
    with pytest.raises(InvalidInput, match=r"\$snapshot\.name cannot be resolved: there is no \$snapshot"):
        Template.parse("$snapshot.name", ROOTS).resolve({"$": {}})


@pytest.mark.parametrize(
    ("template", "pointer", "words"),
    [
        ({"a": ["$reslut.id"]}, "/a/0", "'$reslut' is nothing to refer to; known are $, $result, $snapshot"),
        ({"price/eur": "$5"}, "/price~1eur", "'$5' is nothing to refer to"),
        ("$.", "", "'$.' goes on with something else"),
        ("$.a..b", "", "'$.a..b' goes on with something else"),
        ("$.a[-1]", "", "'$.a[-1]' counts from the end"),
        ("$.a[x]", "", "'$.a[x]' goes on with something else"),
        ("$.名前", "", "goes on with something else"),
        ("$.a.", "", "'$.a.' ends in a dot"),
        ({"$.id": 1}, "", "the key '$.id' refers to something"),
        ({"when": {1, 2}}, "/when", "a value of type set"),
    ],
)
def test_a_malformed_template_is_refused_before_it_is_needed(template, pointer, words):
    """Never run under a policy that is not understood."""
    with pytest.raises(ConfigurationError) as caught:
        Template.parse(template, ROOTS)
    assert words in str(caught.value)
    assert (caught.value.pointer, caught.value.code) == (pointer, "bad_template")


def test_only_the_roots_named_may_be_referred_to():
    """A script knows $results and $input; a bare dollar sign there is a slip."""
    assert Template.parse("$results[0]", ("$results",)).resolve({"$results": [1]}) == 1
    with pytest.raises(ConfigurationError, match=r"'\$' is nothing to refer to; known are \$results"):
        Template.parse("$.id", ("$results",))


def test_a_script_may_count_from_the_end():
    """The newest fact is the last; a policy may not, since what is last may change before an undo."""
    resolve_list = Template.parse(["$state[-1]", "$state[-2]"], ("$state",), from_end=True).resolve
    assert resolve_list({"$state": ["a", "b"]}) == ["b", "a"]
    with pytest.raises(InvalidInput, match=r"\$state has 1 items, so no \[-2\]"):
        resolve_list({"$state": ["a"]})


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)


def _doubled(value):
    match value:
        case str():
            return value.replace("$", "$$")
        case list():
            return [_doubled(item) for item in value]
        case dict():
            return {_doubled(key): _doubled(item) for key, item in value.items()}
    return value


@given(_JSON)
def test_any_value_can_be_written_literally(value):
    """Doubling each dollar sign is always enough."""
    assert resolve(_doubled(value)) == value
