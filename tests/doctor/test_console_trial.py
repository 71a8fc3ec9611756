"""A test edit: who it is said to be from, and what that means (runtime/doctor/console_trial.py)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from entracte.adapters.memory.store import MemoryStore
from entracte.core.answer import Answer, Author
from entracte.core.doctor.finding import Finding
from entracte.core.messages import Message
from entracte.ports.store import Store, Update
from entracte.runtime.doctor.console_trial import PREFIX, note_test_edit, try_the_console

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def approve(author: Author, by: str) -> Callable[[Store, str], None]:
    """What approve does when it hears of an edit by somebody."""

    def hear(store: Store, path: str) -> None:
        answer = Answer(id="e", by=by, via="console", decision="yes", author=author)
        note_test_edit(store, Message(kind="approve", run="none", gate=path.removeprefix("gates/"), answer=answer))

    return hear


def tried(then: Callable[[Store, str], None]) -> tuple[Finding, Store]:
    """A test in which this follows the document."""
    store = MemoryStore()
    return try_the_console(store, NOW, edit=lambda path: then(store, path), pause=lambda: False), store


@pytest.mark.parametrize(
    ("author", "by", "verdict", "told"),
    [
        ("untested", "ada@example.com", "ok", "it came from ada@example.com. If that is you: set CONSOLE_CONFIRMED"),
        ("proved", "ada@example.com", "ok", "it came from ada@example.com."),
        ("machine", "run@p.iam.gserviceaccount.com", "wrong", "an account of this deployment"),
        ("unknown", "unconfirmed", "wrong", "without an author"),
    ],
)
def test_whose_edit_it_was_is_said(author: Author, by: str, verdict: str, told: str):
    """One that names nobody must not count."""
    found, _ = tried(approve(author, by))
    assert (found.verdict, told in found.told) == (verdict, True)


def test_an_edit_that_nobody_hears_of_is_told_from_none():
    """The first is a broken trigger, the second an empty chair."""

    def unheard(store: Store, path: str) -> None:
        found = store.load((path,))[path]
        store.commit((Update(path, {**found.fields, "decision": "yes"}, found.version),))

    assert tried(unheard)[0].verdict == "wrong"
    assert tried(lambda store, path: None)[0].verdict == "unknown"


@pytest.mark.parametrize("then", [approve("unknown", "x"), lambda store, path: None], ids=["heard", "not edited"])
def test_nothing_is_left_behind(then: Callable[[Store, str], None]):
    """Whatever became of it; and what is heard afterwards writes nothing."""
    paths: list[str] = []

    def follow(store: Store, path: str) -> None:
        paths.append(path)
        then(store, path)

    _, store = tried(follow)
    (path,) = paths
    assert path.startswith(f"gates/{PREFIX}") and store.load((path,)) == {}
    approve("proved", "eve@example.com")(store, path)
    assert store.load((path,)) == {}
