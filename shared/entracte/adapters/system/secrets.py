"""Secrets in environment variables, for work on one's own machine."""

from __future__ import annotations

from collections.abc import Mapping

from entracte.errors import ConfigurationError


class EnvironmentSecrets:
    """Secrets port on a mapping such as `os.environ`."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        self._variables = variables

    def get(self, name: str) -> str:
        value = self._variables.get(name, "")
        if not value:
            raise ConfigurationError(f"There is no secret {name!r}.", remedy=f"Set the environment variable {name}.")
        return value
