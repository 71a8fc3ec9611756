"""What only the SQLite store does: one file for several processes, made for people and for `due <= now`."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from entracte.adapters.sqlite.schema import APPLICATION_ID
from entracte.adapters.sqlite.select import select
from entracte.adapters.sqlite.store import SqliteStore
from entracte.errors import ConfigurationError, StaleWrite, StoreUnavailable
from entracte.ports.answerable import answerable
from entracte.ports.store import Create, Delete, Query, Update, Where

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)

INCREMENT_20_TIMES = """
import sys
from entracte.adapters.sqlite.store import SqliteStore
from entracte.errors import StaleWrite
from entracte.ports.store import Create, Update

print("ready", flush=True)
sys.stdin.readline()
store = SqliteStore(sys.argv[1])
for _ in range(20):
    for _ in range(1000):
        try:
            found = store.load(["counters/one"]).get("counters/one")
            if found is None:
                store.commit([Create("counters/one", {"n": 1})])
            else:
                store.commit([Update("counters/one", {"n": found.fields["n"] + 1}, found.version)])
            break
        except StaleWrite:
            pass
    else:
        sys.exit("1000 conflicts in a row")
store.close()
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where no store is yet, in a folder that is not there either."""
    return tmp_path / "new" / "store.db"


@pytest.fixture
def store(file: Path) -> Iterator[SqliteStore]:
    """An empty store."""
    store = SqliteStore(file)
    yield store
    store.close()


def test_processes_that_open_a_new_file_together_share_it(file: Path):
    """Each makes the tables unless another has, and none loses what another wrote."""
    source = str(Path(sys.modules["entracte"].__path__[0]).parent)
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {source!r})\n{INCREMENT_20_TIMES}", str(file)]
    children = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    assert [child.stdout.readline() for child in children if child.stdout] == ["ready\n"] * 4
    for child in children:
        print("go", file=child.stdin, flush=True)
    for child in children:
        assert child.communicate(timeout=60) == ("", None)
    assert [child.returncode for child in children] == [0] * 4
    store = SqliteStore(file)
    assert store.load(["counters/one"])["counters/one"].fields == {"n": 80}
    store.close()


def test_what_was_committed_is_there_for_the_next_process(file: Path):
    """Without the first one's having closed the store; and versions go on where they were."""
    first, second = SqliteStore(file), SqliteStore(file)
    created = first.commit([Create("things/a", {"n": 1}), Create("things/b", {"n": 1})])
    first.commit([Delete("things/b")])
    assert second.load(["things/a"])["things/a"].version == created["things/a"]
    again = second.commit([Create("things/b", {"n": 1})])
    with pytest.raises(StaleWrite):
        first.commit([Update("things/b", {"n": 2}, created["things/b"])])
    assert again["things/b"] > created["things/b"]  # type: ignore[operator]  # an integer, in this store
    first.close()
    second.close()


def test_a_row_is_readable_json(store: SqliteStore, file: Path):
    """For a person with the `sqlite3` shell, and for its JSON functions."""
    store.commit([Create("runs/r/things/a", {"due": NOON, "raw": b"\x00\xff", "text": "é", "none": None})])
    connection = sqlite3.connect(file)
    rows = connection.execute("SELECT path, collection, parent, version, fields FROM documents").fetchall()
    connection.close()
    text = '{"due":{"__time__":"2026-11-30T12:00:00.000Z"},"raw":{"__bytes__":"00ff"},"text":"é","none":null}'
    assert rows == [("runs/r/things/a", "things", "runs/r", 1, text)]
    assert json.loads(text)["text"] == "é"


@pytest.mark.parametrize(
    ("query", "index"),
    [
        (Query(collection="frames", where=(Where("due", "<=", NOON),)), "by_due (collection=? AND <expr>"),
        (
            Query(collection="runs", where=(Where("owner", "==", "ada"),), order_by="created", descending=True),
            "by_owner_created (collection=? AND <expr>=?)",
        ),
        (
            Query(collection="frames", parent="runs/r"),
            "sqlite_autoindex_documents_1 (collection=? AND path>? AND path<?)",
        ),
    ],
    ids=["due", "owner", "children"],
)
def test_what_is_asked_often_is_found_by_an_index_and_not_sorted(
    store: SqliteStore, file: Path, query: Query, index: str
):
    """So that its cost grows with what is found, not with what is kept."""
    (step,) = steps(file, query)
    assert f"USING INDEX {index}" in step


