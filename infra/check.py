"""Checks the tree: one line a check, and what the failed ones say. ``python3 infra/dev.py check`` runs it in .venv."""

import argparse
import re
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import terraform_check
from environment import ROOT
from terraform import TerraformMissing

MAX_LINES = 500
GENERATED = {".json", ".jsonl", ".lock", ".svg"}
"""Suffixes of files that programs write: they may be long."""

FOREIGN = {
    "a path of one machine": re.compile(r"(?<![\w.~})-])/(?:work|root|home/\w+|Users/\w+)/"),
    "a package registry": re.compile(
        r"pypi\.org|pythonhosted\.org|npmjs\.(com|org)|yarnpkg\.com|deb\.debian\.org|crates\.io|proxy\.golang\.org"
    ),
}
"""What no file may name: it holds on one machine, or for one contributor, only."""


def main() -> int:
    """Run every check, whatever the others say; 1 if any failed."""
    failed = 0
    with ThreadPoolExecutor(max_workers=2) as pool:
        for name, (verdict, told, seconds) in zip(CHECKS, pool.map(_timed, CHECKS.values()), strict=True):
            print(f"{verdict:4}  {name:10} {seconds:5.1f} s", flush=True)
            failed += verdict == "FAIL"
            if told:
                print(textwrap.indent(told.rstrip(), "      "), flush=True)
    return 1 if failed else 0


def _timed(check: Callable[[], str]) -> tuple[str, str, float]:
    """Verdict, what is to be said about it, and the seconds that it took."""
    began = time.monotonic()
    try:
        faults = check()
        verdict = "FAIL" if faults else "ok"
    except TerraformMissing as missing:
        faults, verdict = str(missing), "skip"
    return verdict, faults, time.monotonic() - began


def tool(name: str, *arguments: str) -> str:
    """Run a program of this environment; what it printed if it failed, else nothing."""
    program = Path(sys.executable).parent / name
    done = subprocess.run([program, *arguments], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return (done.stdout.strip() or f"exit code {done.returncode}") if done.returncode else ""


def foreign_names() -> str:
    """Lines that name something of one machine."""
    return "\n".join(
        f"{path}:{number}: names {what}: {found[0]}"
        for path, text in _texts()
        for number, line in enumerate(text.splitlines(), 1)
        for what, pattern in FOREIGN.items()
        if (found := pattern.search(line))
    )


def long_files() -> str:
    """Files that hold more than one concept, to judge by their length."""
    return "\n".join(
        f"{path}: {lines} lines, at most {MAX_LINES}: split it by concept"
        for path, text in _texts()
        if path.suffix not in GENERATED and (lines := len(text.splitlines())) > MAX_LINES
    )


def _texts() -> Iterator[tuple[Path, str]]:
    """The text files that are tracked, or would be after ``git add``: a fault is seen before it is committed."""
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listing, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in sorted(set(names.split("\0")) - {""}):
        try:
            yield Path(name), (ROOT / name).read_text(encoding="utf-8")
        except (UnicodeDecodeError, FileNotFoundError, IsADirectoryError):
            continue  # a picture, a file deleted but not yet in the index, a link to a folder


CHECKS: dict[str, Callable[[], str]] = {
    "terraform": terraform_check.faults,  # first: it takes longest
    "format": partial(tool, "ruff", "format", "--check", "--output-format", "concise"),
    "lint": partial(tool, "ruff", "check", "--output-format", "concise"),
    "types": partial(tool, "mypy"),
    "layers": partial(tool, "lint-imports", "--no-logo"),
    "packages": partial(tool, "pip", "check"),
    "names": foreign_names,
    "lengths": long_files,
}

if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    sys.exit(main())
