"""How much slower a function's main.py imports than the libraries that it cannot do without."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]
RUNS = 5

PHASE = (
    "functions_framework",
    "google.cloud.firestore",
    "google.cloud.pubsub_v1",
    "pydantic.main",
    "pydantic.fields",
    "pydantic.types",
    "ruamel.yaml",
    "sqlite3",
)
NEEDED = {
    "api": (*PHASE, "functions_framework.aio", "fastapi", "pydantic.v1"),
    "plan": PHASE,
    "execute": PHASE,
    "evaluate": PHASE,
}
"""Libraries of each function and of the network that it serves: its policy is YAML, its records are SQLite. None needs
a model's library until it asks a model. `import pydantic` alone loads nothing of what a checked class needs; FastAPI
loads `pydantic.v1` for its first route.
"""

_TIMED = "import time; began = time.perf_counter(); {imports}; print(time.perf_counter() - began)"


def import_ratio() -> dict[str, float]:
    """By function: median import time of main.py over that of its libraries, in turn."""
    ratios = {}
    for name, libraries in NEEDED.items():
        own, theirs = [], []
        main = f"import sys; sys.path.insert(0, {str(ROOT / 'functions' / name)!r}); import main"
        for run in range(RUNS + 1):
            pair = (_seconds(main), _seconds("import " + ", ".join(libraries)))
            if run:  # the first one warms the disk's cache up
                own.append(pair[0])
                theirs.append(pair[1])
        ratios[name] = round(median(own) / median(theirs), 3)
    return ratios


def _seconds(imports: str) -> float:
    nowhere = {"FIRESTORE_EMULATOR_HOST": "127.0.0.1:1", "PUBSUB_EMULATOR_HOST": "127.0.0.1:1"}
    settings = {"ENTRACTE_NETWORK": "crm:network", "ENTRACTE_PROJECT": "demo-bench", "HOST": "127.0.0.1"}
    done = subprocess.run(
        [sys.executable, "-c", _TIMED.format(imports=imports)],
        env={**os.environ, **nowhere, **settings, "PYTHONPATH": str(ROOT / "shared")},
        check=True,
        capture_output=True,
        text=True,
    )
    return float(done.stdout.split()[-1])
