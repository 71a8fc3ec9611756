"""Which messages of a session stay as they were, and which are summed up.

The first ones say what the conversation is for, the latest what it is at; those between them go into a running summary
once enough have gathered. The numbers: `SUMMARISED_FROM` and `SUMMARISED_FROM_TOKENS` ask the
light model, after an answer and on nobody's time; `KEPT` and `KEPT_TOKENS` hold whatever became of that.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from entracte.core.asking.measuring import BYTES_PER_TOKEN
from entracte.core.documents.line import Line

OPENING, LATEST = 5, 20
"""Messages at either end that are kept as they were."""

SUMMARISED_FROM, SUMMARISED_FROM_TOKENS = 30, 80_000
"""More messages than this, or more tokens of them, and those between the ends are to be summarised."""

KEPT, KEPT_TOKENS = 50, 100_000
"""Most that a session document carries: beyond, they are summed up by rule at once."""

SUMMARY_CHARS = 4_000
"""Longest running summary."""

RULE_CHARS = 160
"""What the rule keeps of each message."""


class History(Struct, frozen=True, kw_only=True):
    """The messages of a session, as far as it remembers them.

    Attributes:
        opening: The first ones; empty until something has been summed up.
        summary: Of those between.
        latest: The rest.
    """

    opening: tuple[Line, ...] = ()
    summary: str = ""
    latest: tuple[Line, ...] = ()

    @property
    def lines(self) -> tuple[Line, ...]:
        return (*self.opening, *self.latest)

    def is_over(self, messages: int, tokens: int) -> bool:
        """Whether there are more of them."""
        return len(self.lines) > messages or tokens_of(self.lines) > tokens

    @property
    def is_long(self) -> bool:
        """Whether the messages between the ends are to be summarised."""
        return self.is_over(SUMMARISED_FROM, SUMMARISED_FROM_TOKENS)

    @property
    def between(self) -> tuple[Line, ...]:
        """Messages that would be summed up now: all but the ends, and of these what is too long."""
        first = () if self.opening else self.latest[:OPENING]
        rest = self.latest[len(first) :]
        kept = rest[-LATEST:]
        while len(kept) > 2 and tokens_of((*self.opening, *first, *kept)) > SUMMARISED_FROM_TOKENS // 2:
            kept = kept[1:]
        return rest[: len(rest) - len(kept)]

    def folded(self, between: Sequence[Line], summary: str) -> History:
        """The history with the messages that `between` gave summed up.

        Args:
            summary: Of them and of what was summed up before.
        """
        opening = self.opening or self.latest[:OPENING]
        gone = len(between) if self.opening else len(opening) + len(between)
        return History(opening=opening, summary=summary[:SUMMARY_CHARS], latest=self.latest[gone:])

    def bounded(self) -> History:
        """The history as a session document may carry it."""
        if not self.is_over(KEPT, KEPT_TOKENS):
            return self
        between = self.between
        return self.folded(between, summed_up_by_rule(self.summary, between))


def summed_up_by_rule(summary: str, lines: Sequence[Line]) -> str:
    """A summary that takes no model: how each message begins. Where it grows too long, its middle goes."""
    begun = (f"{line.role}: {_beginning(line.text)}" for line in lines)
    whole = "\n".join((*([summary] if summary else ()), *begun))
    if len(whole) <= SUMMARY_CHARS:
        return whole
    head = SUMMARY_CHARS // 4
    return f"{whole[:head]}\n…\n{whole[-(SUMMARY_CHARS - head - 3) :]}"


def tokens_of(lines: Sequence[Line]) -> int:
    """Tokens of the messages, guessed rather too high than too low."""
    size_bytes = sum(len(text.encode()) for line in lines for text in (line.text, *line.did))
    return -(-size_bytes // BYTES_PER_TOKEN)


def _beginning(text: str) -> str:
    said = " ".join(text.split())
    return said if len(said) <= RULE_CHARS else f"{said[:RULE_CHARS]}…"
