"""Announcing gates: a notice made of the gate, sent in every way that the deployment has chosen."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from entracte.core.documents.gate import WORDS, Gate
from entracte.errors import ConfigurationError, RetryableError, TerminalError
from entracte.ports.notifier import Notice, Notifier

log = logging.getLogger("entracte")

MAX_LINE = 500
"""Characters of one line of a notice."""


class Announcer:
    """Tells people of gates.

    Args:
        public_url: What links to gates begin with; empty for no links.
    """

    def __init__(self, notifiers: Sequence[Notifier], *, public_url: str = "") -> None:
        self._notifiers = notifiers
        self._public_url = public_url.rstrip("/")

    def __call__(self, gate: Gate, reminder: bool) -> str:
        """Send a notice in every way. Gives by which ways people were told.

        One way that fails keeps no other from being tried. Where one may work later, the message comes again, and the
        others send the same notice once more: told twice is better than not at all.

        Raises:
            RetryableError: At least one way is worth another try.
        """
        notice = notice_of(gate, reminder=reminder, public_url=self._public_url)
        told: list[str] = []
        later: RetryableError | None = None
        for notifier in self._notifiers:
            try:
                notifier.notify(notice)
            except RetryableError as error:
                log.warning("notice_again gate=%s by=%r %s", gate.id, notifier.name, error)
                later = error
            except (TerminalError, ConfigurationError) as error:
                log.error("notice_failed gate=%s by=%r %s", gate.id, notifier.name, error)
            else:
                told.append(notifier.name)
        if later is not None:
            raise later
        return f"told by {', '.join(told)}" if told else "nobody could be told"


def notice_of(gate: Gate, *, reminder: bool, public_url: str = "") -> Notice:
    """What people are told of a gate. Its preview shows masked values only."""
    title = " ".join(gate.question.split()) or f"{gate.z.tool}: go ahead?"
    return Notice(
        kind="gate.reminder" if reminder else "gate.opened",
        run=gate.run,
        gate=gate.id,
        to=gate.z.approvers or (gate.z.owner,),
        title=(f"Reminder: {title}" if reminder else title)[:MAX_LINE],
        lines=tuple(line[:MAX_LINE] for line in gate.preview),
        link=f"{public_url}/gates/{gate.id}" if public_url else "",
        how=_command(gate),
    )


def _command(gate: Gate) -> str:
    """The command that decides it, as it is typed. What it may answer differs by the gate's kind."""
    *others, safest = WORDS[gate.z.kind] or ("'YOUR ANSWER'",)
    if "approve" in others:
        return f"entracte approve {gate.id}"
    return f"entracte answer {gate.id} {safest}" + (f"  # or {', '.join(others)}" if others else "")
