"""Chat completions as they are written: pieces for who watches, and in the end the same answer as without a stream."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from entracte.adapters.models.json_speech import JsonSpeech
from entracte.core.modelling import Delta, ModelRequest, OnDelta


class ChatStream:
    """Gathers the chunks of one completion.

    Attributes:
        foreign: A chunk that is none, such as an error that comes late; None so far.
    """

    def __init__(self, request: ModelRequest, on_delta: OnDelta) -> None:
        self.foreign: Any = None
        self._on_delta = on_delta
        self._wants_text = request.schema is None
        self._speech = JsonSpeech(("thought", "answer")) if request.tools else None
        self._answer: dict[str, Any] = {}
        self._texts: dict[str, list[str]] = {}
        self._calls: dict[int, dict[str, Any]] = {}
        self._finish: Any = None
        self._begun = False

    def hear(self, chunk: Any) -> None:
        """Take in one chunk and tell what it adds."""
        if not isinstance(chunk, dict) or not isinstance(chunk.get("choices"), list):
            self.foreign = chunk
            return
        self._answer |= {key: chunk[key] for key in ("model", "usage") if chunk.get(key)}
        match chunk["choices"]:
            case [{"delta": dict(delta)} as choice, *_]:
                self._begun = True
                self._finish = choice.get("finish_reason") or self._finish
                for piece in self._told(delta):
                    self._on_delta(piece)
            case _:
                pass  # usage comes in a chunk without choices

    @property
    def answer(self) -> Any:
        """The completion as if it had come at once; what is foreign in place of it."""
        if self.foreign is not None or not self._begun:
            empty = self._answer | {"choices": []} if self._answer else {}
            return self.foreign if self.foreign is not None else empty
        texts: dict[str, Any] = {key: "".join(pieces) for key, pieces in self._texts.items()}
        calls = {"tool_calls": [self._calls[index] for index in sorted(self._calls)]} if self._calls else {}
        return self._answer | {"choices": [{"message": texts | calls, "finish_reason": self._finish}]}

    def _told(self, delta: Mapping[str, Any]) -> Iterator[Delta]:
        for key in ("content", "refusal", "reasoning_content", "reasoning"):
            if isinstance(text := delta.get(key), str) and text:
                self._texts.setdefault(key, []).append(text)
                yield from self._pieces(key, text)
        for call in delta.get("tool_calls") or ():
            self._take_call(call)

    def _pieces(self, key: str, text: str) -> Iterator[Delta]:
        if key.startswith("reasoning"):
            yield Delta("thought", text)
        elif key == "content" and self._speech is not None:
            for field, said in self._speech.hear(text):
                if field == "thought":
                    yield Delta("thought", said)
                elif self._wants_text:
                    yield Delta("text", said)
        elif key == "content" and self._wants_text:
            yield Delta("text", text)

    def _take_call(self, piece: Any) -> None:
        match piece:
            case {"index": int(index), "function": dict(function)}:
                call = self._calls.setdefault(index, {"function": {"name": "", "arguments": ""}})["function"]
                call["name"] += function.get("name") or ""
                call["arguments"] += function.get("arguments") or ""
            case _:
                pass
