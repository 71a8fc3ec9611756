"""A test edit: whose name does an edit in the Firestore console carry? (`entracte doctor --console`)

Doctor writes a document beside the gates, a person edits its `decision` in the console, and the answer goes its usual
way: trigger, gate_edit, topic, approve. Approve writes down who it was said to be from. No run knows of it.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from entracte.core.doctor.finding import Finding
from entracte.core.messages import Message
from entracte.ports.store import Create, Delete, Store, Update

PREFIX = "console-test-"
"""What ids of such documents begin with. Those of gates begin with a run's id, which is hexadecimal."""

NAME = "console test edit"

HOW_TO = "A test by entracte doctor: write yes into decision, and nothing else."


def document_to_edit(now: datetime) -> Mapping[str, Any]:
    """The document. Its status is none of a gate's, so that no list and no sweep finds it."""
    return {"decision": "", "how_to": HOW_TO, "status": "test", "seen_author": "", "seen_by": "", "created": now}


def note_test_edit(store: Store, message: Message) -> str:
    """Write down who the answer is said to be from."""
    path = f"gates/{message.gate}"
    found = store.load((path,)).get(path)
    if found is None or message.answer is None:
        return "the test is over"
    told = {"seen_author": message.answer.author, "seen_by": message.answer.by}
    store.commit((Update(path, {**found.fields, **told}, found.version),))
    return f"test edit by {message.answer.author} author"


def try_the_console(
    store: Store, now: datetime, *, edit: Callable[[str], None], pause: Callable[[], bool], local: bool = False
) -> Finding:
    """Have somebody edit, and say whose edit it was taken for.

    Args:
        edit: Has the document of that path edited.
        pause: Waits a little; False once it has been waited for long enough.
        local: The emulator makes authors up, so that only the way there is tried.
    """
    path = f"gates/{PREFIX}{secrets.token_hex(4)}"
    store.commit((Create(path, document_to_edit(now)),))
    try:
        edit(path)
        while not (seen := store.load((path,)))[path].fields["seen_author"]:
            if not pause():
                edited = bool(seen[path].fields["decision"])
                return _unheard() if edited else Finding("unknown", NAME, "nobody edited it", "Try again.")
        fields = seen[path].fields
    finally:
        store.commit((Delete(path),))
    if local:
        return Finding("ok", NAME, "it came all the way; the emulator makes its author up")
    return _heard(str(fields["seen_author"]), str(fields["seen_by"]))


def _unheard() -> Finding:
    told = "the edit was made and never came to approve"
    return Finding("wrong", NAME, told, "Look at the logs of gate_edit and approve, and at the trigger.")


def _heard(author: str, by: str) -> Finding:
    match author:
        case "proved" | "untested":
            remedy = "" if author == "proved" else 'If that is you: set CONSOLE_CONFIRMED = "true" in settings.'
            return Finding("ok", NAME, f"it came from {by}. {remedy}".strip())
        case "machine":
            return Finding("wrong", NAME, f"it came from {by}, an account of this deployment", "Edit it as yourself.")
        case _:
            told = "it came without an author: console answers cannot count where it matters who decides"
            return Finding("wrong", NAME, told, "Leave CONSOLE_CONFIRMED unset; decide by link, API or command line.")
