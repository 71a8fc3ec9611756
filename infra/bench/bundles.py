"""What is deployed of each function: bytes of its zip, and how long its code takes to import from it."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

_TIMED = "import time; began = time.perf_counter(); import main; print(time.perf_counter() - began)"
_NETWORK = "crm:network"


def bundle_figures() -> dict[str, dict[str, float]]:
    """By function: ``size_bytes`` and ``import_s``, with its libraries in the disk's cache."""
    sys.path.append(str(Path(__file__).resolve().parents[1]))
    import bundle

    figures: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in bundle.functions():
            made = bundle.bundle(name, _NETWORK, Path(folder))
            source = Path(folder) / name
            with zipfile.ZipFile(made.file) as archive:
                archive.extractall(source)
            _import_s(source)
            figures[name] = {"size_bytes": made.size_bytes, "import_s": round(_import_s(source), 2)}
    return figures


def _import_s(source: Path) -> float:
    settings = {"ENTRACTE_NETWORK": _NETWORK, "ENTRACTE_PROJECT": "demo-bench", "HOST": "127.0.0.1"}
    nowhere = {"FIRESTORE_EMULATOR_HOST": "127.0.0.1:1", "PUBSUB_EMULATOR_HOST": "127.0.0.1:1"}
    done = subprocess.run(
        [sys.executable, "-c", _TIMED],
        cwd=source,
        env={**os.environ, **nowhere, **settings, "PYTHONPATH": str(source)},
        check=True,
        capture_output=True,
        text=True,
    )
    return float(done.stdout.split()[-1])
