"""A fresh desk for each test."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from crm import network
from crm.database import open_database
from crm.deps import Crm
from crm.lookup import network as lookup_network
from crm.mail import Outbox
from entracte.agents import Network


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


@pytest.fixture
def settings(crm: Crm, monkeypatch: pytest.MonkeyPatch) -> None:
    """Networks that are opened in the test work on its desk, and keep their runs in memory."""
    monkeypatch.setenv("CRM_DATABASE", str(crm.database))
    monkeypatch.setenv("CRM_OUTBOX", str(crm.outbox.folder))
    monkeypatch.setenv("ENTRACTE_STORE", "memory")


@pytest.fixture
def desk(settings: None) -> Iterator[Network]:
    """The sample network."""
    opened = network.using()
    yield opened
    opened.close()


@pytest.fixture
def lookup(settings: None) -> Iterator[Network]:
    """The network of one agent."""
    opened = lookup_network.using()
    yield opened
    opened.close()
