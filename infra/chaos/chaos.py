"""Chaos: many runs on the real stack, while processes are killed, the bus stands still and the store is restarted.

Storms and calms take turns. In a calm that moves nothing any more, what dead processes have left is brought forward by
sweep's own code, as when an embedded network opens: otherwise each kill in the middle of a call would take the ten
minutes of its lease. When every run is over, documents and customers' database are compared. Exit code 1: something
was lost, done twice, or decided other than once.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from customers import Customers

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))  # the stack's modules lie beside this folder

from audit import Found, audit  # noqa: E402 - needs the path above
from chaos_network import FILE  # noqa: E402
from people import LOOK_EVERY_S, People  # noqa: E402
from storm import Storm  # noqa: E402

from entracte.adapters.gcp.bus import PubSubBus  # noqa: E402
from entracte.adapters.gcp.store import FirestoreStore  # noqa: E402
from entracte.adapters.system.clock import SystemClock  # noqa: E402
from entracte.adapters.system.secrets import EnvironmentSecrets  # noqa: E402
from entracte.runtime.compose import Runtime, compose  # noqa: E402
from entracte.runtime.loading import load_network  # noqa: E402
from entracte.runtime.upkeep.sweep import Sweep  # noqa: E402
from stack import Stack  # noqa: E402

NETWORK = "chaos_network:network"

QUIET_S = 4.0
"""Seconds in which nothing has moved, after which nobody works on anything: a call takes less than one."""


def main(argv: list[str]) -> int:
    """Play, print what came of it, and give the exit code."""
    parser = argparse.ArgumentParser(prog="dev.py chaos", description=__doc__)
    parser.add_argument("--runs", type=int, default=100, help="how many (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="decides the blows (%(default)s)")
    parser.add_argument("--storm", type=float, default=20, metavar="S", help="seconds of each storm (%(default)s)")
    parser.add_argument("--storms", type=int, default=6, help="most storms; calm after them (%(default)s)")
    parser.add_argument("--most", type=float, default=1800, metavar="S", help="seconds in all (%(default)s)")
    parser.add_argument("--log", type=Path, metavar="FILE", help="keep the functions' logs there")
    parser.add_argument("--json", action="store_true", help="print one JSON object alone")
    options = parser.parse_args(argv)
    began = time.monotonic()
    with _stack() as (stack, customers, lines):
        figures, found = _play(stack, customers, options)
    if options.log:
        options.log.write_text("\n".join(lines))
    faults = [line for line in lines if "Traceback" in line]
    figures = {"runs": options.runs, "seed": options.seed, "seconds": round(time.monotonic() - began), **figures}
    figures |= {**found.counts, "statuses": dict(found.statuses), "tracebacks": len(faults)}
    if options.json:
        print(json.dumps(figures | {"violations": found.violations}))
    else:
        _show(figures, found)
    return 1 if found.violations else 0


@contextmanager
def _stack() -> Iterator[tuple[Stack, Customers, list[str]]]:
    """The product with emulators of its own, a fresh database of customers, and the lines of the functions' logs."""
    for name in ("FIRESTORE_EMULATOR_HOST", "PUBSUB_EMULATOR_HOST"):
        os.environ.pop(name, None)  # those of somebody else are not to be hurt
    lines: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        os.environ[FILE] = str(Path(folder) / "customers.db")
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(HERE), os.environ.get("PYTHONPATH", "")]))
        customers = Customers(Path(os.environ[FILE]))
        with Stack(
            network=NETWORK, project="demo-chaos", on_line=lambda name, line: lines.append(f"{name}: {line}")
        ) as stack:
            os.environ |= {key: stack.environment[key] for key in ("FIRESTORE_EMULATOR_HOST", "PUBSUB_EMULATOR_HOST")}
            yield stack, customers, lines


def _play(stack: Stack, customers: Customers, options: argparse.Namespace) -> tuple[dict[str, Any], Found]:
    """Storm and calm, in turn, until everything is over or the time is."""
    until = time.monotonic() + options.most
    storm, people = Storm(stack, options.seed), People(stack.api_url, customers, options.runs)
    runtime = _observer(stack)
    storms = released = 0
    with closing(people), closing(runtime):
        people.start_runs(options.seed)
        over = False
        while not over and time.monotonic() < until:
            if storms < options.storms:
                storms += 1
                with people.working(options.seed):
                    storm.rage(options.storm)
                    storm.restart_store()
            over = _calm(people, customers, options.seed, until)
            if not over:
                released += Sweep(runtime.engine, runtime.bus).release(lambda worker: True)
        found = audit(runtime.engine.repository, customers, people.numbers)
    if len(people.numbers) < options.runs:
        found.violations.append(f"{options.runs - len(people.numbers)} runs could not be started")
    return {**storm.blows, "storms": storms, "brought forward": released, "people": dict(people.did)}, found


def _calm(people: People, customers: Customers, seed: int, until: float) -> bool:
    """People go on until everything is over, or nothing moves any more; whether it is over."""
    last, moved = None, time.monotonic()
    while time.monotonic() < until:
        people.start_runs(seed)
        if people.look_round():
            return True
        seen = (len(customers.requests()), dict(people.statuses))
        if seen != last:
            last, moved = seen, time.monotonic()
        if time.monotonic() - moved > QUIET_S:
            return False
        time.sleep(LOOK_EVERY_S)
    return False


def _observer(stack: Stack) -> Runtime:
    """The network on the stack's store and bus, in this process, which is not hurt."""
    project = stack.environment["ENTRACTE_PROJECT"]
    return compose(
        load_network(NETWORK),
        store=FirestoreStore(project),
        bus=PubSubBus(project, prefix=stack.environment["ENTRACTE_TOPIC_PREFIX"]),
        clock=SystemClock(),
        secrets_port=EnvironmentSecrets({}),
        worker="chaos",
    )


def _show(figures: Mapping[str, Any], found: Found) -> None:
    """A table of what was done and found, and a line for each violation."""
    for name, value in figures.items():
        told = ", ".join(f"{value[key]} {key}" for key in sorted(value)) if isinstance(value, dict) else f"{value:,}"
        print(f"{name:28} {told}")
    print(f"{'violations':28} {len(found.violations)}")
    for violation in found.violations:
        print(f"  {violation}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
