"""What fits on the screen, from its end: where things happen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.segment import Segment


class Tail(Struct, frozen=True):
    """A head that always stays, and the last lines of a body."""

    head: RenderableType
    body: Sequence[RenderableType]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        whole = options.update(height=None)
        head = console.render_lines(self.head, whole, pad=False)
        body = console.render_lines(Group(*self.body), whole, pad=False)
        room = max(1, console.height - len(head) - 1)
        for line in [*head, *body[-room:]]:
            yield from line
            yield Segment.line()
