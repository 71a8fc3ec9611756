"""Announcing gates: a notice made of the gate, sent in every way that the deployment has chosen."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from entracte.adapters.notify.registry import open_notifiers
from entracte.core.documents.gate import WORDS, Gate
from entracte.errors import ConfigurationError, RetryableError, TerminalError
from entracte.ports.clock import Clock
from entracte.ports.notifier import Notice, Notifier
from entracte.ports.secrets import Secrets
from entracte.runtime.services.links import Links
from entracte.runtime.settings import Settings

log = logging.getLogger("entracte")

_MAX_REMEMBERED = 1000

MAX_LINE = 500
"""Characters of one line of a notice."""


class Announcer:
    """Tells people of gates.

    Args:
        links: Makes the links by which each person can decide. None for no links.
    """

    def __init__(self, notifiers: Sequence[Notifier], links: Links | None = None) -> None:
        self._notifiers = notifiers
        self._links = links
        self._told: set[tuple[int, Notice]] = set()  # while another way has still to work

    def __call__(self, gate: Gate, reminder: bool) -> str:
        """Send a notice in every way. Gives by which ways people were told.

        One way that fails keeps no other from being tried. Where one may work later, the message comes again. If it
        comes to another process, the others send the same notice once more: told twice is better than not at all.

        Raises:
            RetryableError: At least one way is worth another try.
        """
        told: dict[str, None] = {}
        later: RetryableError | None = None
        sent: set[tuple[int, Notice]] = set()
        if len(self._told) > _MAX_REMEMBERED:
            self._told.clear()
        for notifier, notice in self._notices(gate, reminder):
            sent.add(key := (id(notifier), notice))
            try:
                if key not in self._told:
                    notifier.notify(notice)
            except RetryableError as error:
                log.warning("notice_again gate=%s by=%r %s", gate.id, notifier.name, error)
                later = error
            except (TerminalError, ConfigurationError) as error:
                log.error("notice_failed gate=%s by=%r %s", gate.id, notifier.name, error)
            else:
                told[notifier.name] = None
                self._told.add(key)
        if later is not None:
            raise later
        self._told -= sent
        return f"told by {', '.join(told)}" if told else "nobody could be told"

    def send_link(self, gate: Gate, approver: str) -> None:
        """Send a new link to one person, in every way that reaches nobody else.

        Raises:
            RetryableError, TerminalError, ConfigurationError: As the notifier says.
        """
        notice = self._notice(gate, reminder=False)
        for notifier in self._notifiers:
            if self._links is not None and notifier.reaches_only(approver):
                link = self._links.link_for(gate, approver, fresh=True)
                notifier.notify(
                    replace(notice, to=(approver,), title=f"New link: {notice.title}"[:MAX_LINE], link=link)
                )

    def _notice(self, gate: Gate, *, reminder: bool) -> Notice:
        return notice_of(gate, reminder=reminder, url=self._links.public_url if self._links is not None else "")

    def _notices(self, gate: Gate, reminder: bool) -> Iterator[tuple[Notifier, Notice]]:
        """One for each person where only that person sees it, with a link that decides; one for all elsewhere.

        Whoever has a signed link can use it: a chat room or a log must not have one.
        """
        notice = self._notice(gate, reminder=reminder)
        for notifier in self._notifiers:
            alone = [name for name in notice.to if notifier.reaches_only(name)]
            if self._links is None:
                yield notifier, notice
            elif not alone:
                yield notifier, replace(notice, link=self._links.page_of(gate))
            else:
                for name in alone:
                    yield notifier, replace(notice, to=(name,), link=self._links.link_for(gate, name))


def notice_of(gate: Gate, *, reminder: bool, url: str = "") -> Notice:
    """What people are told of a gate, but for the link. Its preview shows masked values only.

    Args:
        url: Where the API is that decides it; empty on one's own machine.
    """
    title = " ".join(gate.question.split()) or f"{gate.z.tool}: go ahead?"
    return Notice(
        kind="gate.reminder" if reminder else "gate.opened",
        run=gate.run,
        gate=gate.id,
        to=gate.z.approvers or (gate.z.owner,),
        title=(f"Reminder: {title}" if reminder else title)[:MAX_LINE],
        lines=tuple(line[:MAX_LINE] for line in gate.preview),
        how=command_of(gate, url),
    )


def command_of(gate: Gate, url: str = "") -> str:
    """The command that decides it, as it is typed. What it may answer differs by the gate's kind."""
    *others, safest = WORDS[gate.z.kind] or ("'YOUR ANSWER'",)
    at = f" --url {url}" if url else ""
    if "approve" in others:
        return f"entracte approve {gate.id}{at}"
    return f"entracte answer {gate.id} {safest}{at}" + (f"  # or {', '.join(others)}" if others else "")


def open_announcer(settings: Settings, secrets_port: Secrets, clock: Clock) -> Announcer:
    """The announcer that the settings ask for.

    Raises:
        ConfigurationError: An address in them cannot be used.
    """
    notifiers = open_notifiers(
        settings.notify,
        secrets=secrets_port,
        clock=clock,
        smtp=settings.smtp,
        sender=settings.notify_from,
        loopback=settings.notify_loopback,
    )
    return Announcer(notifiers, Links(secrets_port, clock, public_url=settings.public_url))
