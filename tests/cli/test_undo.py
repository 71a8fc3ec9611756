"""Taking runs back (commands/undo.py, taking_back.py, rehearsing.py, undo_row.py, undo_view.py)."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from entracte.adapters.system.clock import SystemClock
from entracte.adapters.system.secrets import EnvironmentSecrets
from entracte.cli.records.local_records import NoBus
from entracte.cli.runners.local_runner import LocalRunner
from entracte.cli.undo.taking_back import Extent
from entracte.runtime.compose import compose
from entracte.runtime.loading import load_network
from entracte.runtime.local.embedded import open_store
from entracte.runtime.settings import Settings
from tests.cli.conftest import Done

Call = Callable[..., Done]


def stock() -> dict[str, int]:
    """What the file says."""
    found: dict[str, int] = json.loads(Path("stock.json").read_text())
    return found


def change(**left: int) -> None:
    """Somebody else changes the file."""
    Path("stock.json").write_text(json.dumps(stock() | left))


def run(call: Call, message: str) -> str:
    """Id of a run with this message."""
    return str(json.loads(call("run", message, "--network", "stock:network", "--json").out)["id"])


def undo(call: Call, *arguments: str) -> tuple[int, str, list[str]]:
    """Exit code and status of an undo, and its verdicts."""
    done = call("undo", "-y", "--json", *arguments)
    said: dict[str, Any] = json.loads(done.out)
    return done.code, said["run"]["status"], [step.get("verdict") for step in said["steps"]]


def test_a_dry_run_shows_each_call_with_the_one_that_takes_it_back(call: Call):
    """Newest first; two changes of one record are no drift; nothing is written."""
    id = run(call, "set twice")
    done = call("undo", "--dry-run")
    assert (done.code, stock(), json.loads(call("show", "--json").out)["run"]["status"]) == (
        0, {"tea": 7, "salt": 1}, "succeeded",
    )  # fmt: skip
    assert done.out.splitlines() == [
        '↶ revert     2.1  put(item="salt", left=1)',
        '             → put(item="salt", left=8)',
        '↶ revert     2.0  put(item="tea", left=7)',
        '             → put(item="tea", left=5)',
        '↶ revert     1.1  put(item="tea", left=5)',
        '             → put(item="tea", left=3)',
    ]
    assert done.err == f"run {id} · dry run · 3 revert\n"


def test_an_undo_puts_everything_back_and_says_so(call: Call):
    """While it happens, then as a whole."""
    id = run(call, "set twice")
    done = call("undo", "-y")
    assert (done.code, stock()) == (0, {"tea": 3, "salt": 8})
    assert done.out.splitlines()[:2] == [
        '↶ reverted   2.1  put(item="salt", left=1)',
        '             → put(item="salt", left=8)',
    ]
    assert [line[19:].rstrip() for line in done.err.splitlines()[:-1]] == [
        "undo        ↶ local asks to undo the run.", *["undo        ↶ put reverted"] * 3,
    ]  # fmt: skip
    assert f"run {id} undone · 3 reverted · " in done.err.splitlines()[-1]


def test_undoing_twice_says_so_and_changes_nothing(call: Call):
    """Even if somebody has set the records to what the run had made of them."""
    id = run(call, "set")
    call("undo", "-y")
    change(tea=5)
    assert call("undo", "-y") == Done(0, "", f"Run {id} is undone already. Nothing was done.\n")
    assert (undo(call), stock()["tea"]) == ((0, "undone", []), 5)


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_where_nobody_can_be_asked_nothing_is_taken_back(call: Call, more: tuple[str, ...]):
    """A script says that it means it."""
    id = run(call, "set")
    done = call("undo", *more)
    assert (done.code, done.out, stock()["tea"]) == (2, "", 5)
    assert done.err == (
        f"error: Run {id} would be taken back, and nobody can be asked here.\n"
        "  Give --yes to do it. --dry-run shows what would be done.\n"
    )


def test_a_run_that_changed_nothing_stays_as_it_has_ended(call: Call):
    """It is told so, and is not called undone."""
    id = run(call, "hello")
    ended = json.loads(call("show", "--json").out)["run"]
    told = f"Run {id} is {ended['status']}, and has changed nothing that could be taken back. Nothing was done.\n"
    assert call("undo", "-y") == Done(0, "", told)
    assert undo(call) == (0, ended["status"], [])
    assert json.loads(call("show", "--json").out)["run"] == ended


def test_a_dry_run_says_that_a_run_that_waits_is_cancelled(call: Call):
    """With its gates; the dry run itself cancels nothing."""
    call("run", "ship", "--network", "stock:network")
    told = call("undo", "--dry-run").err.splitlines()
    assert told[-1] == "The run is waiting: an undo cancels it first, with the gates that it waits at."
    assert json.loads(call("show", "--json").out)["run"]["status"] == "waiting"


def test_an_undo_stops_where_somebody_has_changed_the_record(call: Call):
    """Both values are shown, what lies before is kept, and it goes on once the record is right again."""
    run(call, "set twice")
    change(tea=6)
    done = call("undo", "-y")
    assert (done.code, stock()) == (1, {"tea": 6, "salt": 8})
    assert done.out.splitlines()[2:] == [
        '! stopped    2.0  put(item="tea", left=7)',
        '             → put(item="tea", left=5)',
        "             Somebody has changed it since.",
        '             before    {"left": 5}',
        '             expected  {"left": 7}',
        '             found     {"left": 6}',
        '· kept       1.1  put(item="tea", left=5)',
        '             → put(item="tea", left=3)',
    ]
    change(tea=7)
    assert (undo(call), stock()["tea"]) == ((0, "undone", ["reverted", "reverted"]), 3)


def test_a_dry_run_has_the_exit_code_of_the_undo(call: Call):
    """It sees the same drift, and stops at the same call."""
    run(call, "set twice")
    change(tea=6)
    done = call("undo", "--dry-run")
    assert (done.code, [line.split()[1] for line in done.out.splitlines() if line[0] != " "]) == (
        1, ["revert", "stop", "kept"],
    )  # fmt: skip


def test_what_cannot_be_taken_back_is_reported_and_stepped_over(call: Call):
    """Stopping at it would not call it back, and would leave the rest wrong."""
    run(call, "set and ship")
    call("approve")
    assert (undo(call), stock()["tea"]) == ((1, "partial", ["permanent", "reverted"]), 3)


def test_what_nothing_can_be_read_of_is_taken_back_unverified(call: Call):
    """The inverse is called all the same."""
    run(call, "add")
    assert (undo(call), stock()) == ((0, "undone", ["unverified"]), {"tea": 3, "salt": 8})


def test_a_record_that_is_as_before_already_is_left_alone(call: Call):
    """Somebody was faster."""
    run(call, "set")
    change(tea=3)
    assert undo(call) == (0, "undone", ["already"])


def test_a_run_that_waits_is_cancelled_before(call: Call):
    """What it had done is taken back, and its gate asks nobody any more."""
    run(call, "set and ship")
    assert (undo(call), stock()["tea"]) == ((0, "undone", ["reverted"]), 3)
    assert [gate["status"] for gate in json.loads(call("gates", "--status", "all", "--json").out)["gates"]] == [
        "cancelled"
    ]


@pytest.mark.parametrize("name", ["2.0", "{short}.2.0", "{id}.2.0"])
def test_an_undo_ends_at_the_call_that_is_named(call: Call, name: str):
    """As the dry run names it, or by its whole id; what came before is kept."""
    id = run(call, "set twice")
    assert undo(call, "--to", name.format(id=id, short=id[:8])) == (1, "partial", ["reverted", "reverted", "kept"])
    assert stock() == {"tea": 5, "salt": 8}


@pytest.mark.parametrize("name", ["1.0", "9.9", "keeper"])
def test_a_call_that_changed_nothing_is_no_end_of_an_undo(call: Call, name: str):
    """It must not stand for the whole run: nothing is done."""
    id = run(call, "set twice")
    done = call("undo", "-y", "--to", name)
    assert (done.code, done.err) == (1, f"error: Run {id} has no effect '{id}.{name}'.\n  A dry run names them.\n")
    assert stock() == {"tea": 7, "salt": 1}


def test_the_name_of_a_call_is_its_place_within_the_run():
    """A step has the number of a run's first characters only where its whole beginning is given."""
    run = "12345678abcdefabcdef"
    named = {name: Extent(to=name).within(run).to for name in ("", "1.0", "12345678.1.0", f"{run}.1.0")}
    assert named == {"": "", "1.0": f"{run}.1.0", "12345678.1.0": f"{run}.1.0", f"{run}.1.0": f"{run}.1.0"}


