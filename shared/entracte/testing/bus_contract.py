"""What every bus does. A test class of an adapter inherits `BusContract` and gives the two fixtures."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import get_args

import pytest

from entracte.core.messages import Kind, Message
from entracte.ports.bus import Bus

KINDS: tuple[Kind, ...] = get_args(Kind)

Received = Callable[[int], Collection[Message]]
"""Gives all deliveries so far, once that many different messages have arrived or a time limit has passed."""


class BusContract:
    """Facts about a bus."""

    @pytest.fixture
    def bus(self) -> Iterator[Bus]:
        """A bus of its own for each test."""
        raise NotImplementedError

    @pytest.fixture
    def received(self, bus: Bus) -> Received:
        """Reads what the bus delivers."""
        raise NotImplementedError

    def test_messages_of_all_kinds_arrive_as_they_were_sent(self, bus: Bus, received: Received) -> None:
        """Together, since one commit may call for several phases; in every field, not only those that a kind needs."""
        sent = {
            Message(kind=kind, run="r", session="s", frame="f", step=3, calls=number, action="f.3.1", gate="f.3.1.1")
            for kind in KINDS
            for number in range(3)
        }
        bus.publish(list(sent))
        assert set(received(len(sent))) == sent

    def test_any_text_arrives_as_it_was_sent(self, bus: Bus, received: Received) -> None:
        """Names that callers choose become parts of ids."""
        texts = ["café", "漢字", "🜁", "\u2028", "e\u0301", '"\\\n\t', "null", "a" * 1000]
        sent = {Message(kind="plan", run=text, session=text) for text in texts}
        bus.publish(list(sent))
        assert set(received(len(sent))) == sent

    def test_threads_share_a_bus(self, bus: Bus, received: Received) -> None:
        """One instance serves many requests with one bus."""
        shares = [[Message(kind="execute", run=f"r{thread}", step=step) for step in range(10)] for thread in range(8)]
        with ThreadPoolExecutor(len(shares)) as pool:
            list(pool.map(bus.publish, shares))
        sent = {message for share in shares for message in share}
        assert set(received(len(sent))) == sent

    def test_what_was_published_is_out_even_if_the_bus_is_closed_at_once(self, bus: Bus, received: Received) -> None:
        """To return from `publish` is to have been confirmed: nothing waits in a buffer."""
        sent = {Message(kind="plan", run=f"r{number}") for number in range(20)}
        bus.publish(list(sent))
        bus.close()
        assert set(received(len(sent))) == sent

    def test_publishing_nothing_is_no_error(self, bus: Bus) -> None:
        """A commit may call for no phase."""
        bus.publish([])

    def test_closing_twice_is_no_error(self, bus: Bus) -> None:
        """Owners need not agree who closes."""
        bus.publish([Message(kind="plan", run="r")])
        bus.close()
        bus.close()
