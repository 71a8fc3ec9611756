"""A server that misbehaves, a client of it, and calls."""

import json
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from entracte.adapters.mcp.servers import McpServers
from entracte.adapters.system.secrets import EnvironmentSecrets
from entracte.core.calls import Call
from entracte.core.policy.server import CommandServer
from entracte.testing.clock import FakeClock

SERVER = Path(__file__).with_name("odd_server.py")


class Odd:
    """The odd server, and what it has received.

    Attributes:
        clock: Stands still, so that deadlines are as far away as a call says, whatever time it is.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.clock = FakeClock()
        command = CommandServer(command=sys.executable, args=(str(SERVER), str(folder)), env={"TOKEN": "${ODD_TOKEN}"})
        self.servers = McpServers({"odd": command}, EnvironmentSecrets({"ODD_TOKEN": "s3cret-word"}), self.clock)

    def call(self, tool, arguments=None, *, readonly=False, within_s=30.0, report=lambda text: None):
        """Call a tool of it."""
        return self.servers.call(self.a_call(tool, arguments, within_s=within_s), readonly=readonly, report=report)

    def a_call(self, tool, arguments=None, *, within_s=30.0):
        deadline = self.clock.now() + timedelta(seconds=within_s)
        where = {"run": "r", "session": "s", "frame": "r", "agent": "desk", "step": 1, "user": "ada", "metadata": {}}
        what = {"action": "r.1.0", "idempotency_key": "r.1.0", "tool": f"odd.{tool}", "arguments": arguments or {}}
        return Call(**where, **what, attempt=1, deadline=deadline)

    @property
    def starts(self):
        return len((self.folder / "starts").read_text())

    def received(self, method):
        """Parameters of all requests of a method, in order."""
        lines = (self.folder / "received.jsonl").read_text().splitlines()
        return [m.get("params", {}) for m in map(json.loads, lines) if m["method"] == method]

    @property
    def called(self):
        """Names of the tools that it was asked to call."""
        return [params["name"] for params in self.received("tools/call")]


@pytest.fixture
def odd(tmp_path):
    """The odd server; it is started by the first call."""
    odd = Odd(tmp_path)
    yield odd
    odd.servers.close()


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """The odd server for tests that leave it as it is: one start for all of them."""
    odd = Odd(tmp_path_factory.mktemp("odd"))
    yield odd
    odd.servers.close()
