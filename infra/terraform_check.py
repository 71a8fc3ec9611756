"""Checks what Terraform would make, with no cloud and no credentials: format, types, tests, and plans as they were.

python3 infra/dev.py check                 among the other checks
python3 infra/terraform_check.py --update  takes the plans as they are for the ones to hold others against
"""

from __future__ import annotations

import argparse
import difflib
import shutil
import sys
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from environment import ROOT
from plan_snapshot import snapshot
from terraform import Ended, Terraform, TerraformMissing, found
from terraform_variables import variable_faults

SNAPSHOTS = Path("tests/terraform/snapshots")
_READ_BY_TERRAFORM = ("terraform", "infra/firestore")
_WORKERS = 2


def faults(root: Path = ROOT, *, only: Collection[str] = (), update: bool = False) -> str:
    """What is wrong with the configuration; empty when nothing is.

    Args:
        root: Of the repository, or of a copy of what Terraform reads of it, with the snapshots.
        only: Folders to look at, such as ``modules/queue``; all by default.
        update: Write the snapshots instead of comparing them.

    Raises:
        TerraformMissing: It cannot be checked here, and what can be seen without providers, or without Terraform, is
            right: variables, format, syntax.
    """
    everywhere = [variable_faults(root / "terraform")]
    try:
        everywhere += _faults_by_terraform(root, everywhere, only, update=update)
    except TerraformMissing:
        if not any(everywhere):
            raise
    return "\n".join(filter(None, everywhere))


def _faults_by_terraform(root: Path, seen: list[str], only: Collection[str], *, update: bool) -> list[str]:
    """Those of folders. What needs no provider is added to what has been `seen` before a provider is asked for."""
    with TemporaryDirectory(prefix="entracte-") as folder:
        copy = Path(folder).resolve()  # Terraform writes beside what it reads
        for part in _READ_BY_TERRAFORM:
            shutil.copytree(
                root / part, copy / part, ignore=shutil.ignore_patterns(".terraform", ".terraform.lock.hcl")
            )
        with found(copy / "terraform") as terraform, ThreadPoolExecutor(_WORKERS) as pool:
            formatted = terraform.run(copy / "terraform", "fmt", "-check", "-recursive", "-no-color")
            seen.append(_named("terraform fmt", formatted.said, formatted.code))
            wanted = [copy / "terraform" / folder for folder in only or folders(root)]
            ready = [(folder, terraform.init(folder)) for folder in wanted]  # in turn: they share a cache of plugins
            return [*pool.map(lambda it: _faults_of(terraform, it[0], it[1], root, update=update), ready)]


def folders(root: Path = ROOT) -> list[str]:
    """Every module and environment, by its path below ``terraform``."""
    terraform = root / "terraform"
    return sorted(file.parent.relative_to(terraform).as_posix() for file in terraform.glob("*/*/versions.tf"))


def _faults_of(terraform: Terraform, folder: Path, ready: Ended, root: Path, *, update: bool) -> str:
    name = f"{folder.parent.name}/{folder.name}"
    valid = ready if ready.code else terraform.run(folder, "validate", "-no-color")
    if valid.code:
        return _named(name, valid.said, valid.code)
    is_environment = folder.parent.name == "environments"
    tested = terraform.run(folder, "test", *(["-json", "-verbose"] if is_environment else ["-no-color"]))
    if not is_environment:
        return _named(name, tested.said, tested.code)
    page = snapshot(tested.said)
    if not page:
        return _named(name, tested.said, tested.code or 1)
    return _compare(root / SNAPSHOTS / f"{folder.name}.txt", page, update=update)


def _compare(file: Path, page: str, *, update: bool) -> str:
    if update:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(page)
        return ""
    before = file.read_text() if file.exists() else ""
    name = f"{SNAPSHOTS}/{file.name}"
    lines = difflib.unified_diff(before.splitlines(), page.splitlines(), name, "the plan", lineterm="", n=0)
    told = "\n".join(lines)
    return f"{told}\nIf it is meant: python3 infra/terraform_check.py --update" if told else ""


def _named(name: str, said: str, code: int) -> str:
    return f"{name}:\n{said}" if code else ""


def main(argv: list[str]) -> int:
    """1 if something is wrong, 2 if it cannot be checked here."""
    parser = argparse.ArgumentParser(prog="terraform_check", description=__doc__.partition("\n")[0])
    parser.add_argument("--update", action="store_true", help="write the snapshots")
    try:
        told = faults(update=parser.parse_args(argv).update)
    except TerraformMissing as missing:
        print(f"skipped: {missing}", file=sys.stderr)
        return 2
    print(told or "ok")
    return 1 if told else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
