"""Which commands may run."""

from __future__ import annotations

import shutil
from collections.abc import Sequence

from msgspec import Struct

from entracte.errors import ConfigurationError, ToolError

PATH = "/usr/local/bin:/usr/bin:/bin"
"""Where programs are looked for: not where an agent may have put one."""


class Allowed(Struct, frozen=True):
    """Beginnings of commands, each with the program that it runs."""

    beginnings: tuple[tuple[tuple[str, ...], str], ...]

    def program_of(self, command: Sequence[str]) -> str:
        """The file that a command runs.

        Raises:
            ToolError: It may not.
        """
        for words, program in self.beginnings:
            if tuple(command[: len(words)]) == words:
                return program
        known = ", ".join(" ".join(words) for words, _ in self.beginnings)
        raise ToolError(f"{' '.join(command)[:200]!r} may not be run.", remedy=f"Commands begin with one of: {known}.")


def read_allowed(allow: Sequence[str], path: str = PATH) -> Allowed:
    """Beginnings such as ``git log``, whose words stand apart by blanks.

    Raises:
        ConfigurationError: There are none, or a program is not there.
    """
    if isinstance(allow, str) or not allow or not all(beginning.split() for beginning in allow):
        raise ConfigurationError('Say which commands may run: allow=["git log", "ls"].')
    found = []
    for beginning in allow:
        words = tuple(beginning.split())
        program = shutil.which(words[0], path=path) if "/" not in words[0] else None
        if program is None:
            raise ConfigurationError(
                f"There is no program {words[0]!r} in {path}.", remedy="Name one by its name alone, or leave it out."
            )
        found.append((words, program))
    return Allowed(tuple(found))
