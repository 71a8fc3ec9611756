"""A message as it is written: pieces for who watches, and in the end the same answer as without a stream.

Source: https://docs.claude.com/en/docs/build-with-claude/streaming.
"""

from __future__ import annotations

import json
from typing import Any

from entracte.core.modelling import Delta, ModelRequest, OnDelta


class MessageStream:
    """Gathers the events of one message.

    Attributes:
        error: An error that came in the middle; None so far.
    """

    def __init__(self, request: ModelRequest, on_delta: OnDelta) -> None:
        self.error: Any = None
        self._on_delta = on_delta
        self._wants_text = request.schema is None
        self._message: dict[str, Any] = {}
        self._blocks: dict[int, dict[str, Any]] = {}
        self._inputs: dict[int, str] = {}

    def hear(self, event: Any) -> None:
        """Take in one event and tell what it adds."""
        match event:
            case {"type": "message_start", "message": dict(message)}:
                self._message = message
            case {"type": "content_block_start", "index": int(index), "content_block": dict(block)}:
                self._blocks[index] = dict(block)
            case {"type": "content_block_delta", "index": int(index), "delta": dict(delta)}:
                self._add(index, delta)
            case {"type": "message_delta", "delta": dict(delta)}:
                usage = (self._message.get("usage") or {}) | (event.get("usage") or {})
                self._message |= delta | {"usage": usage}
            case {"type": "error"}:
                self.error = event
            case _:
                pass  # pings, ends of blocks, and what is yet to come

    @property
    def answer(self) -> Any:
        """The message as if it had come at once; an error in place of it."""
        if self.error is not None or not self._message:
            return self.error or {}
        for index, text in self._inputs.items():
            self._blocks[index]["input"] = _read(text)
        return self._message | {"content": [self._blocks[index] for index in sorted(self._blocks)]}

    def _add(self, index: int, delta: dict[str, Any]) -> None:
        block = self._blocks.setdefault(index, {})
        match delta:
            case {"type": "text_delta", "text": str(text)}:
                block["text"] = block.get("text", "") + text
                if self._wants_text and text:
                    self._on_delta(Delta("text", text))
            case {"type": "thinking_delta", "thinking": str(text)}:
                block["thinking"] = block.get("thinking", "") + text
                if text:
                    self._on_delta(Delta("thought", text))
            case {"type": "input_json_delta", "partial_json": str(text)}:
                self._inputs[index] = self._inputs.get(index, "") + text
            case _:
                pass


def _read(text: str) -> Any:
    """Arguments, or the text that is none: half of them, or what the model took for JSON."""
    try:
        return json.loads(text or "{}")
    except (ValueError, RecursionError):
        return text
