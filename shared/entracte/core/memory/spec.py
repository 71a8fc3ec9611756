"""What a network asks of long-term memory, as plain data. `entracte.agents` makes it."""

from __future__ import annotations

from msgspec import Struct

from entracte.errors import ConfigurationError


class MemorySpec(Struct, frozen=True, kw_only=True):
    """Long-term memory of one network.

    Attributes:
        persona: Character whose memory it is: several networks of one deployment may each have their own.
        voice: How memories are worded, such as "as Mika's diary"; empty for plain statements.
        keep: What else is worth keeping, beside preferences, decisions, core settings and personal details.
        shown: Most memories that a run is shown at its start.
        likeness: Least likeness in meaning of one that is shown for what it says, from 0 to 1. Models differ.
        max_items: Most that is remembered of one owner.
    """

    persona: str = ""
    voice: str = ""
    keep: str = ""
    shown: int = 8
    likeness: float = 0.35
    max_items: int = 1_000

    def __post_init__(self) -> None:
        for name, least, most in (("shown", 1, 50), ("likeness", 0, 1), ("max_items", 1, 5_000)):
            if not least <= (value := getattr(self, name)) <= most:
                raise ConfigurationError(f"Memory: {name} is {value}; expected {least} to {most:,}.")
