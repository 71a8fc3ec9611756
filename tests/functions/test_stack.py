"""The local stack, with functions made up for the test (infra/stack.py)."""

from __future__ import annotations

import contextlib
import itertools
import queue
import re
import signal
import socket
import subprocess
import sys
import tempfile
import textwrap
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from entracte.adapters.gcp.bus import PubSubBus
from entracte.core.messages import Message
from ports import answers
from stack import ChildFailed, Stack

pytestmark = pytest.mark.emulator

INFRA = Path(__file__).resolve().parents[2] / "infra"

API = """
    import os, signal
    import functions_framework

    @functions_framework.http
    def api(request):
        if request.path == "/end":
            print("about to end")
            os.kill(os.getppid(), signal.SIGKILL)
        return os.environ["ENTRACTE_NETWORK"]
"""

PLAN = """
    import functions_framework
    from entracte.adapters.gcp.push import decode_push

    @functions_framework.http
    def plan(request):
        if request.method == "POST":
            print("got", decode_push(request.get_data()).run)
        return "", 204
"""

GATE_EDIT = """
    import functions_framework

    @functions_framework.cloud_event
    def gate_edit(event):
        pass
"""

BROKEN = """
    import functions_framework
    raise RuntimeError("no such network")
"""


@pytest.fixture
def functions(tmp_path: Path) -> Callable[..., Path]:
    """Writes functions by name and source, and gives the folder that holds them."""

    def write(**sources: str) -> Path:
        for name, source in sources.items():
            (tmp_path / "functions" / name).mkdir(parents=True)
            (tmp_path / "functions" / name / "main.py").write_text(textwrap.dedent(source))
        return tmp_path / "functions"

    return write


@pytest.fixture
def attached(firestore_emulator: str, pubsub_emulator: str) -> None:
    """The stack attaches to the session's emulators."""


@pytest.mark.usefixtures("attached")
def test_a_published_message_reaches_its_function_and_its_log_reaches_us(functions: Callable[..., Path]):
    """Topic, subscription, push, environment and log, all the way through."""
    lines: queue.Queue[tuple[str, str]] = queue.Queue()
    with Stack(
        network="some:network",
        functions=functions(api=API, plan=PLAN),
        project="demo-stack-delivery",
        on_line=lambda name, line: lines.put((name, line)),
    ) as stack:
        assert urllib.request.urlopen(stack.api_url, timeout=10).read() == b"some:network"
        bus = PubSubBus("demo-stack-delivery")
        bus.publish([Message(kind="plan", run="r1")])
        bus.close()
        assert lines.get(timeout=20) == ("plan", "got r1")
    assert not any(answers(stack.addresses[name]) for name in ("api", "plan"))


@pytest.mark.usefixtures("attached")
def test_a_function_that_does_not_start_ends_the_stack_with_its_log(functions: Callable[..., Path]):
    """A wrong network is found at once, not after a time limit, and the other parts are stopped again."""
    stack = Stack(network="x:y", functions=functions(api=API, plan=BROKEN))
    with (
        pytest.raises(ChildFailed, match=r"(?s)plan ended before all was ready \(exit code 1\).*no such network"),
        stack,
    ):
        pass
    assert not answers(stack.addresses["api"])


@pytest.mark.usefixtures("attached")
def test_a_function_that_dies_ends_the_stack_with_its_log(functions: Callable[..., Path]):
    """Half a stack is never left to be puzzled over."""
    with Stack(network="x:y", functions=functions(api=API)) as stack:
        urllib.request.urlopen(f"{stack.api_url}/end", timeout=10).close()
        with pytest.raises(ChildFailed, match=r"(?s)api ended \(exit code -9\).*about to end"):
            stack.watch()


@pytest.mark.usefixtures("attached")
def test_edits_in_an_emulator_of_somebody_else_are_said_not_to_arrive(functions: Callable[..., Path]):
    """It was started without gate_edit's address, as far as anybody can tell: the stack says which is missing."""
    with Stack(network="x:y", functions=functions(gate_edit=GATE_EDIT)) as stack:
        (remark,) = stack.remarks
        assert f"started with --functions_emulator={stack.addresses['gate_edit']}" in remark


def test_a_folder_without_functions_is_named(tmp_path: Path):
    """Rather than a stack that does nothing."""
    with pytest.raises(FileNotFoundError, match=f"no function under {tmp_path}"):
        Stack(network="x:y", functions=tmp_path).__enter__()


@pytest.fixture
def detached(attached: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The stack starts emulators of its own. Not installed: `attached` has skipped the test."""
    monkeypatch.delenv("FIRESTORE_EMULATOR_HOST", raising=False)
    monkeypatch.delenv("PUBSUB_EMULATOR_HOST", raising=False)


@pytest.fixture
def program(functions: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> Iterator[subprocess.Popen[str]]:
    """The stack as a program of its own, with one function on a free port."""
    code = "import sys, pathlib, stack; sys.exit(stack.main(['--api-port=0'], pathlib.Path(sys.argv[1])))"
    command = [sys.executable, "-c", code, str(functions(api=API))]
    with tempfile.TemporaryDirectory() as folder:  # what it leaves there when it is killed goes, too
        monkeypatch.setenv("TMPDIR", folder)
        with subprocess.Popen(
            command, cwd=INFRA, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as running:
            yield running
            running.kill()


def addresses(program: subprocess.Popen[str]) -> dict[str, str]:
    """``host:port`` of each part, read from what the program says when all of them answer."""
    assert program.stdout is not None
    said = "".join(itertools.takewhile(lambda line: line != "Ctrl-C stops everything.\n", program.stdout))
    return dict(re.findall(r"^(\w[\w ]*\w) +http://(\S+)", said, re.MULTILINE))


@pytest.mark.usefixtures("detached")
def test_ctrl_c_stops_all_that_was_started(program: subprocess.Popen[str]):
    """The function and both emulators end, and the exit code is 0."""
    parts = addresses(program)
    assert list(parts) == ["firestore emulator", "pubsub emulator", "api"]
    assert all(answers(address) for address in parts.values())
    program.send_signal(signal.SIGINT)
    assert program.wait(20) == 0
    assert not any(answers(address) for address in parts.values())


@pytest.mark.usefixtures("attached")
def test_sigterm_stops_what_was_started_and_nothing_else(program: subprocess.Popen[str], pubsub_emulator: str):
    """Emulators that it attached to belong to somebody else."""
    parts = addresses(program)
    program.send_signal(signal.SIGTERM)
    assert program.wait(20) == 0
    assert not answers(parts["api"])
    assert answers(parts["pubsub emulator"])


@pytest.mark.usefixtures("attached")
def test_a_killed_stack_leaves_nothing_running_either(program: subprocess.Popen[str]):
    """Its functions end with it, though it could not tell them to."""
    api = addresses(program)["api"]
    host, port = api.split(":")
    with socket.create_connection((host, int(port)), timeout=20) as connection:
        program.kill()
        with contextlib.suppress(ConnectionResetError):
            assert connection.recv(1) == b""  # returns when the other end is gone
    assert not answers(api)
