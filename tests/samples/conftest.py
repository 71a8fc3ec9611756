"""The sample networks, each on things of its own."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from entracte.agents import Network, ToolContext
from entracte.core.calls import Call

Open = Callable[[Network], Network]


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Open]:
    """Opens a network in an empty folder, with its runs in memory, and closes it after the test."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ENTRACTE_STORE", "memory")
    networks: list[Network] = []

    def open_network(network: Network) -> Network:
        networks.append(network.using())
        return networks[-1]

    yield open_network
    for network in networks:
        network.close()


def context(deps: Any, key: str = "run.1.0") -> ToolContext[Any]:
    """What a tool is given, for a call with this idempotency key."""
    call = Call(
        run="run", session="s", frame="run", agent="a", step=1, action=key, tool="t", arguments={}, idempotency_key=key,
        attempt=1, user="me", metadata={}, deadline=datetime(2026, 11, 30, tzinfo=UTC),
    )  # fmt: skip
    return ToolContext(call, deps=lambda: deps, read_state=lambda _: {}, secret=lambda name: name)
