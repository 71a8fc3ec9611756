"""Steps of a run as people name them.

``2`` is a step of the agent that the run started at, ``1.0.2`` a step of the agent that call 0 of step 1 asked.
"""

from __future__ import annotations

import re

from entracte.errors import InvalidInput

_STEP = re.compile(r"\d{1,9}(?:\.\d{1,9}\.\d{1,9})*")


def step_address(run: str, frame: str, step: int) -> str:
    """Address of a step of a frame."""
    return f"{frame}.{step}".removeprefix(f"{run}.")


def frame_and_step(run: str, address: str) -> tuple[str, int]:
    """Frame id and step that an address means.

    Raises:
        InvalidInput: It is no address.
    """
    if not _STEP.fullmatch(address):
        raise InvalidInput(
            f"{address[:80]!r} is no step.",
            remedy="Steps are named as `entracte show` prints them, such as 2 or 1.0.2.",
        )
    frame, _, step = f"{run}.{address}".rpartition(".")
    return frame, int(step)
