"""Secrets as values of HTTP headers."""

from __future__ import annotations

from entracte.errors import ConfigurationError


def header_value(text: str, *, of: str) -> str:
    """The text without the white space around it, which files and shells add.

    Args:
        of: What it is, for the message.

    Raises:
        ConfigurationError: It holds what no header can. HTTP libraries say so too, and show the secret.
    """
    value = text.strip()
    if not (value.isascii() and value.isprintable()):
        raise ConfigurationError(f"{of} holds characters that no HTTP header can have.", code="bad_header")
    return value
