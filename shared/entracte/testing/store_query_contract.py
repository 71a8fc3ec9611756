"""Facts about queries (see `store_contract`)."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, strategies as st
from msgspec.structs import replace

from entracte.errors import InvalidInput
from entracte.ports.store import Create, Op, Query, Store, Where
from entracte.testing.store_value_contract import EXAMPLES

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)

ONE_OF_EACH_KIND: Mapping[str, Any] = {
    "none": None,
    "false": False,
    "true": True,
    "int": 1,
    "float": 1.5,
    "time": NOON,
    "text": "b",
    "bytes": b"b",
    "list": [1],
    "map": {"text": "b"},
}

_NUMBERS = itertools.count()


def ids(store: Store, query: Query) -> list[str]:
    """Ids of the documents that a query finds, in its order."""
    return [stored.path.rpartition("/")[2] for stored in store.query(query)]


def put(store: Store, documents: Mapping[str, Mapping[str, Any]]) -> None:
    """Create documents by path."""
    store.commit([Create(path, fields) for path, fields in documents.items()])


def where(field: str, op: Op, value: Any, **others: Any) -> Query:
    """A query of things with one condition."""
    return Query(collection="things", where=(Where(field, op, value),), **others)


class QueryContract:
    """Simple queries of one collection or of all collections of a name."""

    def test_documents_are_found_as_they_would_be_loaded(self, store: Store) -> None:
        """With fields and version, so that they can be written next."""
        put(store, {"things/a": {"at": NOON, "map": {"k": [1]}}})
        assert store.query(Query(collection="things")) == list(store.load(["things/a"]).values())

    def test_a_collection_below_a_document_is_apart_from_others_of_its_name(self, store: Store) -> None:
        """Also from those below its own documents, and below a document whose id begins alike."""
        below = ["runs/r/parts/a", "runs/r/parts/b", "runs/r/parts/b/parts/c", "runs/r-1/parts/d", "runs/r2/parts/e"]
        put(store, {path: {} for path in [*below, "runs/r", "parts/f", "runs/r/other/g"]})
        assert ids(store, Query(collection="parts", parent="runs/r")) == ["a", "b"]
        assert ids(store, Query(collection="parts", parent="runs/r/parts/b")) == ["c"]
        assert ids(store, Query(collection="parts", parent="runs/none")) == []

    def test_all_collections_of_a_name_are_one_when_no_parent_is_named(self, store: Store) -> None:
        """In the order of their paths, part by part: as text, r-1 would come before r/."""
        paths = ["parts/a", "runs/r/parts/a", "runs/r/parts/b/parts/c", "runs/r-1/parts/d", "runs/r.2/parts/e"]
        put(store, {path: {} for path in reversed(paths)})
        assert [stored.path for stored in store.query(Query(collection="parts"))] == paths

    @pytest.mark.parametrize(
        ("op", "value", "found"),
        [
            ("==", 2, ["b", "b2"]),
            ("==", 2.0, ["b", "b2"]),
            ("in", [3, 1], ["a", "c"]),
            ("in", [1.0, "2", 7], ["a", "text"]),
            ("<", 2, ["a"]),
            ("<=", 2, ["a", "b", "b2"]),
            (">", 2, ["c"]),
            (">=", 2, ["b", "b2", "c"]),
            ("==", None, ["none"]),
        ],
    )
    def test_operators_compare_values_of_one_kind(self, store: Store, op: Op, value: Any, found: list[str]) -> None:
        """Numbers with numbers: texts, truths, None and absence are neither more nor less."""
        numbers = {"a": 1, "b": 2, "b2": 2.0, "c": 3, "text": "2", "true": True, "none": None, "list": [2]}
        put(store, {f"things/{id_}": {"n": n} for id_, n in numbers.items()} | {"things/absent": {"m": 2}})
        assert sorted(ids(store, where("n", op, value))) == found

    def test_has_finds_lists_that_hold_a_text(self, store: Store) -> None:
        """A text that is no list holds nothing, and a list inside a map is found too."""
        who = {"a": ["ada", "bo"], "b": [], "c": "ada", "d": ["adam"], "e": None, "f": [1, "ada"]}
        put(store, {f"things/{id_}": {"n": 1, "who": value, "z": {"who": value}} for id_, value in who.items()})
        put(store, {"things/g": {"n": 1}})
        assert ids(store, where("who", "has", "ada")) == ["a", "f"]
        assert ids(store, where("z.who", "has", "ada", order_by="n", descending=True)) == ["f", "a"]

    @pytest.mark.parametrize("op", ["==", "in", "<=", ">="])
    @pytest.mark.parametrize("name", ["false", "int", "time", "text", "bytes"])
    def test_each_kind_is_compared_with_itself_alone(self, store: Store, op: Op, name: str) -> None:
        """A time is no text, whatever it is kept as, and true is not 1."""
        put(store, {f"things/{id_}": {"f": value} for id_, value in ONE_OF_EACH_KIND.items()})
        value = ONE_OF_EACH_KIND[name]
        more = {("false", ">="): ["false", "true"], ("int", ">="): ["int", "float"]}
        found = ids(store, where("f", op, [value] if op == "in" else value))
        assert found == more.get((name, op), [name])

    def test_what_is_due_is_found_in_the_order_of_its_time(self, store: Store) -> None:
        """The query of sweep: nothing that waits for a person, nothing of another collection."""
        due = {"a": NOON, "b": NOON - timedelta(milliseconds=1), "c": NOON + timedelta(milliseconds=1), "d": None}
        put(store, {f"runs/{id_}/things/{id_}": {"due": time} for id_, time in due.items()})
        put(store, {"things/e": {}, "others/f": {"due": NOON}, "things/g": {"due": NOON - timedelta(days=9999)}})
        assert ids(store, where("due", "<=", NOON)) == ["g", "b", "a"]
        assert ids(store, where("due", "<=", NOON, order_by="due", descending=True)) == ["a", "b", "g"]

    def test_all_conditions_hold(self, store: Store) -> None:
        """One may look inside a map, at any key that has no point in it."""
        labels = {"ticket": "T-7", "my-key": "x", "日本": 1, "it's": True}
        put(
            store,
            {
                "things/a": {"owner": "ada", "metadata": labels, "n": 1},
                "things/b": {"owner": "ada", "metadata": {"ticket": "T-8"}, "n": 2},
                "things/c": {"owner": "bob", "metadata": labels, "n": 3},
                "things/d": {"owner": "ada", "metadata": "T-7", "n": 4},
                "things/e": {"owner": "ada", "n": 5},
            },
        )
        conditions = (Where("owner", "==", "ada"), Where("metadata.ticket", "in", ["T-7", "T-9"]), Where("n", "<", 9))
        assert ids(store, Query(collection="things", where=conditions)) == ["a"]
        assert ids(store, where("metadata.my-key", "==", "x")) == ["a", "c"]
        assert ids(store, where("metadata.日本", "==", 1)) == ["a", "c"]
        assert ids(store, where("metadata.it's", "==", True)) == ["a", "c"]

    def test_an_order_leaves_out_what_has_nothing_to_sort_by(self, store: Store) -> None:
        """Neither absence nor None has a place in it; equals are sorted by path, both turned around together."""
        values = {"a": 2, "b": 1, "c": 2, "d": None, "e": -1.5}
        put(store, {f"things/{id_}": {"n": n, "m": {"n": n}} for id_, n in values.items()} | {"things/f": {"m": 1}})
        assert ids(store, Query(collection="things", order_by="n")) == ["e", "b", "a", "c"]
        assert ids(store, Query(collection="things", order_by="n", descending=True)) == ["c", "a", "b", "e"]
        assert ids(store, Query(collection="things", order_by="m.n", limit=2)) == ["e", "b"]

    @pytest.mark.parametrize(
        "values",
        [["", "A", "B", "a", "aa", "é", "日", "😀"], [b"", b"\0", b"a", b"ab", b"\xff"], [False, True]],
        ids=["text", "bytes", "truth"],
    )
    def test_values_sort_alike_everywhere(self, store: Store, values: list[Any]) -> None:
        """Texts and bytes by their bytes."""
        put(store, {f"things/{n}": {"f": value} for n, value in reversed(list(enumerate(values)))})
        found = [stored.fields["f"] for stored in store.query(Query(collection="things", order_by="f"))]
        assert found == values

    @pytest.mark.parametrize(
        ("order_by", "descending"), [("", False), ("n", False), ("n", True), ("at", False), ("at", True)]
    )
    def test_pages_give_each_document_once(self, store: Store, order_by: str, descending: bool) -> None:
        """Each page goes on after the last document of the one before, between equals, too."""
        times = [NOON + timedelta(milliseconds=n // 4) for n in range(11)]
        put(store, {f"runs/r{n % 3}/things/{n:02}": {"n": n // 3, "at": times[n]} for n in range(11)})
        query = Query(collection="things", order_by=order_by, descending=descending, limit=4)
        whole = store.query(replace(query, limit=100))
        found = list(store.query(query))
        while len(found) < len(whole):
            last = found[-1]
            page = store.query(replace(query, after=(last.fields[order_by] if order_by else None, last.path)))
            assert 0 < len(page) <= query.limit
            found += page
        assert found == whole
        assert len(whole) == len(times)

    def test_a_page_may_go_on_after_what_was_deleted(self, store: Store) -> None:
        """The place counts, not the document."""
        put(store, {f"things/{n}": {"n": n} for n in (1, 3)})
        query = Query(collection="things", order_by="n", after=(2, "things/2"))
        assert ids(store, query) == ["3"]
        assert ids(store, replace(query, after=(3, "things/2"))) == ["3"]
        assert ids(store, Query(collection="things", after=(None, "things/2"))) == ["3"]

    def test_an_inequality_is_answered_in_the_order_of_its_field(self, store: Store) -> None:
        """Pages of it go on by that field, though `order_by` is empty."""
        put(store, {"things/a": {"n": 3}, "things/b": {"n": 2}, "things/c": {"n": 1}})
        query = where("n", ">=", 2)
        assert ids(store, query) == ["b", "a"]
        assert ids(store, replace(query, after=(2, "things/b"))) == ["a"]

    @EXAMPLES
    @given(
        documents=st.lists(
            st.fixed_dictionaries(
                {"n": st.integers(-3, 3) | st.sampled_from([0.5, None])},
                optional={
                    "s": st.sampled_from(["", "a", "b", "ab"]),
                    "m": st.fixed_dictionaries({"k": st.booleans()}),
                    "at": st.integers(0, 3).map(lambda n: NOON + timedelta(days=n)),
                },
            ),
            max_size=8,
        ),
        query=st.builds(
            Query,
            collection=st.just("things"),
            where=st.lists(
                st.one_of(
                    st.builds(Where, st.just("s"), st.just("=="), st.sampled_from(["", "a", "c"])),
                    st.builds(
                        Where, st.just("s"), st.just("in"), st.lists(st.sampled_from("abc"), min_size=1, max_size=3)
                    ),
                    st.builds(Where, st.just("m.k"), st.just("=="), st.booleans()),
                    st.builds(Where, st.just("n"), st.sampled_from(["<", "<=", ">", ">="]), st.integers(-3, 3)),
                ),
                max_size=3,
            ).map(tuple),
            order_by=st.just("n"),
            descending=st.booleans(),
            limit=st.integers(1, 5),
            after=st.none() | st.tuples(st.integers(-3, 3), st.sampled_from(["things/0", "things/4"])),
        ),
    )
    def test_any_query_finds_what_a_plain_search_finds(
        self, store: Store, documents: list[dict[str, Any]], query: Query
    ) -> None:
        """Conditions, order, limit and page together."""
        parent = f"trials/{next(_NUMBERS)}"
        put(store, {f"{parent}/things/{number}": fields for number, fields in enumerate(documents)})
        after = query.after and (query.after[0], f"{parent}/{query.after[1]}")
        found = ids(store, replace(query, parent=parent, after=after))
        assert found == list(_plain_search(documents, query))

    @pytest.mark.parametrize(
        ("query", "words"),
        [
            (Query(collection="a/b"), "name of a collection"),
            (Query(collection=""), "name of a collection"),
            (Query(collection="things", parent="runs"), "path of a document"),
            (Query(collection="things", descending=True), "descending order of paths"),
            (Query(collection="things", limit=0), "limit 0"),
            (Query(collection="things", limit=1001), "limit 1001"),
            (Query(collection="things", order_by="a`b"), "field 'a`b'"),
            (Query(collection="things", order_by="n", after=(1, "others/a")), "others/a, which is not in"),
            (Query(collection="things", parent="runs/r", after=(None, "things/a")), "not in the collection"),
            (Query(collection="things", order_by="n", after=(None, "things/a")), "after None"),
            (where("a..b", "==", 1), "field 'a..b'"),
            (where("__name__", "==", 1), "field '__name__'"),
            (where('a."', "==", 1), "field"),
            (where("n", "!=", 1), "operator '!='"),  # type: ignore[arg-type]  # the fault to find
            (where("n", "<", None), "n < None"),
            (where("n", "in", []), "expected a list of 1 to 30 values"),
            (where("n", "in", list(range(31))), "expected a list of 1 to 30 values"),
            (where("n", "in", [None]), "None in it"),
            (where("n", "<", 1, order_by="m"), "an inequality on n in the order of m"),
            (Query(collection="things", where=(Where("n", "<", 1), Where("m", ">", 1))), "inequalities on m, n"),
            (where("n", "==", [1]), "n == cannot be stored: a list, which is not a single value"),
            (where("n", "==", datetime(2026, 1, 1)), "without a time zone"),  # noqa: DTZ001 - the fault to find
        ],
    )
    def test_a_query_that_some_store_could_not_answer_is_refused(self, store: Store, query: Query, words: str) -> None:
        """By all of them, in the same words."""
        with pytest.raises(InvalidInput) as refused:
            store.query(query)
        assert words in refused.value.message


_COMPARE = {"==": operator.eq, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


def _plain_search(documents: Sequence[Mapping[str, Any]], query: Query) -> Iterable[str]:
    """Ids, by looking at every document. All values of a field are of one kind, or None."""

    def holds(condition: Where, fields: Mapping[str, Any]) -> bool:
        name, *key = condition.field.split(".")
        value = fields.get(name)
        if key:
            value = value and value[key[0]]
        if condition.op == "in":
            return value is not None and value in condition.value
        return value is not None and bool(_COMPARE[condition.op](value, condition.value))

    def beyond(place: tuple[Any, str]) -> bool:
        if query.after is None:
            return True
        last = (query.after[0], query.after[1].removeprefix("things/"))
        return place < last if query.descending else place > last

    places = [
        (fields["n"], str(number))
        for number, fields in enumerate(documents)
        if fields["n"] is not None and all(holds(condition, fields) for condition in query.where)
    ]
    return [id_ for n, id_ in sorted(filter(beyond, places), reverse=query.descending)][: query.limit]
