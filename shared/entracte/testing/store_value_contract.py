"""Facts about the values that a store keeps (see `store_contract`)."""

from __future__ import annotations

import enum
import itertools
import math
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from entracte.errors import InvalidInput
from entracte.ports.store import Create, Store, Update

_NUMBERS = itertools.count()
"""Examples of one test share a store, so each takes a document of its own."""

EXAMPLES = settings(
    deadline=None,
    max_examples=60,
    # One store serves all examples of a test, and one test all adapters.
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.differing_executors, HealthCheck.too_slow],
)

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
TIMES = st.datetimes(timezones=st.just(UTC)).map(lambda t: t.replace(microsecond=t.microsecond // 1000 * 1000, fold=0))
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    TEXTS,
    st.binary(max_size=20),
    TIMES,
)
KEYS = TEXTS.filter(lambda key: key and not (key.startswith("__") and key.endswith("__")))
MAPS = st.recursive(
    st.dictionaries(KEYS, SCALARS, max_size=4),
    lambda maps: st.dictionaries(KEYS, SCALARS | maps | st.lists(SCALARS | maps, max_size=4), max_size=4),
    max_leaves=12,
)
VALUES = SCALARS | MAPS | st.lists(SCALARS | MAPS, max_size=5)
FIELDS = st.dictionaries(st.from_regex(r"[A-Za-z][A-Za-z0-9_]{0,9}", fullmatch=True), VALUES, max_size=6)


class Colour(enum.StrEnum):
    """Equal to a text, but another type."""

    RED = "red"


class Count(int):
    """Equal to an integer, but another type."""


REFUSED: dict[str, tuple[Any, str, str]] = {
    "naive time": (datetime(2026, 1, 1), "/f", "2026-01-01T00:00:00 without a time zone"),  # noqa: DTZ001 - the fault
    "time before year 1": (datetime.min.replace(tzinfo=timezone(timedelta(hours=1))), "/f", "outside the years 1 to"),
    "date": (date(2026, 1, 1), "/f", "a date"),
    "time of day": (time(1), "/f", "a time"),
    "duration": (timedelta(1), "/f", "a timedelta"),
    "integer too large": (2**63, "/f", "more than 64 bits"),
    "integer too small": (-(2**63) - 1, "/f", "more than 64 bits"),
    "nan": (math.nan, "/f", "nan"),
    "infinity": (math.inf, "/f", "inf"),
    "decimal": (Decimal(1), "/f", "a Decimal"),
    "fraction": (Fraction(1), "/f", "a Fraction"),
    "complex": (1j, "/f", "a complex"),
    "uuid": (UUID(int=1), "/f", "a UUID"),
    "enum of texts": (Colour.RED, "/f", "a Colour"),
    "subclass of int": (Count(1), "/f", "a Count"),
    "class": (object, "/f", "a type"),
    "set": ({1}, "/f", "a set"),
    "frozenset": (frozenset({1}), "/f", "a frozenset"),
    "bytearray": (bytearray(b"x"), "/f", "a bytearray"),
    "lone surrogate": ("a\ud800", "/f", "lone surrogate U\\+D800"),
    "list in list": ([1, [2]], "/f/1", "a list directly inside a list"),
    "tuple in list": ([(2,)], "/f/0", "a list directly inside a list"),
    "set deep inside": ({"a": [{"b/~": {1, 2}}]}, "/f/a/0/b~1~0", "a set"),
    "empty key": ({"": 1}, "/f/", "an empty key"),
    "reserved key": ({"a": {"__x__": 1}}, "/f/a/__x__", "'__x__', which is reserved"),
    "tag of a time": ({"__time__": "2026-01-01T00:00:00.000Z"}, "/f/__time__", "reserved"),
    "integer key": ({1: 1}, "/f/1", "the key 1 of type int"),
    "surrogate in key": ({"a\ud800": 1}, "/f/a\\\\ud800", "lone surrogate"),
    "long key": ({"k" * 1499: 1}, "/f/k+", "more than 1,500 bytes"),
    "long keys together": ({"é" * 500: {"é" * 250: 1}}, "/f/é+/é+", "more than 1,500 bytes"),
    "long text": ("x" * 1_048_488, "/f", "1,048,488 bytes; at most 1,048,487"),
    "long bytes": (b"x" * 1_048_488, "/f", "1,048,488 bytes; at most 1,048,487"),
}


class ValueContract:
    """What is kept comes back with its type; what would not is refused, in the same words by every store."""

    @EXAMPLES
    @given(fields=FIELDS)
    def test_fields_come_back_equal_in_every_type(self, store: Store, fields: dict[str, Any]) -> None:
        """Whatever they are made of; a list stays a list, 1 an integer and 1.0 a float."""
        path = f"things/{next(_NUMBERS)}"
        store.commit([Create(path, fields)])
        assert typed(store.load([path])[path].fields) == typed(fields)

    @EXAMPLES
    @given(value=VALUES)
    def test_an_update_keeps_values_as_a_creation_does(self, store: Store, value: Any) -> None:
        """It takes another way through some stores."""
        path = f"things/{next(_NUMBERS)}"
        created = store.commit([Create(path, {"other": value, "f": 0})])
        store.commit([Update(path, {"f": value}, created[path])])
        assert typed(store.load([path])[path].fields) == typed({"other": value, "f": value})

    def test_times_come_back_in_utc_cut_to_milliseconds(self, store: Store) -> None:
        """As plain datetimes, from whatever zone they were."""
        given = datetime(2026, 11, 30, 23, 59, 59, 999_999, timezone(timedelta(hours=-9)))
        store.commit([Create("things/a", {"at": given})])
        at = store.load(["things/a"])["things/a"].fields["at"]
        assert (at, at.tzinfo, type(at)) == (datetime(2026, 12, 1, 8, 59, 59, 999_000, UTC), UTC, datetime)

    def test_tuples_come_back_as_lists(self, store: Store) -> None:
        """The core's frozen documents hold tuples."""
        store.commit([Create("things/a", {"empty": (), "some": ({"n": (1, 2)},)})])
        assert store.load(["things/a"])["things/a"].fields == {"empty": [], "some": [{"n": [1, 2]}]}

    def test_values_may_lie_20_deep_and_no_deeper(self, store: Store) -> None:
        """Lists and maps count alike."""
        deepest: Any = {}
        for level in range(19):
            deepest = {"k": deepest} if level % 2 else [deepest]
        store.commit([Create("things/a", {"f": deepest})])
        assert store.load(["things/a"])["things/a"].fields == {"f": deepest}
        with pytest.raises(InvalidInput, match="more than 20 lists and maps inside each other"):
            store.commit([Create("things/b", {"f": {"k": deepest}})])

    def test_texts_may_fill_a_document_to_its_limit(self, store: Store) -> None:
        """The largest that is accepted is accepted by Firestore, too."""
        text = "é" * 524_000
        store.commit([Create("things/a", {"text": text})])
        assert store.load(["things/a"])["things/a"].fields == {"text": text}
        with pytest.raises(InvalidInput, match=r"things/b would have 1,048,\d+ bytes; at most 1,048,576"):
            store.commit([Create("things/b", {"text": text, "more": "x" * 600})])

    @pytest.mark.parametrize(("value", "pointer", "words"), REFUSED.values(), ids=REFUSED)
    def test_a_value_that_would_not_come_back_is_refused_by_name(
        self, store: Store, value: Any, pointer: str, words: str
    ) -> None:
        """In creations and updates; nothing is written."""
        created = store.commit([Create("things/a", {"n": 1})])
        for write in (Create("things/b", {"f": value}), Update("things/a", {"n": 2, "f": value}, created["things/a"])):
            with pytest.raises(InvalidInput, match=f"{write.path}{pointer} cannot be stored: .*{words}") as refused:
                store.commit([write])
            assert refused.value.code == "not_storable"
        assert store.load(["things/a", "things/b"])["things/a"].fields == {"n": 1}

    @pytest.mark.parametrize("name", ["", "a.b", "a b", "1a", "é", "__a__", "a`", "x" * 1501])
    def test_a_field_has_a_plain_name(self, store: Store, name: str) -> None:
        """So that no store has to quote it."""
        with pytest.raises(InvalidInput, match="the field name"):
            store.commit([Create("things/a", {name: 1})])
        assert store.load(["things/a"]) == {}


def typed(value: Any) -> Any:
    """The value with its leaves as Python writes them, since 1, 1.0 and True are equal, and -0.0 and 0.0."""
    match value:
        case dict():
            return {key: typed(item) for key, item in value.items()}
        case list():
            return [typed(item) for item in value]
        case _:
            return repr(value)
