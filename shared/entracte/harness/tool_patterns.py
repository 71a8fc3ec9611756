"""Names of tools by pattern: ``crm.*``, ``send_*``, ``*``."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase

from entracte.errors import ConfigurationError


def matches(tool: str, patterns: Iterable[str]) -> bool:
    """Whether one of the patterns names the tool. Here ``*`` goes over dots too: a limit is wide rather than narrow."""
    return any(fnmatchcase(tool, pattern) for pattern in patterns)


def checked(patterns: Iterable[str], what: str) -> tuple[str, ...]:
    """The patterns.

    Raises:
        ConfigurationError: There is none, or one is empty.
    """
    kept = tuple(patterns)
    if not kept or not all(kept):
        raise ConfigurationError(f"{what} names no tool.", remedy="Give patterns, such as crm.* or send_mail.")
    return kept
