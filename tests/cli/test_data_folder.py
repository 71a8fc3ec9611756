"""Records of a network lie beside its runs, from whatever folder it is asked (agents/data_folder.py, crm/deps.py)."""

import json
from pathlib import Path

import pytest

from crm.database import open_database
from entracte.agents import data_folder
from tests.cli.conftest import Shell, new_shell

MOVE = "Move Ada to Pro, fix Grace's email, remove the duplicate of Alan, mail Ada about it"
FREE, PRO = "Free", "Pro"


def plan_of_ada(folder: Path) -> str:
    """As the folder's records have it."""
    connection = open_database(folder / "crm.sqlite3")
    (plan,) = connection.execute("SELECT plan FROM customers WHERE id = 17").fetchone()
    connection.close()
    return str(plan)


def in_folder(shell: Shell, name: str) -> Shell:
    """A shell in a folder below."""
    below = shell.folder / name
    below.mkdir(parents=True)
    return Shell(below, shell.environment)


def moved(shell: Shell, *options: str) -> str:
    """Make the changes; the run waits for somebody to let it send a mail."""
    done = shell.run("run", MOVE, "--json", *options)
    return str(json.loads(done.out)["id"])


@pytest.fixture
def root(tmp_path: Path) -> Shell:
    """A shell in a folder whose store is there."""
    shell = new_shell(tmp_path)
    assert shell.run("run", "Which plan is Ada Lovelace on, and since when?").code == 0
    return shell


def test_a_run_made_in_a_sub_folder_is_undone_from_above(root: Shell):
    """Run and records lie in the one folder, so what is undone there is what was done."""
    below = in_folder(root, "mine/two")
    run = moved(below)
    kept = root.folder / ".entracte"
    assert plan_of_ada(kept) == PRO
    done = root.run("undo", run, "-y")
    assert (done.code, plan_of_ada(kept)) == (0, FREE), done
    assert [*below.folder.iterdir()] == []


def test_a_run_in_a_store_that_was_named_is_undone_where_its_records_are(root: Shell):
    """The same change made in the root's own store stays."""
    below = in_folder(root, "mine/two")
    run = moved(below, "--store", "runs.db")
    moved(root)
    done = root.run("undo", run, "-y", "--store", "mine/two/runs.db")
    assert (done.code, plan_of_ada(below.folder), plan_of_ada(root.folder / ".entracte")) == (0, FREE, PRO), done


@pytest.mark.parametrize(
    ("store", "expected"),
    [("", "above/.entracte"), ("memory", "above/here/.entracte"), ("a/runs.db", "above/here/a")],
)
def test_records_lie_beside_the_runs(store: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Found as the store is; runs in memory have no place, so it is the current folder's."""
    above, here = tmp_path / "above/.entracte", tmp_path / "above/here"
    for folder in (above, here):
        folder.mkdir(parents=True)
    (above / "entracte.db").touch()
    monkeypatch.chdir(here)
    monkeypatch.setenv("ENTRACTE_STORE", store)
    assert data_folder() == tmp_path / expected
