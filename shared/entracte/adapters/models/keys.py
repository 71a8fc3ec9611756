"""Keys of model services: where a bare model name finds its own, and what no key can be."""

from __future__ import annotations

from collections.abc import Callable

from entracte.errors import ModelRefused

SECRETS = {"anthropic": "ANTHROPIC_API_KEY", "gemini": "GEMINI_API_KEY", "openai": "OPENAI_API_KEY"}
"""Secret of a provider's key, when the model names none. `openai/` with a base_url of its own needs none."""


def secret_name(model: str, base_url: str) -> str:
    """The secret that holds the key of a model given without api_key, or an empty string."""
    provider = model.partition("/")[0]
    return "" if provider == "openai" and base_url else SECRETS.get(provider, "")


def checked_key(api_key: Callable[[], str] | None, *, model: str) -> str:
    """The key without the white space that files and shells add; empty for none.

    Raises:
        ModelRefused: It holds what no header can; the HTTP library's own error would show it.
    """
    key = api_key().strip() if api_key is not None else ""
    if not (key.isascii() and key.isprintable()):
        raise ModelRefused(
            f"The API key of {model} holds characters that no key has.",
            remedy="Set the secret that api_key names to the key alone.",
        )
    return key
