"""The table of threats names tests that exist (infra/decisions/threats.md)."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "infra" / "decisions" / "threats.md"
ROWS = [line for line in TABLE.read_text().splitlines() if line.startswith("| ")][1:]
NAMED = re.compile(r"`(tests/[a-z_/]+\.py)::(test_[a-z0-9_]+)`")


@cache
def names_in(file: str) -> set[str]:
    """Names of the tests of a file."""
    tree = ast.parse((ROOT / file).read_text())
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_the_table_is_read():
    """Or the test below says nothing."""
    assert len(ROWS) > 20


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split("|")[2].strip()[:60])
def test_every_threat_names_tests_that_exist(row: str):
    """Who, what, how it is stopped, and at least one test, by file and name."""
    _, who, what, how, named, _ = re.split(r"(?<!\\)\|", row)
    assert who.strip() and what.strip() and how.strip()
    tests = NAMED.findall(named)
    assert tests and NAMED.sub("", named).strip() == ""
    assert [test for file, test in tests if test not in names_in(file)] == []
