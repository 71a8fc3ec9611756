"""What tools have really done, whatever the documents say of it; and what the runtime has heard of it."""

from __future__ import annotations

from dataclasses import dataclass

from entracte.core.calls import Ending


@dataclass(frozen=True, slots=True)
class Effect:
    """One time that a changing tool acted.

    Attributes:
        key: Idempotency key of the call: the action's id, or that of a reversal.
        action: Whose call it was.
        attempt: Counts the calls with this key, from 1.
        digest: Of the arguments that it was called with.
        honours_key: The tool is declared idempotent: a second call with the key does nothing.
        sure: It said that it acted; otherwise it broke off.
        skewed: The clock of the process that called was wrong by more than a lease bears.
    """

    key: str
    action: str
    tool: str
    attempt: int
    digest: str
    honours_key: bool
    sure: bool = True
    skewed: bool = False

    @property
    def is_inverse(self) -> bool:
        """An undo's call."""
        return self.key != self.action


@dataclass(frozen=True, slots=True)
class HeardEnd:
    """How a changing call ended, as a delivery has heard that came to its own end.

    Attributes:
        attempt: Of the action; inverses are not among them.
    """

    action: str
    attempt: int
    ending: Ending
