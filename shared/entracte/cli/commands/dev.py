"""``entracte dev``: the whole product on this machine, from a checkout."""

from __future__ import annotations

import sys
from pathlib import Path

import typer

from entracte.cli.invocation import invocation


def dev(context: typer.Context) -> None:
    """Run the functions and the emulators on this machine, until Ctrl-C. Works in a checkout; --help says more."""
    from entracte.errors import ConfigurationError

    infra = _infra_folder()
    if infra is None:
        raise ConfigurationError(
            "entracte dev runs the functions of a checkout, and this is none: there is no infra/stack.py.",
            remedy="Clone the repository and run it there. Agents run without it: entracte run, entracte chat.",
        )
    sys.path.insert(0, str(infra))
    import stack

    network = invocation(context).options.network
    raise typer.Exit(stack.main([*context.args, *(["--network", network] if network else [])]))


def _infra_folder() -> Path | None:
    """The checkout's infra folder: of the current folder or one above it, else of the one this code lies in."""
    here = Path.cwd()
    source = Path(__file__).resolve().parents[4]
    return next((root / "infra" for root in (here, *here.parents, source) if _is_checkout(root)), None)


def _is_checkout(root: Path) -> bool:
    return (root / "infra" / "stack.py").is_file() and (root / "shared" / "entracte").is_dir()
