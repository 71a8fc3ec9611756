"""``entracte dev``: the whole product on this machine, from a checkout."""

from __future__ import annotations

import sys
from pathlib import Path

import typer

from entracte.cli.invocation import invocation


def dev(context: typer.Context) -> None:
    """Run the whole product on this machine. It needs a checkout; entracte dev --help says what can be given."""
    from entracte.errors import ConfigurationError

    infra = infra_folder(Path.cwd(), Path(__file__).resolve().parents[4])
    if infra is None:
        raise ConfigurationError(
            "entracte dev runs the functions of a checkout, and this is none: there is no infra/stack.py.",
            remedy="Clone the repository and run it there. Agents run without it: entracte run, entracte chat.",
        )
    sys.path.insert(0, str(infra))
    import stack

    network = invocation(context).options.network
    raise typer.Exit(stack.main([*context.args, *(["--network", network] if network else [])]))


def infra_folder(here: Path, source: Path) -> Path | None:
    """A checkout's infra folder: of the current folder or one above it, else of the folder that this code lies in."""
    return next((root / "infra" for root in (here, *here.parents, source) if _is_checkout(root)), None)


def _is_checkout(root: Path) -> bool:
    return (root / "infra" / "stack.py").is_file() and (root / "shared" / "entracte").is_dir()
