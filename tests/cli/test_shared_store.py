"""Networks that share a store, as processes (runtime/local/embedded.py), and how it is shown."""

import json
from pathlib import Path

import stamina

from entracte.runtime.loading import load_network
from entracte.runtime.local.embedded import open_embedded
from entracte.runtime.settings import Settings
from tests.cli.conftest import Shell


def test_a_run_whose_process_was_killed_is_left_to_its_own_network(shell: Shell, monkeypatch):
    """While its tool looks something up. Another network's process on the same store does not touch it."""
    with shell.start("run", "stay", "--network", "hostile:network") as killed:
        for attempt in stamina.retry_context(
            on=(AssertionError, KeyError, json.JSONDecodeError), timeout=40, attempts=200
        ):
            with attempt:
                run = json.loads(shell.run("list", "--json").out)["runs"][0]
                shown = json.loads(shell.run("show", run["id"], "--json").out)
                assert [call["status"] for call in shown["actions"]] == ["proposed"]
        killed.kill()
    assert shell.run("run", "ship", "--network", "stock:network").code == 3
    assert json.loads(shell.run("show", run["id"], "--json").out) == shown
    (shell.folder / "go").touch()
    monkeypatch.chdir(shell.folder)
    monkeypatch.syspath_prepend(Path(__file__).with_name("networks"))
    own = open_embedded(load_network("hostile:network"), Settings(store=".entracte/entracte.db", user="local"))
    try:
        assert own.wait(run["id"], timeout_s=30).output == "Went."
    finally:
        own.close()
