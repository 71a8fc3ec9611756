"""Each query has its index, and each index its query (infra/firestore/indexes.yaml)."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from entracte.core.addresses import KINDS
from entracte.core.vector import DIMENSIONS, Vector
from entracte.ports.store import Query, Where
from entracte.runtime.engine import queries
from entracte.runtime.upkeep import belongings, retention, sweep

INDEXES = Path(__file__).resolve().parents[2] / "infra" / "firestore" / "indexes.yaml"
NOW = datetime(2026, 1, 1, tzinfo=UTC)

Index = tuple[str, str, tuple[str, ...]]
"""Collection, scope, fields."""

PAGE: dict[str, Any] = {"limit": 10, "after": None}

ASKED: dict[str, list[Query]] = {
    "runs_of": [
        queries.runs_of("ada", filters, **PAGE)
        for filters in (
            {},
            {"status": "running"},
            {"agent": "desk"},
            {"session": "s"},
            {"status": "running", "agent": "desk", "session": "s"},
        )
    ],
    "due": [queries.due(kind, NOW, limit=10) for kind in (*sweep.DUE_KINDS, "chunks")],
    "expired": [queries.expired(kind, NOW, limit=10) for kind in (*retention.IN_TURN, "runs")],
    "letters": [queries.letters(**PAGE)],
    "children_of": [queries.children_of("runs/r", kind, limit=10) for kind in belongings.RUN_PARTS],
    "sessions_of": [queries.sessions_of("ada", limit=10)],
    "latest_calls_of": [queries.latest_calls_of("ada", limit=10)],
    "edited_gates": [queries.edited_gates(limit=10)],
    "moving": [queries.moving(kind, **PAGE) for kind in ("actions", "frames", "runs")],
    "journal_of": [queries.journal_of("r", **PAGE)],
    "journal_since": [queries.journal_since("r", since, **PAGE) for since in (None, NOW)],
    "live_of": [queries.live_of("r", limit=10)],
    "frames_of": [queries.frames_of("r", limit=10)],
    "actions_of": [queries.actions_of("r", **PAGE)],
    "turns_of": [queries.turns_of("s", **PAGE)],
    "artifacts_of": [queries.artifacts_of("sessions/s", limit=10)],
    "active_artifacts": [queries.active_artifacts("sessions/s", limit=10)],
    "gates_of": [queries.gates_of("ada", status, **PAGE) for status in ("", "waiting")],
    "gates_for": [queries.gates_for("bob@example.com", **PAGE)],
    "waiting_gates": [queries.waiting_gates(limit=1)],
    "memories_of": [queries.memories_of("memories/k", **PAGE)],
    "latest_memories": [queries.latest_memories("memories/k", "mika", limit=10)],
    "memories_of_day": [queries.memories_of_day("memories/k", "mika", "2026-11-30", limit=10)],
    "memories_near": [queries.memories_near("memories/k", "mika", "openai/e", Vector((1.0,)), limit=10)],
    "gates_of_run": [queries.gates_of_run("r", limit=10)],
}
"""Every query function, asked in every way that changes its shape."""


@pytest.fixture(scope="module")
def listed() -> dict[str, Any]:
    """The file."""
    content: dict[str, Any] = YAML(typ="safe").load(INDEXES.read_text())
    return content


def index(entry: dict[str, Any]) -> Index:
    """An entry of the file."""
    return entry["collection"], entry["scope"], tuple(entry["fields"])


def needed(query: Query) -> Iterator[Index]:
    """What Firestore needs to answer a query: equalities, then the field that is sorted by or compared.

    Several filters are answered by merging one index for each (https://firebase.google.com/docs/firestore/query-data/
    index-overview#taking_advantage_of_index_merging), which must begin and end alike.
    """
    scope = "COLLECTION_GROUP" if query.parent is None else "COLLECTION"
    first, *rest = [written(where) for where in query.where if where.op in ("==", "has")] or [""]
    compared = next((where.field for where in query.where if where.op not in ("==", "has")), "")
    last = (query.order_by or compared) + (" desc" if query.descending else "")
    if query.near is not None:  # one index has it all
        yield query.collection, scope, (first, *rest, f"{query.near.field} vector")
        return
    for filters in [(first, more) for more in rest] or [(first,)]:
        if fields := tuple(field for field in (*filters, last) if field):
            yield query.collection, scope, fields


def written(where: Where) -> str:
    """A filter's field, as the file writes it."""
    return f"{where.field} contains" if where.op == "has" else where.field


def test_every_query_function_is_asked():
    """A new query is not forgotten here."""
    functions = inspect.getmembers(queries, inspect.isfunction)
    assert {name for name, function in functions if function.__module__ == queries.__name__} == set(ASKED)


def test_each_query_has_its_indexes_and_no_index_is_without_a_query(listed: dict[str, Any]):
    """By the name of the query, so that who changes one sees the other."""
    found = {name: {index(entry) for entry in entries} for name, entries in listed["queries"].items()}
    assert found == {name: {need for query in asked for need in needed(query)} for name, asked in ASKED.items()}


def test_a_filter_by_metadata_needs_one_index_for_its_key(listed: dict[str, Any]):
    """KEY stands for a key that the deployment names."""
    query = queries.runs_of("ada", {"metadata.KEY": "T-7"}, **PAGE)
    assert [index(entry) for entry in listed["metadata"]] == list(needed(query))


def test_the_index_of_vectors_is_for_those_that_are_kept(listed: dict[str, Any]):
    """Firestore leaves others out of it without a word."""
    assert listed["dimensions"] == DIMENSIONS


def test_no_collection_is_indexed_by_default(listed: dict[str, Any]):
    """Every collection of ours is exempt, so that an index entry is always somebody's wish."""
    entries = [*listed["queries"].values(), *listed["client"].values(), listed["metadata"]]
    indexed = {entry["collection"] for group in entries for entry in group}
    assert set(listed["exempt"]) >= indexed | set(KINDS) | {"artifacts", "chunks", "items", "live", "sealed"}


def test_every_index_is_one_that_firestore_can_make(listed: dict[str, Any]):
    """At most one field that is a list; a direction that exists; the names of scopes as the API spells them."""
    groups = [*listed["queries"].values(), *listed["client"].values(), listed["metadata"]]
    for collection, scope, fields in (index(entry) for group in groups for entry in group):
        modes = [field.partition(" ")[2] for field in fields]
        assert set(modes) <= {"", "desc", "contains", "vector"}, (collection, fields)
        assert modes.count("contains") <= 1, (collection, fields)
        assert "vector" not in modes[:-1], (collection, fields)
        assert scope in ("COLLECTION", "COLLECTION_GROUP"), (collection, fields)
