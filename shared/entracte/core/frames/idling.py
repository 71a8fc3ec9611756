"""Steps that lead nowhere: no state changed, and no call brought anything that was not known.

It catches what counting equal calls does not: going to and fro between two calls, or failing in ever new ways. Told
first, since there may be a reason; ended then, since each step costs.
"""

from __future__ import annotations

TOLD_AFTER = 3
"""Idle steps in a row until the agent is told, with each further one."""

ENDED_AFTER = 6
"""Idle steps in a row until the frame ends."""


def idle_steps(before: int, *, news: bool, changed: bool) -> int:
    """Idle steps in a row, with this one.

    Args:
        news: A call applied and gave something that it had not given before.
        changed: Something in state changed.
    """
    return 0 if news or changed else before + 1


def told_of_idling(steps: int) -> tuple[str, ...]:
    """What the agent is told."""
    if steps < TOLD_AFTER:
        return ()
    return (
        f"The last {steps} steps brought nothing new and changed nothing in state. "
        "Go another way, or answer with what is known.",
    )


def why_idle(steps: int) -> str:
    """Why the frame ends, or an empty string while it goes on."""
    return f"{steps} steps in a row brought nothing new." if steps >= ENDED_AFTER else ""
