"""Fixtures that give the address of a running emulator, started when the first test asks for it.

One of each serves the whole session: under pytest-xdist the controller owns them, and its workers ask it. Tests keep
apart by project id. Without an emulator a test is skipped on a laptop and fails where ``CI`` is set.
"""

from __future__ import annotations

import os
import threading
import xmlrpc.client
from collections.abc import Iterator
from typing import Any, cast
from xmlrpc.server import SimpleXMLRPCServer

import pytest

import emulators

Answer = tuple[str, str]
"""Address as ``host:port``, and the reason why there is none: one of the two is empty. What XML-RPC can carry."""


class _Owner:
    """Starts each emulator once, and stops them all at the end."""

    def __init__(self) -> None:
        self._started: list[emulators.Emulator] = []
        self._answers: dict[str, Answer] = {}
        self._lock = threading.Lock()

    def address(self, name: emulators.Name) -> Answer:
        """The same answer every time: what could not be started is not tried again."""
        with self._lock:
            if name not in self._answers:
                try:
                    self._started.append(emulators.attached(name) or emulators.start(name))
                    self._answers[name] = (self._started[-1].address, "")
                except (emulators.EmulatorMissing, emulators.ChildFailed) as fault:
                    self._answers[name] = ("", str(fault))
            return self._answers[name]

    def close(self) -> None:
        """Stop what was started."""
        for emulator in self._started:
            emulator.stop()


class Emulators:
    """pytest plugin: the hooks that give every process of the session an owner to ask."""

    def __init__(self, config: pytest.Config) -> None:
        self._owner = _Owner()
        self._server: SimpleXMLRPCServer | None = None
        self._asked_at: str = getattr(config, "workerinput", {}).get("emulators_at", "")

    def address(self, name: emulators.Name) -> Answer:
        """What the owner says, which for a worker is the controller's."""
        if not self._asked_at:
            return self._owner.address(name)
        with xmlrpc.client.ServerProxy(self._asked_at) as controller:
            address, reason = cast("list[str]", controller.address(name))
        return address, reason

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """The controller tells each worker of pytest-xdist where to ask."""
        if self._server is None:
            self._server = SimpleXMLRPCServer(("127.0.0.1", 0), logRequests=False)
            self._server.register_function(self._owner.address)
            threading.Thread(target=self._server.serve_forever, name="emulators", daemon=True).start()
        node.workerinput["emulators_at"] = "http://{}:{}".format(*self._server.server_address)

    def pytest_unconfigure(self) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
        self._owner.close()


def pytest_configure(config: pytest.Config) -> None:
    """Register the hooks above as one object, so that they share their state."""
    config.pluginmanager.register(Emulators(config), "entracte-emulators")


@pytest.fixture(scope="session")
def firestore_emulator(pytestconfig: pytest.Config) -> Iterator[str]:
    """``host:port`` of a Firestore emulator, to which Google's clients go by themselves."""
    yield from _emulator("firestore", pytestconfig)


@pytest.fixture(scope="session")
def pubsub_emulator(pytestconfig: pytest.Config) -> Iterator[str]:
    """``host:port`` of a Pub/Sub emulator, to which Google's clients go by themselves."""
    yield from _emulator("pubsub", pytestconfig)


def _emulator(name: emulators.Name, config: pytest.Config) -> Iterator[str]:
    plugin = config.pluginmanager.get_plugin("entracte-emulators")
    assert isinstance(plugin, Emulators)
    address, reason = plugin.address(name)
    if reason and os.environ.get("CI"):  # noqa: TID251 - the tests' environment, not the program's
        pytest.fail(reason, pytrace=False)
    if reason:
        pytest.skip(reason)
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv(emulators.host_variable(name), address)
        yield address
