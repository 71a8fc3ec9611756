"""Networks that share a store, as processes (runtime/local/embedded.py), and how it is shown."""

import json
import sys
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
            on=(AssertionError, LookupError, json.JSONDecodeError), timeout=40, attempts=200
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


def test_runs_and_gates_of_several_networks_say_whose_they_are(call):
    """Where there is one network, its name is left out."""
    assert call("run", "order", "--network", "stock:network").code == 3
    assert "stock:network" not in call("list").out + call("gates").out
    assert call("run", "shout", "--network", "hostile:network").code == 0
    head, *rows = call("list").out.splitlines()
    assert head.split() == ["run", "status", "age", "agent", "tokens", "network", "asked"]
    assert [row.split()[-2:] for row in rows] == [["hostile:network", "shout"], ["stock:network", "order"]]
    assert "of stock:network" not in call("gates").out  # all that wait are of one


def test_gates_of_several_networks_say_whose_they_are(call, monkeypatch):
    """Each in its first line."""
    Path("other.py").write_text("import stock\nnetwork = stock.network\n")
    monkeypatch.syspath_prepend(Path.cwd())
    assert call("run", "order", "--network", "stock:network").code == 3
    assert call("run", "order", "--network", "other:network").code == 3
    firsts = [line for line in call("gates").out.splitlines() if "asked by" in line]
    assert [line.rpartition(", of ")[2] for line in firsts] == ["stock:network", "other:network"]


def test_a_store_above_the_current_folder_is_named(call, monkeypatch):
    """For it is used without having been asked for."""
    assert call("run", "shout", "--network", "hostile:network").code == 0
    assert call("list").err == ""
    above = Path.cwd()
    (above / "below").mkdir()
    monkeypatch.chdir(above / "below")
    assert call("list").err == f"Kept in {above}/.entracte/entracte.db, the nearest store above this folder.\n"


def test_a_run_is_gone_on_with_where_its_network_is_found(call, monkeypatch):
    """From elsewhere, the error says what to do."""
    assert call("run", "order", "--network", "stock:network").code == 3
    monkeypatch.setattr("sys.path", [place for place in sys.path if not place.endswith("networks")])
    monkeypatch.delitem(sys.modules, "stock")
    done = call("approve")
    assert done.code == 2
    assert "Network 'stock:network' fails to import" in done.err
    assert "Go to the folder of its module, or name the network with --network." in done.err
