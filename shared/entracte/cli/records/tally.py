"""How much a run has done so far."""

from __future__ import annotations

from collections.abc import Collection

from msgspec import Struct

from entracte.cli.records.records import Json


class Tally(Struct, frozen=True):
    """Steps of all frames, and calls of tools and agents."""

    steps: int
    calls: int


def tally_of(frames: Collection[Json], actions: Collection[Json]) -> Tally:
    """Count them. A frame's cursor stands at its last step."""
    return Tally(sum(frame["step"] for frame in frames), len(actions))
