"""The finished policies that ship with the package, and which of them fits a server."""

from __future__ import annotations

import re
from collections.abc import Collection
from importlib import resources

from msgspec import Struct

from entracte.core.policy.manifest import Manifest
from entracte.core.policy.reading import read_manifest

NAMES = ("filesystem", "git", "github", "memory")


class Finished(Struct, frozen=True):
    """A policy for the tools of one server.

    Attributes:
        name: Of the server that it was written for.
        text: The whole file, with that name before the tools.
    """

    name: str
    text: str

    def named(self, server: str) -> str:
        """The text for a server that is called otherwise."""
        return re.sub(rf"(?<![\w./-]){self.name}\.(?=[\w*])", f"{server}.", self.text)

    def fits(self, tools: Collection[str]) -> bool:
        """Whether a server has every tool that the policy names; it may have more."""
        return self.tools() <= set(tools)

    def tools(self) -> set[str]:
        """Names of all tools that it needs, without the server's."""
        rules = self.manifest().rules
        named = {call.tool for rule in rules for call in (rule.snapshot, rule.inverse) if call is not None}
        named |= {rule.match for rule in rules if "*" not in rule.match}
        return {name.removeprefix(f"{self.name}.") for name in named}

    def manifest(self) -> Manifest:
        return read_manifest(self.text, file=f"{self.name}.yaml", variables={})


def finished_policy(tools: Collection[str]) -> Finished | None:
    """The finished policy for a server with these tools, or None."""
    return next((found for found in map(read_finished, NAMES) if found.fits(tools)), None)


def read_finished(name: str) -> Finished:
    """One of the finished policies."""
    return Finished(name, (resources.files("entracte.policies") / f"{name}.yaml").read_text("utf-8"))
