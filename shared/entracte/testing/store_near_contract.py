"""Facts about vectors and the nearest of them (see `store_contract`)."""

from __future__ import annotations

from typing import Any

import pytest

from entracte.core.vector import Vector
from entracte.errors import InvalidInput
from entracte.ports.store import Create, Near, Query, Store, Update, Where

EAST, NORTH, NORTH_EAST = Vector((1.0, 0.0)), Vector((0.0, 1.0)), Vector((3.0, 3.0))


def near(vector: Vector, **others: Any) -> Query:
    """A query for the things of one owner that are near."""
    usual: dict[str, Any] = {"collection": "things", "parent": "owners/a", "near": Near("meaning", vector)}
    return Query(**usual | others)


class NearContract:
    """Vectors, and which of them are nearest."""

    def test_a_vector_comes_back_equal(self, store: Store) -> None:
        """Also from an update, and beside other values."""
        made = store.commit([Create("things/a", {"meaning": EAST, "n": 1})])
        store.commit([Update("things/a", {"meaning": Vector((0.1, -2.5, 1e-300))}, made["things/a"])])
        assert store.load(["things/a"])["things/a"].fields == {"meaning": Vector((0.1, -2.5, 1e-300)), "n": 1}

    def test_the_nearest_come_first(self, store: Store) -> None:
        """By angle, not by length; no more than asked for, and only those of the parent."""
        documents = {"east": EAST, "north": NORTH, "between": NORTH_EAST, "west": Vector((-1.0, 0.0))}
        store.commit([Create(f"owners/a/things/{id}", {"meaning": vector}) for id, vector in documents.items()])
        store.commit([Create("owners/b/things/other", {"meaning": EAST})])
        found = store.query(near(Vector((5.0, 1.0)), limit=3))
        assert [stored.path for stored in found] == [f"owners/a/things/{id}" for id in ("east", "between", "north")]
        assert found[0] == store.load(["owners/a/things/east"])["owners/a/things/east"]

    def test_what_has_no_vector_of_that_length_is_not_near(self, store: Store) -> None:
        """Nothing yet, something else, or what another model said."""
        others: dict[str, Any] = {"none": None, "list": [1.0, 0.0], "longer": Vector((1.0, 0.0, 0.0))}
        store.commit([Create(f"owners/a/things/{id}", {"meaning": value}) for id, value in others.items()])
        store.commit([Create("owners/a/things/absent", {}), Create("owners/a/things/north", {"meaning": NORTH})])
        assert [stored.path for stored in store.query(near(EAST))] == ["owners/a/things/north"]

    def test_only_those_that_satisfy_the_conditions_are_near(self, store: Store) -> None:
        """However many others are nearer."""
        for id, kind in (("a", "x"), ("b", "y"), ("c", "x")):
            store.commit([Create(f"owners/a/things/{id}", {"meaning": EAST if id != "c" else NORTH, "kind": kind})])
        found = store.query(near(EAST, where=(Where("kind", "==", "x"),), limit=2))
        assert [stored.path for stored in found] == ["owners/a/things/a", "owners/a/things/c"]

    @pytest.mark.parametrize(
        "query",
        [
            near(EAST, parent=None),
            near(EAST, order_by="n"),
            near(EAST, where=(Where("n", ">", 1),)),
            near(Vector(())),
            near(Vector((0.0, 0.0))),
            near(Vector((1.0,) * 2049)),
        ],
    )
    def test_a_nearest_that_some_store_could_not_find_is_refused(self, store: Store, query: Query) -> None:
        """Before it is asked."""
        with pytest.raises(InvalidInput, match="No store answers"):
            store.query(query)

    @pytest.mark.parametrize("vector", [Vector(()), Vector((1.0,) * 2049), Vector((float("nan"),))])
    def test_a_vector_that_some_store_could_not_keep_is_refused(self, store: Store, vector: Vector) -> None:
        """As any such value is."""
        with pytest.raises(InvalidInput, match="cannot be stored"):
            store.commit([Create("things/a", {"meaning": vector})])
