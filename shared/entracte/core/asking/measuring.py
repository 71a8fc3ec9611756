"""How large a request is, before anybody has counted its tokens."""

from __future__ import annotations

from typing import Any

from msgspec.json import encode

from entracte.core.modelling import ModelRequest

BYTES_PER_TOKEN = 3
"""Fewer than most tokenizers need: English takes about four bytes a token, JSON and Japanese about three."""


def prompt_tokens(request: ModelRequest) -> int:
    """Tokens of the prompt, guessed rather too high than too low."""
    texts = [request.system, *(part.title + part.text for part in request.parts)]
    schemas = [*((tool.name, tool.description, tool.parameters) for tool in request.tools), request.schema]
    size_bytes = sum(len(text.encode()) for text in texts) + sum(_size_bytes(schema) for schema in schemas if schema)
    return -(-size_bytes // BYTES_PER_TOKEN)


def _size_bytes(schema: Any) -> int:
    return len(encode(schema, enc_hook=str))
