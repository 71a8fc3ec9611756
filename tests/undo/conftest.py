"""Databases of the support desk for histories."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from crm.database import open_database


@pytest.fixture(scope="session")
def crm_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new database, made once and only copied."""
    path = tmp_path_factory.mktemp("crm") / "template.sqlite3"
    open_database(path).close()
    return path


@pytest.fixture
def fresh_crm(crm_template: Path, tmp_path: Path) -> Callable[[], Path]:
    """Gives a new database at each call."""
    made: list[Path] = []

    def fresh() -> Path:
        made.append(tmp_path / f"crm-{len(made)}.sqlite3")
        return Path(shutil.copy(crm_template, made[-1]))

    return fresh
