"""A checkout of this repository: what some commands need beside the installed package."""

from __future__ import annotations

from pathlib import Path

from entracte.errors import ConfigurationError

SOURCE = Path(__file__).resolve().parents[4]
"""The root of the checkout that this code lies in, where it does."""


def checkout(command: str, *, source: Path = SOURCE) -> Path:
    """Root of the checkout that the current folder lies in, else of the one that this code lies in.

    Args:
        command: What needs it, in the error's words.

    Raises:
        ConfigurationError: There is none.
    """
    here = Path.cwd()
    for root in (here, *here.parents, source):
        if (root / "infra" / "stack.py").is_file() and (root / "shared" / "entracte").is_dir():
            return root
    raise ConfigurationError(
        f"{command} works on a checkout of the repository, and this is none: there is no infra/stack.py.",
        remedy="Clone the repository and run it there. Agents run without it: entracte run, entracte chat.",
    )
