"""A model in place of the network's."""

from __future__ import annotations

import shlex

from msgspec import Struct


class ModelChoice(Struct, frozen=True):
    """Which one, and where it is served; empty texts keep the network's models."""

    model: str = ""
    base_url: str = ""

    @property
    def words(self) -> str:
        """The choice as a command is given it."""
        given = {"--model": self.model, "--base-url": self.base_url}
        return "".join(f" {name} {shlex.quote(value)}" for name, value in given.items() if value)


NETWORKS_OWN = ModelChoice()
