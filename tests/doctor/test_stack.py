"""Doctor on the local stack, with a test edit that goes the whole way of a console edit."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import emulators
from stack import FUNCTIONS, Stack
from tests.cli.conftest import new_shell

pytestmark = pytest.mark.emulator


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """The two functions that an edit goes through, on emulators of their own: those of other tests tell of no edits."""
    folder = tmp_path_factory.mktemp("functions")
    for name in ("approve", "gate_edit"):
        (folder / name).symlink_to(FUNCTIONS / name)
    with pytest.MonkeyPatch.context() as patch:
        for name in ("firestore", "pubsub"):
            patch.delenv(emulators.host_variable(name), raising=False)
        with Stack(network="crm:network", functions=folder, project="demo-doctor") as running:
            yield running


def test_it_says_what_works_what_is_missing_and_what_it_cannot_see(stack: Stack, tmp_path: Path):
    """Only two of the functions run here: the queues of the others have no subscription."""
    shell = new_shell(tmp_path)
    done = type(shell)(tmp_path, {**shell.environment, **stack.environment}).run("doctor", "--console", "--json")
    found = {finding["name"]: finding for finding in json.loads(done.out)}
    assert done.code == 1, done.err
    assert found["Firestore emulator"]["verdict"] == "ok"
    assert found["subscription entracte-approve"]["verdict"] == "ok"
    assert found["subscription entracte-plan"]["told"] == "is not there"
    assert {name for name, it in found.items() if it["verdict"] == "unknown"} == {
        "indexes",
        "rights and tokens",
        "sweep's clock",
    }
    assert found["console test edit"]["told"] == "it came all the way; the emulator makes its author up"
    assert found["function approve"]["verdict"] == "ok"
