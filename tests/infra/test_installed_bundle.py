"""Each source zip in an environment of its own: installed from its own requirements, started, asked once."""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import httpx
import pytest

import bundle
import ports
from child import Child, wait_until
from entracte.core.messages import Kind, Message

pytestmark = pytest.mark.emulator

NETWORK, PROJECT = "crm:network", "demo-bundles"
INSTALL_TIMEOUT_S = 300

Install = Callable[[Path], Path]
"""Makes an environment of an unpacked zip's requirements, and gives its Python."""


@pytest.fixture(scope="module")
def uv(tmp_path_factory: pytest.TempPathFactory) -> Install:
    """As the buildpack of newer runtimes installs. Functions that list the same share one environment."""
    folder = tmp_path_factory.mktemp("uv")
    program = shutil.which("uv")
    if program is None:
        run(sys.executable, "-m", "pip", "install", "--quiet", "--target", folder / "uv", "uv")
        program = str(folder / "uv" / "bin" / "uv")
    made: dict[str, Path] = {}

    def install(zip_folder: Path) -> Path:
        requirements = zip_folder / "requirements.txt"
        if (wanted := requirements.read_text()) not in made:
            environment = folder / f"environment-{len(made)}"
            python = environment / "bin" / "python"
            run(program, "venv", "--quiet", "--python", sys.executable, environment)
            run(program, "pip", "install", "--quiet", "--python", python, "--require-hashes", "-r", requirements)
            made[wanted] = python
        return made[wanted]

    return install


def pip(zip_folder: Path) -> Path:
    """As the buildpack of the runtime that we choose installs."""
    environment = zip_folder.parent / "environment"
    run(sys.executable, "-m", "venv", "--without-pip", environment)
    python = environment / "bin" / "python"
    requirements = zip_folder / "requirements.txt"
    run(sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--require-hashes", "-r", requirements)
    return python


def run(*command: str | Path) -> None:
    """Run a program to its end. Fails with what it said."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_TIMEOUT_S)
    assert done.returncode == 0, done.stderr


def unpacked(function: str, folder: Path) -> Path:
    """A function's zip, made and unpacked."""
    with zipfile.ZipFile(bundle.bundle(function, NETWORK, folder / "dist").file) as archive:
        archive.extractall(folder / "source")
    return folder / "source"


def ask(function: str, url: str) -> httpx.Response:
    """One request of the kind that the function gets."""
    if function in get_args(Kind):
        data = base64.b64encode(Message(kind=function, run="none").encode()).decode()
        return httpx.post(url, json={"message": {"data": data}, "subscription": "s"}, timeout=30)
    if function == "gate_edit":
        event = {"ce-id": "1", "ce-source": "test", "ce-type": "test", "ce-specversion": "1.0"}
        return httpx.post(url, content=b"no event", headers={**event, "Content-Type": "text/plain"}, timeout=30)
    if function == "mcp":
        accepted = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}
        return httpx.post(url, json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, headers=accepted, timeout=30)
    return httpx.get(f"{url}/v1/runs", timeout=30)


def answer_of(function: str, source: Path, python: Path) -> httpx.Response:
    """Start a function as the buildpack does, ask it once, and stop it."""
    port = ports.free_port()
    environment = {
        "ENTRACTE_NETWORK": NETWORK,
        "ENTRACTE_PROJECT": PROJECT,
        "HOST": ports.LOOPBACK,
        "PORT": str(port),
        "XDG_RUNTIME_DIR": str(source.parent),
        **{name: value for name, value in os.environ.items() if name.endswith("_EMULATOR_HOST")},  # noqa: TID251
    }
    command = [python, "-m", "functions_framework", "--source", source / "main.py", "--target", function]
    child = Child(function, command, env=environment)
    try:
        wait_until({child: lambda: ports.answers(f"{ports.LOOPBACK}:{port}", "/robots.txt")}, timeout_s=60)
        return ask(function, f"http://{ports.LOOPBACK}:{port}")
    finally:
        child.stop()


@pytest.mark.usefixtures("firestore_emulator", "pubsub_emulator")
@pytest.mark.parametrize("function", bundle.functions())
def test_a_function_installed_from_its_zip_answers(tmp_path: Path, uv: Install, function: str):
    """With nothing but what the zip holds and lists, on the emulators."""
    source = unpacked(function, tmp_path)
    answer = answer_of(function, source, uv(source))
    assert answer.status_code in (200, 204), answer.text


@pytest.mark.usefixtures("firestore_emulator", "pubsub_emulator")
def test_pip_installs_a_zip_as_well(tmp_path: Path):
    """One will do: the lists differ by single libraries."""
    source = unpacked("approve", tmp_path)
    assert answer_of("approve", source, pip(source)).status_code == 204
