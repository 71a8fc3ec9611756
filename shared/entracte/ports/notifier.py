"""The notifier port: tells people that a gate waits for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct


class Notice(Struct, frozen=True, kw_only=True):
    """What people are told.

    Attributes:
        kind: ``gate.opened``, ``gate.reminder`` or ``run.ended``.
        to: E-mails or user ids; empty for whoever watches.
        title: One line.
        lines: Preview, one line each, masked where a masker applies.
        link: Where it can be decided; empty when there is no such page.
        how: The command that decides it.
    """

    kind: str
    run: str
    gate: str
    to: Sequence[str]
    title: str
    lines: Sequence[str]
    link: str = ""
    how: str = ""


class Notifier(Protocol):
    """One way of telling people."""

    @property
    def name(self) -> str:
        """What it is called in logs: the way and perhaps a host, nothing secret."""
        ...

    def reaches_only(self, name: str) -> bool:
        """Whether nobody else sees a notice to this person alone. Only such a notice may let its reader decide."""
        ...

    def notify(self, notice: Notice) -> None:
        """Send it. May be called again with the same notice.

        Raises:
            RetryableError: Worth another try later.
            TerminalError: This will never work; says why.
            ConfigurationError: It lacks a secret.
        """
        ...