def test_a_collection_is_found_by_its_name_and_then_sorted(store: SqliteStore, file: Path):
    """What is asked now and then costs no index of its own."""
    find, sort = steps(file, Query(collection="gates", where=(Where("status", "==", "open"),)))
    assert "USING INDEX sqlite_autoindex_documents_1 (collection=?)" in find
    assert sort == "USE TEMP B-TREE FOR ORDER BY"


def test_children_are_found_by_their_path_and_then_sorted(store: SqliteStore, file: Path):
    """Whatever SQLite would choose: an index by time may lead through the children of all other parents."""
    since = (Where("owner", "==", "ada"), Where("created", ">", NOON), Where("created", ">=", NOON))
    find, sort = steps(file, Query(collection="actions", parent="runs/r", where=since))
    assert "USING INDEX sqlite_autoindex_documents_1 (collection=? AND path>? AND path<?)" in find
    assert sort == "USE TEMP B-TREE FOR ORDER BY"


def steps(file: Path, query: Query) -> list[str]:
    """How SQLite says that it would answer."""
    connection = sqlite3.connect(file)
    sql, parameters = select(answerable(query))
    found = connection.execute(f"EXPLAIN QUERY PLAN {sql}", parameters).fetchall()
    connection.close()
    return [step[3] for step in found]


def test_a_file_that_stays_locked_is_an_error_in_time_and_nothing_is_written(file: Path):
    """Another program may hold it: the delivery is tried again later. Reading goes on meanwhile."""
    store = SqliteStore(file, busy_timeout_s=0.05)
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreUnavailable, match=r"store\.db cannot be used now: database is locked"):
        store.commit([Create("things/a", {})])
    assert store.load(["things/a"]) == {}
    other.execute("ROLLBACK")
    other.close()
    assert set(store.commit([Create("things/a", {})])) == {"things/a"}
    store.close()


def test_a_database_of_another_program_is_left_alone(tmp_path: Path):
    """Its tables are not ours to add to."""
    file = tmp_path / "theirs.db"
    with sqlite3.connect(file) as theirs:
        theirs.execute("CREATE TABLE customers (name TEXT)")
    theirs.close()
    with pytest.raises(ConfigurationError, match=r"theirs\.db is a database of another program. Name another file"):
        SqliteStore(file)


def test_a_file_of_a_newer_version_is_left_alone(tmp_path: Path):
    """It may hold what this version would break."""
    file = tmp_path / "newer.db"
    with sqlite3.connect(file) as newer:
        newer.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        newer.execute("PRAGMA user_version = 2")
    newer.close()
    with pytest.raises(ConfigurationError, match=r"newer\.db has schema 2; this version of Entracte knows 1"):
        SqliteStore(file)


@pytest.mark.parametrize("place", ["text.txt", "text.txt/store.db", "."])
def test_what_is_no_database_is_named(tmp_path: Path, place: str):
    """A text, a file in place of a folder, a folder."""
    (tmp_path / "text.txt").write_text("no database" * 100)
    with pytest.raises(ConfigurationError, match=str(tmp_path / place)):
        SqliteStore(tmp_path / place)


def test_a_closed_store_says_so(store: SqliteStore):
    """Rather than fail somewhere in SQLite."""
    store.close()
    with pytest.raises(RuntimeError, match="The store is closed"):
        store.load(["things/a"])
    with pytest.raises(RuntimeError, match="The store is closed"):
        store.commit([Create("things/a", {})])


def test_what_is_looked_up_during_a_commit_is_there_at_once_as_it_was_before(store: SqliteStore):
    """Reading waits for nobody who writes."""
    store.commit([Create("runs/r", {"n": 1})])
    with store._connections.writing() as transaction:
        transaction.execute("UPDATE documents SET fields = '{\"n\": 2}'")
        assert store.load(["runs/r"])["runs/r"].fields == {"n": 1}
    assert store.load(["runs/r"])["runs/r"].fields == {"n": 2}
