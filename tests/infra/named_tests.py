"""Tests that a table of ours names, as ``file::test``."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

_NAMED = re.compile(r"`(tests/[a-z_/]+\.py)::(test_[a-z0-9_]+)`")


def rows(page: str) -> list[list[str]]:
    """Cells of all rows of a page's tables, headings left out."""
    lines = [line for line in (ROOT / page).read_text().splitlines() if line.startswith("|")]
    heads = {number - 1 for number, line in enumerate(lines) if line.startswith("|---")}
    kept = [line for number, line in enumerate(lines) if number not in heads and not line.startswith("|---")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in kept]


def faults_of(cell: str) -> list[str]:
    """What is wrong with a cell that is to name tests and nothing else."""
    tests = _NAMED.findall(cell)
    rest = _NAMED.sub("", cell).strip()
    missing = [f"{file} has no {test}" for file, test in tests if test not in _tests_in(file)]
    return [*missing, *([f"no test is named: {cell}"] if not tests else []), *([f"not a test: {rest}"] if rest else [])]


@cache
def _tests_in(file: str) -> set[str]:
    if not (ROOT / file).is_file():
        return set()
    tree = ast.parse((ROOT / file).read_text())
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
