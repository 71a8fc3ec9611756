"""Messages that nobody could read, on the command line (commands/letters.py)."""

import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pytest

from entracte.adapters.sqlite.store import SqliteStore
from entracte.api.app import create_app
from entracte.cli.records.local_records import runtime_on
from entracte.runtime.doors.callers import LoopbackUser
from entracte.runtime.upkeep.letters import keep_letter
from tests.api.serving import served
from tests.cli.conftest import Done

Call = Callable[..., Done]

ID = sha256(b"{").hexdigest()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    """A store with two letters."""
    store = SqliteStore(str(tmp_path / "kept.db"))
    for body in (b"}", b"{", b"{"):
        keep_letter(
            runtime_on(store).engine.repository, datetime.now(UTC), source="plan", body=body, reason="Not a message."
        )
    yield store
    store.close()


def test_letters_are_listed_and_dropped(call: Call, at: tuple[str, ...]):
    """By how their ids begin; here and behind an API alike."""
    head, first, second = call("letters", *at).out.splitlines()
    assert head.split() == ["letter", "source", "times", "last", "bytes", "what", "is", "wrong"]
    assert re.sub(r" \d+ s ago", " now", first).split() == [ID[:12], "plan", "2", "now", "1", "Not", "a", "message."]
    assert [item["count"] for item in json.loads(call("letters", "--json", *at).out)["letters"]] == [2, 1]
    assert call("letters", "--drop", ID[:12], *at).err == f"Letter {ID[:12]} dropped.\n"
    assert len(call("letters", *at).out.splitlines()) == 2
    assert call("letters", "--drop", second.split()[0], *at).code == 0
    assert call("letters", *at).err == "No letters: every message could be read.\n"


def test_what_is_no_letter_is_not_dropped(call: Call, store: SqliteStore):
    """Nothing is guessed."""
    done = call("letters", "--drop", "zz", "--store", "kept.db")
    assert (done.code, done.err.splitlines()[0]) == (1, "error: No letter's id begins with 'zz'.")


def test_letters_are_for_operators(call: Call, store: SqliteStore):
    """Behind an API; whoever can open a store's file could write anything into it."""
    with served(create_app(runtime_on(store), identify=LoopbackUser("local"))) as url:
        done = call("letters", "--url", url)
    assert (done.code, done.err.splitlines()[0]) == (1, "error: Only operators may do this.")
