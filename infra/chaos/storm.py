"""What is done to the stack: processes are killed, the bus stands still, the store comes back from its export."""

from __future__ import annotations

import http.client
import json
import random
import tempfile
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

from ports import answers
from stack import Stack

VICTIMS = ("plan", "execute", "evaluate", "approve", "undo", "api")
"""Functions that are killed; execute more often than the others, for it is where effects are."""

_WEIGHTS = (2, 5, 1, 2, 4, 1)

_GAP_S = (0.1, 1.2)
"""Seconds between two blows."""

_BUS_PAUSE_S = (0.5, 2.0)

_SETTLE_S = 1.0
"""Seconds in which the store answers what was sent before the functions stood still."""

_READY_S = 90.0
_EXPORT_TIMEOUT_S = 60


class Storm:
    """Strikes a stack, in an order that the seed decides; what is hit just then, time decides.

    Attributes:
        blows: How many of each there were.
    """

    def __init__(self, stack: Stack, seed: int) -> None:
        self._stack = stack
        self._random = random.Random(seed)
        self.blows: Counter[str] = Counter()

    def rage(self, seconds: float) -> None:
        """Kill and pause for a time; all parts answer again when it is over."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            name = self._random.choices(VICTIMS, _WEIGHTS)[0]
            match self._random.choices(("worker", "function", "bus"), (6, 2, 1))[0]:
                case "worker":
                    self.blows["processes killed"] += self._stack.part(name).kill_workers()
                case "function":
                    self._stack.part(name).kill()
                    self.blows["processes killed"] += 1
                    self._stack.start_again(name)
                case _:
                    self._pause_bus()
            time.sleep(self._random.uniform(*_GAP_S))
        self.wait_until_all_answer()

    def restart_store(self) -> None:
        """Export the store, kill it, and start it with what was exported.

        Firestore does not lose what it has confirmed. So that its emulator does not either, the functions stand still
        from before the export until it is back, in the middle of whatever they are at.
        """
        parts = [self._stack.part(name) for name in self._stack.functions]
        for part in parts:
            part.pause()
        try:
            time.sleep(_SETTLE_S)
            with tempfile.TemporaryDirectory() as folder:
                self._stack.restart_firestore(_export(self._stack, Path(folder)))
        finally:
            for part in parts:
                part.go_on()
        self.blows["restarts of the store"] += 1

    def wait_until_all_answer(self) -> None:
        """Return when every function answers, or after a time that is long enough for it."""
        until = time.monotonic() + _READY_S
        for name in self._stack.functions:
            while not answers(self._stack.addresses[name], "/robots.txt") and time.monotonic() < until:
                time.sleep(0.1)

    def _pause_bus(self) -> None:
        bus = self._stack.part("pubsub emulator")
        bus.pause()
        time.sleep(self._random.uniform(*_BUS_PAUSE_S))
        bus.go_on()
        self.blows["pauses of the bus"] += 1


def _export(stack: Stack, folder: Path) -> Path:
    """Have the emulator write everything down, and give the file that it is started with."""
    project = stack.environment["ENTRACTE_PROJECT"]
    asked = {
        "database": f"projects/{project}/databases/(default)",
        "export_directory": str(folder),
        "export_name": "export",
    }
    emulator = stack.addresses["firestore emulator"]
    with closing(http.client.HTTPConnection(emulator, timeout=_EXPORT_TIMEOUT_S)) as connection:
        headers = {"Content-Type": "application/json"}
        connection.request("POST", f"/emulator/v1/projects/{project}:export", json.dumps(asked), headers)
        answer = connection.getresponse()
        text = answer.read().decode(errors="replace")
    if answer.status != 200:
        raise RuntimeError(f"The Firestore emulator did not export: {answer.status} {text}")
    return next(folder.rglob("*.overall_export_metadata"))
