"""A network of one's own: its files, and that they are fit (scaffold/, commands/new.py, commands/package.py)."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from entracte.cli.scaffold.checkout import SOURCE, checkout
from entracte.cli.scaffold.making import FILES, PLACEHOLDER, TEMPLATES, make_network
from entracte.errors import ConfigurationError, InvalidInput
from tests.cli.conftest import Done

COPIED = ("pyproject.toml", "infra", "terraform/environments", "tests/terraform/snapshots", "functions")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the checkout, as far as a new network has to do with it."""
    root = tmp_path / "checkout"
    for part in COPIED:
        source, place = SOURCE / part, root / part
        place.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, place, ignore=shutil.ignore_patterns(".terraform*", "__pycache__"))
        else:
            shutil.copy(source, place)
    (root / "shared").mkdir()
    (root / "shared/entracte").symlink_to(SOURCE / "shared/entracte")
    return root


def run(root: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a program of this environment on a checkout, whose own networks come first."""
    environment = {"PYTHONPATH": str(root / "shared"), "PATH": str(Path(sys.executable).parent)}
    return subprocess.run([sys.executable, "-m", *command], cwd=root, env=environment, capture_output=True, text=True)


def test_what_is_made_passes_its_test_and_the_check(copy: Path):
    """The issue's promise: tests, format, lint and types, as they come out."""
    make_network(copy, "tea_shop")
    tested = run(copy, "pytest", "-q", "-p", "no:cacheprovider", "tests/tea_shop")
    assert "2 passed" in tested.stdout, tested.stdout
    places = ["shared/tea_shop", "tests/tea_shop"]
    for check in (["ruff", "format", "--check"], ["ruff", "check", "--no-cache"]):
        checked = run(copy, *check, *places)
        assert checked.returncode == 0, checked.stdout
    typed = run(copy, "mypy", "--no-incremental", "--follow-imports=silent", "shared/tea_shop")
    assert typed.returncode == 0, typed.stdout


def test_its_deployment_is_dev_s_under_its_own_name(copy: Path):
    """With a plan to hold against, and a place for its zips. Nothing of it says dev."""
    make_network(copy, "tea_shop")
    made = copy / "terraform/environments/tea_shop"
    names = {file.relative_to(made).as_posix() for file in made.rglob("*") if file.is_file()}
    model = copy / "terraform/environments/dev"
    assert names == {file.relative_to(model).as_posix() for file in model.rglob("*") if file.is_file()}
    assert 'prefix              = "tea-shop"' in (made / "entracte.tf").read_text()
    assert 'prefix = "entracte/tea-shop"' in (made / "state.tf").read_text()
    assert '"../../../dist/tea_shop"' in (made / "variables.tf").read_text()
    snapshot = (copy / "tests/terraform/snapshots/tea_shop.txt").read_text()
    assert "databases/tea-shop" in snapshot and "entracte-dev" not in snapshot


def test_its_bundle_carries_its_package(copy: Path):
    """As `entracte package` makes it."""
    make_network(copy, "tea_shop")
    done = run(copy, "entracte.cli.main", "package", "tea_shop")
    assert done.returncode == 0, done.stderr
    listed = subprocess.run(
        [sys.executable, "-m", "zipfile", "-l", copy / "dist/tea_shop/plan.zip"], capture_output=True, text=True
    )
    assert "tea_shop/policy.yaml" in listed.stdout and "crm/" not in listed.stdout
    assert (copy / "dist/tea_shop/bundles.json").is_file()


@pytest.mark.parametrize("name", ["", "Tea", "tea-shop", "json", "../x", "t", "tea_", "entracte", "crm" * 9])
def test_a_name_that_cannot_be_one_is_refused(copy: Path, name: str):
    """Before anything is written."""
    before = sorted(copy.rglob("*"))
    with pytest.raises(InvalidInput):
        make_network(copy, name)
    assert sorted(copy.rglob("*")) == before


def test_what_is_there_is_never_written_over(copy: Path):
    """A second time is refused, and says which folder is in the way."""
    make_network(copy, "tea_shop")
    (copy / "shared/tea_shop/network.py").write_text("mine")
    with pytest.raises(InvalidInput, match="shared/tea_shop is there already"):
        make_network(copy, "tea_shop")
    assert (copy / "shared/tea_shop/network.py").read_text() == "mine"


def test_every_template_is_used():
    """And names the network by the one word that is replaced."""
    assert {file.name for file in TEMPLATES.iterdir() if file.suffix in (".txt", ".yaml")} == set(FILES)
    assert PLACEHOLDER in (TEMPLATES / "network.py.txt").read_text()


def test_the_command_says_what_it_made_and_what_is_next(
    call: Callable[..., Done], copy: Path, monkeypatch: pytest.MonkeyPatch
):
    """Files on standard output, the next commands beside it."""
    monkeypatch.chdir(copy)
    done = call("new", "tea_shop")
    assert done.code == 0
    assert "shared/tea_shop/network.py" in done.out.splitlines()
    assert "--network tea_shop:network" in done.err


def test_a_checkout_is_found_from_within_it_or_from_the_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The one around the current folder comes first; a folder called infra alone is none."""
    here, code, elsewhere = (tmp_path / name for name in ("here", "code", "elsewhere"))
    for root in (here, code):
        (root / "shared" / "entracte").mkdir(parents=True)
        (root / "infra").mkdir()
        (root / "infra" / "stack.py").touch()
    (elsewhere / "infra").mkdir(parents=True)
    (elsewhere / "infra" / "stack.py").touch()
    monkeypatch.chdir(here / "shared")
    assert checkout("x", source=code) == here
    monkeypatch.chdir(elsewhere)
    assert checkout("x", source=code) == code
    with pytest.raises(ConfigurationError, match="x works on a checkout"):
        checkout("x", source=elsewhere)
