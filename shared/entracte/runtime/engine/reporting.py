"""Progress of a call that is under way: journaled when the tool tells it, so that whoever watches sees it at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from entracte.core.calls import Call
from entracte.core.documents.journal import Entry
from entracte.core.events import record
from entracte.core.outcome import Outcome
from entracte.errors import EntracteError
from entracte.runtime.engine.repository import Loaded

if TYPE_CHECKING:
    from entracte.runtime.engine.engine import Engine


def report_progress(engine: Engine, call: Call, text: str) -> bool:
    """Journal what a tool tells, and tell observers. False when it could not be kept; then the call's end tells it."""
    now = engine.clock.now()
    entry = Entry(
        id=f"{call.action}.{call.attempt}.progress.{engine.process.new_token()[:12]}",
        run=call.run,
        frame=call.frame,
        owner=call.user,
        agent=call.agent,
        step=call.step,
        phase="execute",
        at=now,
        events=(record("tool.progress", action=call.action, tool=call.tool, text=text),),
    )
    try:
        return engine.commits.commit(Loaded(), Outcome(entry=entry), began=now)
    except EntracteError:
        return False  # a tool that tells how far it is must not fail because nobody could hear it
