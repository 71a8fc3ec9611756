"""The time of a hop over three functions on the emulators, beside the cheapest hop that is possible there."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from datetime import datetime
from pathlib import Path
from statistics import median
from typing import Any

from bench_network import STEPS

from stack import Stack

HERE = Path(__file__).resolve().parent
WARM_UPS = 2
ROUNDS = 5
FUNCTIONS = ("api", "plan", "execute", "evaluate")
"""As many subscriptions as the floor has: the emulator goes round all of them."""


def hop_figures(floor: Path | None) -> dict[str, float | None]:
    """Median hop of ours and of the floor, in turn.

    The emulator polls idle subscriptions every 100 ms or so, and one boot's luck with that is twice another's.
    """
    ours: list[float] = []
    theirs: list[float] = []
    for _ in range(ROUNDS):
        ours.append(hop_ms())
        if floor is not None:
            theirs.append(floor_hop_ms(floor))
    hop, floor_hop = median(ours), median(theirs) if theirs else None
    return {
        "hop_ms": round(hop, 1),
        "floor_hop_ms": round(floor_hop, 1) if floor_hop else None,
        "hop_ratio": round(hop / floor_hop, 3) if floor_hop else None,
    }


def hop_ms() -> float:
    """Median time from commit to commit of a 30-step run over three functions."""
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(HERE), os.environ.get("PYTHONPATH", "")]))
    with tempfile.TemporaryDirectory() as folder:
        for name in FUNCTIONS:
            (Path(folder) / name).symlink_to(HERE.parents[1] / "functions" / name)
        with Stack(network="bench_network:network", functions=Path(folder)) as stack:
            for _ in range(WARM_UPS):
                _run(stack.api_url)
            run = _run(stack.api_url)
            at = [datetime.fromisoformat(entry["at"]).timestamp() for entry in _journal(stack.api_url, run)]
    return median(after - before for before, after in itertools.pairwise(sorted(at)[2:])) * 1000


def floor_hop_ms(program: Path) -> float:
    """Median hop of the floor program, which prints one JSON object."""
    command = [
        sys.executable,
        str(program),
        "--phases",
        "3",
        "--hops",
        str(3 * STEPS),
        "--chains",
        "2",
        "--chain-hops",
        "5",
    ]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=300)
    return float(json.loads(done.stdout.splitlines()[-1])["sequential"]["hop_p50_ms"])


def _run(api: str) -> str:
    body = json.dumps({"message": "Look thirty times."}).encode()
    request = urllib.request.Request(f"{api}/v1/runs", body, {"Content-Type": "application/json"})
    run = _answer(request)
    until = time.monotonic() + 120
    while run["status"] in ("queued", "running") and time.monotonic() < until:
        time.sleep(0.5)
        run = _answer(urllib.request.Request(f"{api}/v1/runs/{run['id']}"))
    if run["status"] != "succeeded":
        raise RuntimeError(f"the run is {run['status']}: {run['error']}")
    return str(run["id"])


def _journal(api: str, run: str) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = []
    cursor = ""
    while True:
        page = _answer(urllib.request.Request(f"{api}/v1/runs/{run}/journal?limit=200{cursor}"))
        entries += page["items"]
        if not page.get("next"):
            return entries
        cursor = f"&cursor={page['next']}"


def _answer(request: urllib.request.Request) -> dict[str, Any]:
    with urllib.request.urlopen(request, timeout=30) as response:
        answer: dict[str, Any] = json.load(response)
        return answer
