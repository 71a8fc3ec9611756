"""Leaving a run before it ends: Ctrl-C, --detach, cancel (run_once.py, detaching.py)."""

import json
import re
import signal

import stamina

from tests.cli.conftest import Done, Shell


def test_ctrl_c_says_where_the_run_can_be_found(shell: Shell):
    """What is under way ends and is recorded; the commands that are named find the run."""
    with shell.start("run", "stay", "--network", "hostile:network") as process:
        assert process.stderr is not None
        for line in process.stderr:
            if "→ stay()" in line:
                break
        process.send_signal(signal.SIGINT)
        said = process.stderr.readline()
        (shell.folder / "go").touch()
        said += process.stderr.read()
    assert process.returncode == 130
    found = re.search(
        r"^Run ([0-9a-f]{20}) is kept\. .*\n\S+ show ([0-9a-f]{8}) shows it, \S+ cancel \2 ends it\.$", said, re.M
    )
    assert found is not None, said
    shown = shell.run("show", found[2])
    assert f"run {found[1]}  running" in shown.out
    assert shell.run("cancel", found[2]).out == f"Run {found[1]} is cancelled.\n"


def test_a_detached_run_goes_on_without_its_command(shell: Shell):
    """Its id comes at once, though the run is not over; a process of its own brings it to its end."""
    begun = shell.run("run", "stay", "--network", "hostile:network", "--detach")
    run = begun.out.strip()
    assert re.fullmatch(r"It goes on in the background: \S+ show [0-9a-f]{8}\n", begun.err), begun.err
    assert json.loads(shell.run("show", run, "--json").out)["run"]["status"] in ("queued", "running")
    (shell.folder / "go").touch()
    for attempt in stamina.retry_context(on=AssertionError, attempts=30, timeout=30, wait_initial=0.1, wait_max=0.5):
        with attempt:
            ended = json.loads(shell.run("show", run, "--json").out)["run"]
            assert (ended["status"], ended["output"]) == ("succeeded", "Went.")


def test_what_cannot_be_started_is_not_detached(shell: Shell):
    """The process that was to run it says why, and the command ends as it would have."""
    done = shell.run("run", "x", "--agent", "nobody", "--network", "hostile:network", "--detach")
    assert done == Done(2, "", "error: There is no agent 'nobody'.\n  Agents: desk.\n")
