"""Turns as answers of an HTTP server."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from entracte.testing.model_server import Answer, Asked
from entracte.testing.wires.turn import Fails, Says, Turn

Worded = Callable[[Says, Asked], Answer]
Failed = Callable[[int, str, int | None], Answer]


def http_answer(turn: Turn, worded: Worded, failed: Failed) -> Callable[[Asked], Answer]:
    """What the server does with the request.

    Args:
        worded: A reply in the service's words, as the request wants it.
        failed: A status, a message and a wait in seconds in the service's words.
    """

    def answer(asked: Asked) -> Answer:
        match turn:
            case Says():
                return worded(turn, asked)
            case Fails():
                return failed(turn.status, turn.message, turn.retry_after_s)
            case "silent":
                return Answer(delay_s=math.inf)
            case "cut":
                return replace(Answer(body={"long": "answer" * 100}), cut_after=20)

    return answer
