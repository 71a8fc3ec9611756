"""The same call with the same end, again and again: told first, since there may be a reason; then it ends the frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from entracte.core.documents.action import Action
from entracte.core.payload import digest

TOLD_AFTER = 3
"""This many times: the agent is told."""

ENDED_AFTER = 5
"""And this many times: the frame ends."""

_REMEMBERED = 64  # different calls that a frame counts; older ones are forgotten


class Repetition(Struct, frozen=True):
    """What a step's calls repeat.

    Attributes:
        repeats: How often each call was made, by its fingerprint, with this step.
        told: What the agent is told.
        looping: Why the frame goes round in circles, in words; empty if it does not.
        news: A call applied and gave something that it had not given before.
    """

    repeats: dict[str, int]
    told: tuple[str, ...]
    looping: str
    news: bool


def count_repeats(before: Mapping[str, int], actions: Sequence[Action]) -> Repetition:
    """Count the calls of a step."""
    repeats = dict(before)
    told: list[str] = []
    looping, news = "", False
    for action in actions:
        key = _fingerprint(action)
        news = news or (action.status == "applied" and key not in repeats)
        repeats[key] = repeats.pop(key, 0) + 1
        if repeats[key] >= ENDED_AFTER:
            looping = f"{action.tool} was called again and again with the same arguments and the same end."
        elif repeats[key] >= TOLD_AFTER:
            told.append(
                f"{action.tool} was called {repeats[key]} times the same way and ended the same way. "
                "Do not call it so again: answer with what is known, or do something else."
            )
    return Repetition(dict(list(repeats.items())[-_REMEMBERED:]), tuple(told), looping, news)


def _fingerprint(action: Action) -> str:
    end = action.result.sha256 if action.result is not None else f"{action.status}: {action.error}"
    return digest([action.tool, action.arguments.sha256, end])[7:23]