def begin_undo(run: str) -> None:
    """What a process leaves that dies as soon as it has asked for an undo."""
    runtime = compose(
        load_network("stock:network"),
        store=open_store(".entracte/entracte.db"),
        bus=NoBus(),
        clock=SystemClock(),
        secrets_port=EnvironmentSecrets({}),
        worker="gone",
    )
    assert runtime.runs.undo(run, owner="local").status == "undoing"
    runtime.close()


def test_an_undo_that_its_process_left_is_brought_to_its_end(call: Call):
    """By whoever asks for it next."""
    begin_undo(run(call, "set twice"))
    assert (undo(call), stock()) == ((0, "undone", ["reverted"] * 3), {"tea": 3, "salt": 8})


def test_an_undo_is_asked_to_go_on_while_it_is_waited_for(call: Call, monkeypatch: pytest.MonkeyPatch):
    """What it waits for, such as a call under way, does not tell it."""
    monkeypatch.setattr("entracte.cli.runners.local_runner._NUDGE_S", 0.01)
    id = run(call, "set twice")
    runner = LocalRunner.open(Settings(network="stock:network", store=".entracte/entracte.db"), None)
    begin_undo(id)
    assert (runner.wait(id)["status"], stock()) == ("undone", {"tea": 3, "salt": 8})
    runner.close()


def test_show_tells_how_each_call_is_taken_back_and_what_became_of_it(call: Call):
    """Class and inverse of each, then the verdicts of the last undo."""
    run(call, "set")
    before, _ = call("show").out.split("\n\nanswer\n")
    assert '├── ✓ look(item="tea")  readonly' in before
    assert '└── ✓ put(item="tea", left=5)  reversible' in before
    assert '↶ put(item="tea", left=3)' in before
    call("undo", "-y")
    after = call("show").out
    assert '↶ put(item="tea", left=5)  reverted  reversible' in after
    assert '\nundo: undone, 1 reverted\n↶ reverted   1.1  put(item="tea", left=5)\n' in after
    step = call("show", "--step", "1").out
    assert '\n  before: {"left": 3}\n  after: {"left": 5}\n  ↶ put(item="tea", left=3)\n' in step
