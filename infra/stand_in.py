"""Stand-ins for the providers, for where no registry is: made of their published schemas, with nothing behind them."""

from __future__ import annotations

import gzip
import importlib.util
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_INSTALL_TIMEOUT_S = 300
_END_TIMEOUT_S = 30
_USED = re.compile(r'^(?:resource|data) "(\w+)"', re.MULTILINE)


_CHILD = "import os, sys; print(os.environ['TF_REATTACH_PROVIDERS'], flush=True); sys.stdin.read()"
"""What the stand-ins run as their command: says where they are, and stays until our end of the pipe is closed."""


@contextmanager
def serving(place: Path, sources: Path, workplace: Path) -> Iterator[dict[str, str]]:
    """What Terraform must find in its environment to use them, for as long as the block lasts.

    Args:
        place: Folder of the stand-ins: ``stub.py``, ``requirements.txt`` and ``schemas/``.
        sources: Folder of the configuration.
        workplace: Empty folder.
    """
    schemas = [_used_part(file, _used_types(sources), workplace) for file in sorted(place.glob("schemas/*.json.gz"))]
    command: list[str | Path] = [*_python(place / "requirements.txt"), place / "stub.py", "--run", *schemas]
    command += ["--", sys.executable, "-c", _CHILD]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        try:
            if not (where := running.stdout.readline().strip()):
                raise ChildProcessError("The stand-ins of TFSTUB did not start.")
            yield {"TF_REATTACH_PROVIDERS": where, "TF_CLI_CONFIG_FILE": os.devnull}
        finally:
            running.communicate(timeout=_END_TIMEOUT_S)


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
