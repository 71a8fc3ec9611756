"""Stand-ins for the providers, for where no registry is: made of their published schemas, with nothing behind them."""

from __future__ import annotations

import gzip
import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

_INSTALL_TIMEOUT_S = 300
_USED = re.compile(r'^(?:resource|data) "(\w+)"', re.MULTILINE)


def command(place: Path, sources: Path, workplace: Path) -> list[str]:
    """What to put before Terraform's own command.

    Args:
        place: Folder of the stand-ins: ``stub.py``, ``requirements.txt`` and ``schemas/``.
        sources: Folder of the configuration.
        workplace: Empty folder that lives as long as the command is used.

    Raises:
        FileNotFoundError: Something is not there.
    """
    schemas = [_used_part(file, _used_types(sources), workplace) for file in sorted(place.glob("schemas/*.json.gz"))]
    if not schemas:
        raise FileNotFoundError(f"{place / 'schemas'} holds no schema")
    program = (place / "stub.py").resolve(strict=True)
    return [*_python(place / "requirements.txt"), str(program), "--run", *map(str, schemas), "--"]


def _used_types(sources: Path) -> set[str]:
    return {name for file in sources.rglob("*.tf") for name in _USED.findall(file.read_text())}


def _used_part(file: Path, types: set[str], workplace: Path) -> Path:
    """A schema with the types that we use: Terraform asks for the whole of it with every step, which took 0.6 s."""
    with gzip.open(file, "rt") as whole:
        schema = json.load(whole)
    for group in ("resources", "data"):
        schema[group] = {name: block for name, block in schema[group].items() if name in types}
    part = workplace / file.name
    with gzip.open(part, "wt") as text:
        json.dump(schema, text)
    return part


def _python(requirements: Path) -> list[str]:
    """A Python that has what the stand-ins need: the one that PYTHON names, or ours with what it lacks beside it."""
    if named := os.environ.get("PYTHON"):
        return [named]
    if importlib.util.find_spec("msgpack"):
        return [sys.executable]
    beside = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "entracte" / "stand-ins"
    if not (beside / "msgpack").is_dir():
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-input", "--upgrade", "--target", str(beside)]
        subprocess.run([*pip, "--requirement", str(requirements)], check=True, timeout=_INSTALL_TIMEOUT_S)
    return ["env", f"PYTHONPATH={beside}", sys.executable]
