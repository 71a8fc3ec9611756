"""A fresh desk for each test."""

import shutil
from pathlib import Path

import pytest

from crm.database import open_database
from crm.deps import Crm
from crm.mail import Outbox


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new database, made once and only copied."""
    path = tmp_path_factory.mktemp("crm") / "template.sqlite3"
    open_database(path).close()
    return path


@pytest.fixture
def crm(template: Path, tmp_path: Path) -> Crm:
    """A desk with a new database and an empty outbox."""
    return Crm(database=Path(shutil.copy(template, tmp_path / "crm.sqlite3")), outbox=Outbox(tmp_path / "outbox"))
