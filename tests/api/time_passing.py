"""Time that passes only while somebody waits."""

from __future__ import annotations

from collections.abc import Callable

from entracte.api.waiting import Patience


class TimePassing:
    """A clock for `Patience`.

    Attributes:
        seconds: Since the start.
        pauses: Seconds of each wait so far.
        meanwhile: What happens during each wait.
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self.pauses: list[float] = []
        self.meanwhile: Callable[[], object] = lambda: None

    async def sleep(self, seconds: float) -> None:
        self.seconds += seconds
        self.pauses.append(seconds)
        self.meanwhile()

    def patience(self) -> Patience:
        return Patience(now=lambda: self.seconds, sleep=self.sleep)
