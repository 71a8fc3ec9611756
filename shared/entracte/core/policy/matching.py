"""Which rule counts for a tool. Patterns are anchored, and `*` is a run of any characters but dots, also of none.

Most literal characters win, then fewer wildcards, then the rule that stands first.
"""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from entracte.core.policy.rule import Rule


def matches(pattern: str, name: str) -> bool:
    """Whether a pattern matches the whole of a tool's name. Case counts."""
    patterns, parts = pattern.split("."), name.split(".")
    return len(patterns) == len(parts) and all(map(fnmatchcase, parts, patterns))


def best(rules: Sequence[Rule], name: str) -> Rule | None:
    """The rule that counts for a tool, or None when none matches."""
    # max gives the first of equals, and rules are in the order of the file.
    return max((rule for rule in rules if matches(rule.match, name)), key=_specificity, default=None)


def split_name(name: str) -> tuple[str, str]:
    """Server and tool. The first dot splits, as tools may have dots of their own; in process there is no server."""
    server, dot, tool = name.partition(".")
    return (server, tool) if dot else ("", name)


def _specificity(rule: Rule) -> tuple[int, int]:
    wildcards = rule.match.count("*")
    return len(rule.match) - wildcards, -wildcards
