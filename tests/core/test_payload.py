"""Free-form JSON that comes back as it was (payload.py)."""

import hashlib
import json
import math
from decimal import Decimal
from enum import IntEnum

import pytest
from hypothesis import given, strategies as st

from entracte.core.payload import MAX_BYTES, MAX_DEPTH, Payload, canonical, digest
from entracte.errors import InvalidInput

_NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
_JSON = st.recursive(
    st.none() | st.booleans() | _NUMBERS | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def typed(value):
    """The value with the type of every part, so that 1, 1.0 and True differ, and 0.0 and -0.0."""
    match value:
        case dict():
            return {key: typed(item) for key, item in value.items()}
        case list():
            return [typed(item) for item in value]
        case float():
            return "float", value.hex()
        case _:
            return type(value), value


def nested(levels, bottom=1):
    """So many lists inside each other."""
    value = bottom
    for _ in range(levels):
        value = [value]
    return value


def refusal(value):
    """Why it is refused: pointer, code, and the words."""
    with pytest.raises(InvalidInput) as caught:
        Payload.of(value)
    return caught.value.pointer, caught.value.code, caught.value.message


@given(_JSON)
def test_any_json_value_comes_back_equal_in_type_and_value(value):
    """Undo writes back what was there, so 1.0 must not become 1 nor a list a tuple."""
    assert typed(Payload.of(value).value) == typed(value)


@given(_JSON)
def test_size_and_hash_are_those_of_the_text_in_utf8(value):
    """Chunks are named by the hash, and budgets counted by the size."""
    payload = Payload.of(value)
    raw = payload.text.encode()
    assert (payload.size_bytes, payload.sha256) == (len(raw), hashlib.sha256(raw).hexdigest())


def test_three_megabytes_come_back():
    """Larger than a Firestore document may be; the repository spills it."""
    value = {"text": "漢" * 1_000_000}
    payload = Payload.of(value)
    assert payload.size_bytes == 3_000_011
    assert payload.value == value


def test_the_text_is_canonical():
    """Equal values have equal texts, whatever the order of their keys."""
    assert canonical({"b": [1, 2.5, None], "a": {"é": True, "A": "x"}}) == '{"a":{"A":"x","é":true},"b":[1,2.5,null]}'


class _Odd:
    pass


class _Keyed(str):
    __slots__ = ()


_CYCLE: list = [1]
_CYCLE.append({"again": _CYCLE})


@pytest.mark.parametrize(
    ("value", "pointer", "words"),
    [
        ({"a": [0, math.nan]}, "/a/1", "nan, which JSON does not have"),
        (math.inf, "", "inf, which JSON does not have"),
        ([-math.inf], "/0", "-inf, which JSON does not have"),
        ({"x": "\ud800"}, "/x", "the lone surrogate U+D800, which is no character"),
        (["a", {"\udfff": 1}], "/1", "the lone surrogate U+DFFF, which is no character"),
        (_CYCLE, "/1/again", "a value that contains itself"),
        ({"a/b": {"c~d": object()}}, "/a~1b/c~0d", "a value of type object"),
        ((1, 2), "", "a value of type tuple"),
        ([{1}], "/0", "a value of type set"),
        ({"d": Decimal(1)}, "/d", "a value of type Decimal"),
        (b"x", "", "a value of type bytes"),
        ([_Odd()], "/0", "a value of type _Odd"),
        ({"a": {1: 2}}, "/a", "a key of type int; keys must be strings"),
        ({None: 2}, "", "a key of type NoneType; keys must be strings"),
        ({_Keyed("k"): 2}, "", "a key of type _Keyed; keys must be strings"),
        ({10**5000: 2}, "", "a key of type int; keys must be strings"),
        ({"n": [1 << 12_901]}, "/n/0", "an integer of more than 12,900 bits"),
        (nested(MAX_DEPTH + 1), "/0" * MAX_DEPTH, "more than 100 levels of lists and objects"),
        (nested(5000), "/0" * MAX_DEPTH, "more than 100 levels of lists and objects"),
    ],
)
def test_what_json_cannot_give_back_is_refused_with_its_place(value, pointer, words):
    """The tool's author finds the fault by the pointer (RFC 6901)."""
    at, code, message = refusal(value)
    assert (at, code) == (pointer, "not_json")
    assert words in message
    assert message.endswith(f"at {pointer or 'the top'}.")


def test_the_deepest_and_the_largest_that_are_allowed_come_back():
    """The limits themselves are inside."""
    for value in (nested(MAX_DEPTH), 1 << 12_899, "x" * (MAX_BYTES - 2)):
        assert Payload.of(value).value == value


def test_more_than_four_mebibytes_are_refused():
    """A commit holds no more."""
    _, code, message = refusal("x" * (MAX_BYTES - 1))
    assert (code, message) == ("too_large", "The value has 4,194,305 bytes as JSON; at most 4,194,304 can be kept.")


def test_the_same_part_may_stand_twice():
    """Only a part within itself is a circle."""
    part = {"a": [1]}
    assert Payload.of([part, part, {"b": part}]).value == [part, part, {"b": part}]


def test_a_number_that_is_an_enum_is_kept_as_the_number():
    """Tools return what their libraries give them."""
    assert Payload.of([IntEnum("Tier", "PRO").PRO]).value == [1]


def test_texts_and_numbers_of_a_librarys_own_kinds_are_kept_as_what_they_hold():
    """However they show themselves to people."""

    class Loud(str):
        def __str__(self) -> str:
            return self.upper()

    value = Payload.of([Loud("ada"), type("Cents", (int,), {})(5), type("Metres", (float,), {})(0.5)]).value
    assert typed(value) == typed(["ada", 5, 0.5])


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (1, 1.0, True),
        ({"n": [1.0, -0.0]}, {"n": [1, 0]}, True),
        (1e300, int(1e300), True),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ([1, 2], [2, 1], False),
        ({"a": None}, {}, False),
        (1.5, 1, False),
        (1, True, False),
        (1, "1", False),
        ("", None, False),
    ],
)
def test_a_digest_compares_as_people_do(one, other, same):
    """An approver who saw 1 has approved 1.0; one who saw null has not approved absence."""
    assert (digest(one) == digest(other)) is same


@given(_JSON)
def test_a_digest_survives_the_way_through_json(value):
    """The API sends arguments as JSON and takes their digest back."""
    assert digest(json.loads(json.dumps(value))) == digest(value)


@pytest.mark.parametrize("value", [math.nan, math.inf, {1: 2}, _CYCLE, nested(5000), object()])
def test_a_digest_of_what_is_not_json_is_refused(value):
    """As the payload of it would be."""
    with pytest.raises(InvalidInput):
        digest(value)
