"""generateContent as it is written: pieces for who watches, and in the end the same answer as without a stream."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from entracte.adapters.models.refusals import Busy
from entracte.core.modelling import Delta, ModelRequest, OnDelta
from entracte.errors import ModelUnavailable


class GeminiStream:
    """Gathers the chunks of one reply, each in the form of a whole one."""

    def __init__(self, request: ModelRequest, on_delta: OnDelta) -> None:
        self._on_delta = on_delta
        self._wants_text = request.schema is None
        self._parts: list[Any] = []
        self._candidate: dict[str, Any] = {}
        self._answer: dict[str, Any] = {}
        self._has_told = False

    @contextmanager
    def told_once(self) -> Iterator[None]:
        """Within the block, a service that is busy is not asked again at once if a piece was told: it would come twice.

        Raises:
            ModelUnavailable: In place of `Busy`. The delivery is tried again later, and watchers are told anew.
        """
        try:
            yield
        except Busy as error:
            if not self._has_told:
                raise
            raise ModelUnavailable(error.message, retry_after_s=error.retry_after_s) from None

    def hear(self, chunk: Any) -> None:
        """Take in one chunk and tell what it adds."""
        if not isinstance(chunk, dict):
            return
        self._answer |= {key: value for key, value in chunk.items() if value}
        match chunk.get("candidates"):
            case [dict(candidate), *_]:
                self._candidate |= {key: value for key, value in candidate.items() if value}
                content = candidate.get("content")
                for part in (content.get("parts") if isinstance(content, dict) else None) or ():
                    self._parts.append(part)
                    self._tell(part)
            case _:
                pass

    @property
    def answer(self) -> dict[str, Any]:
        """The answer as if it had come at once."""
        if not self._candidate:
            return self._answer
        return self._answer | {"candidates": [self._candidate | {"content": {"parts": self._parts}}]}

    def _tell(self, part: Any) -> None:
        match part:
            case {"text": str(text)} if text and part.get("thought") is True:
                self._say(Delta("thought", text))
            case {"text": str(text)} if text and self._wants_text:
                self._say(Delta("text", text))
            case _:
                pass

    def _say(self, delta: Delta) -> None:
        self._has_told = True
        self._on_delta(delta)
