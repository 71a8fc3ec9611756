"""Measures what the README claims and prints one JSON object. ``python3 infra/dev.py bench`` runs it in .venv.

--quick        leave the emulators out: hop figures are null
--floor PATH   program that measures the cheapest possible hop on the emulators; without it the ratio is null
--json         nothing but the JSON object on standard output
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from bundles import bundle_figures
from cold_models import cold_start_s
from imports import import_ratio
from in_process import context_ratio_100_to_10, counts_per_step, engine_cpu_ms_per_hop, sqlite_cycle_ms
from mcp_proxy import mcp_figures

TARGETS = {
    "hop_ratio": 1.2,
    "loads_per_step": 3,
    "commits_per_step": 3,
    "doc_reads_per_step": 9,
    "doc_writes_per_step": 9,
    "engine_cpu_ms_per_hop": 1.0,
    "sqlite_cycle_ms": 3.5,
    "context_ratio_100_to_10": 1.3,
    "mcp_overhead_ms": 5.0,
}
"""Most that each figure may be."""


def main(argv: list[str]) -> int:
    """Measure and print. Speed is judged by whoever reads it; the exit code is 0."""
    parser = argparse.ArgumentParser(
        prog="bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="leave the emulators out")
    parser.add_argument("--floor", type=Path, metavar="PATH", help="program that measures the floor")
    parser.add_argument("--json", action="store_true", help="print the JSON object alone")
    options = parser.parse_args(argv)
    figures: dict[str, object] = {"hop_ms": None, "floor_hop_ms": None, "hop_ratio": None}
    if not options.quick:
        sys.path.append(str(Path(__file__).resolve().parents[1]))  # the stack's modules lie beside this folder
        from hops import hop_figures

        figures |= hop_figures(options.floor)
    figures |= counts_per_step()
    figures["engine_cpu_ms_per_hop"] = round(engine_cpu_ms_per_hop(), 3)
    figures["sqlite_cycle_ms"] = round(sqlite_cycle_ms(), 3)
    figures["import_ratio"] = import_ratio()
    figures["bundles"] = bundle_figures()
    figures["cold_start_to_first_reply"] = cold_start_s()
    figures["context_ratio_100_to_10"] = round(context_ratio_100_to_10(), 3)
    figures |= mcp_figures()
    print(json.dumps(figures))
    if not options.json:
        for name, most in TARGETS.items():
            print(f"{name:26} {figures[name]!s:>8}   at most {most}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
