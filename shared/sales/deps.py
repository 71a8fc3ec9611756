"""What the tools work with: the SQLite file that SALES_DATABASE names, else sales.sqlite3 beside the runs.

It is made and filled when it is not there.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from entracte.agents import data_folder


@dataclass(frozen=True, slots=True)
class Sales:
    """The merchant's records. Holds nothing open."""

    database: Path


def open_sales() -> Sales:
    """The records, as an absolute path: a later change of folder does not move them."""
    return Sales(Path(os.environ.get("SALES_DATABASE", "") or data_folder() / "sales.sqlite3").absolute())
