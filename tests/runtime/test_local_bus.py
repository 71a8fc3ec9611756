"""The bus within one process (runtime/local/local_bus.py). What every bus does is in tests/contract."""

import logging
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Barrier, Event, Thread

import pytest

from entracte.core.messages import Message
from entracte.errors import AmbiguousCommit, RetryableError, StoreUnavailable, TerminalError
from entracte.runtime.local import local_bus
from entracte.runtime.local.local_bus import MAX_DELIVERIES, RETRY_PAUSES_S, LocalBus

WAIT_S = 20
ONE, TWO = Message(kind="plan", run="one"), Message(kind="plan", run="two")


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    """Messages that come back are tried again without a pause."""
    monkeypatch.setattr(local_bus, "RETRY_PAUSES_S", (0, 0, 0))


@contextmanager
def a_bus(handle, give_up=lambda message, error: None, *, threads=2):
    """A bus that is closed in the end."""
    bus = LocalBus(threads)
    bus.attach(handle, give_up)
    yield bus
    bus.close()


def failing(error, *, times=99):
    """A handler that fails so many times with each message, and what it was given."""
    given = []

    def handle(message):
        given.append(message)
        if given.count(message) <= times:
            raise error

    return handle, given


def settled(bus):
    """Whether everything was handled."""
    return bus.wait_idle(WAIT_S)


@pytest.mark.parametrize("error", [RetryableError("Not yet."), ValueError("a bug"), SystemExit(1)])
def test_a_message_that_comes_back_is_handled_again(error):
    """Whatever made it come back."""
    handle, given = failing(error, times=2)
    with a_bus(handle) as bus:
        bus.publish([ONE])
        assert settled(bus)
    assert given == [ONE] * 3


@pytest.mark.parametrize(
    ("error", "times"),
    [
        (RetryableError("Not yet."), 100),
        (StoreUnavailable("The disk is full."), 7),
        (AmbiguousCommit("The disk is full."), 7),
        (ValueError("a bug"), 7),
        (SystemExit(1), 7),
    ],
)
def test_a_message_that_always_comes_back_is_given_up_once(error, times):
    """With its last error, so that its run is stalled with the reason; bugs and full disks sooner than others."""
    handle, given = failing(error, times=1000)
    lost = []
    with a_bus(handle, lambda message, why: lost.append((message, why))) as bus:
        bus.publish([ONE])
        assert settled(bus)
    assert (given, lost) == ([ONE] * times, [(ONE, error)])


def test_a_message_that_can_never_be_handled_is_not_tried_again():
    """It is logged and dropped: the documents say what is due."""
    handle, given = failing(TerminalError("No such thing."))
    lost = []
    with a_bus(handle, lambda message, why: lost.append(message)) as bus:
        bus.publish([ONE])
        assert settled(bus)
    assert (given, lost) == ([ONE], [])


def test_giving_up_may_fail_and_the_bus_goes_on():
    """A store that cannot be reached is why a message is given up, and why that cannot be written down."""

    def give_up(message, error):
        raise RetryableError("The store cannot be reached.")

    def handle(message):
        handled.append(message)
        if message == ONE:
            raise RetryableError("The store cannot be reached.")

    handled = []
    with a_bus(handle, give_up, threads=1) as bus:
        bus.publish([ONE])
        assert settled(bus)
        bus.publish([TWO])
        assert settled(bus)
    assert handled == [ONE] * MAX_DELIVERIES + [TWO]


def test_while_a_message_pauses_others_are_handled(monkeypatch):
    """A pause holds no thread."""
    monkeypatch.setattr(local_bus, "RETRY_PAUSES_S", (3600,))
    two = Event()

    def handle(message):
        if message == ONE:
            raise RetryableError("Not yet.")
        two.set()

    with a_bus(handle, threads=1) as bus:
        bus.publish([ONE, TWO])
        assert two.wait(WAIT_S)
        assert not bus.wait_idle(0.01)


def test_as_many_messages_as_there_are_threads_are_handled_at_once():
    """Readonly calls of a step run in parallel."""
    meeting = Barrier(4)
    with a_bus(lambda message: meeting.wait(WAIT_S), threads=4) as bus:
        bus.publish([ONE, TWO] * 2)
        assert settled(bus)


def test_a_message_wakes_a_thread_that_works_and_never_one_that_waits():
    """A wake-up that somebody who waits for a run swallowed would leave the message lying, beside an idle thread."""
    go_on, done, stop = Event(), Event(), Event()

    def handle(message):
        (go_on.wait(WAIT_S) if message == ONE else done.set())

    def wait_for_runs(bus):
        while not stop.is_set():
            bus.wait_quiet(bus.handled, 0.5)

    with a_bus(handle) as bus, ThreadPoolExecutor(20) as people:
        for _ in range(20):
            people.submit(wait_for_runs, bus)
        try:
            for _ in range(20):
                bus.publish([TWO])
                assert settled(bus)
                done.clear(), go_on.clear()
                bus.publish([ONE])
                bus.publish([TWO])
                assert done.wait(5)
                go_on.set()
                assert settled(bus)
        finally:
            go_on.set(), stop.set()


def test_closing_lets_the_deliveries_under_way_end():
    """And drops the rest, which is due in the documents."""
    begun, go_on, ended = Event(), Event(), []

    def handle(message):
        begun.set()
        go_on.wait(WAIT_S)
        ended.append(message)

    bus = LocalBus(threads=1)
    bus.attach(handle, lambda message, error: None)
    bus.publish([ONE, TWO])
    assert begun.wait(WAIT_S)
    closing = Thread(target=bus.close)
    closing.start()
    bus.wait_quiet(99, WAIT_S)  # returns once the bus is closed
    go_on.set()
    closing.join(WAIT_S)
    assert (ended, closing.is_alive()) == ([ONE], False)
    bus.publish([TWO])
    assert ended == [ONE]


def test_a_handler_may_close_the_bus():
    """It does not wait for itself."""
    with a_bus(lambda message: bus.close(), threads=1) as bus:
        bus.publish([ONE])
        bus.wait_quiet(0, WAIT_S)


def test_waiting_ends_with_the_time():
    """Or when a delivery has ended."""
    go_on = Event()
    with a_bus(lambda message: go_on.wait(WAIT_S)) as bus:
        bus.publish([ONE])
        bus.wait_quiet(0, 0.01)
        assert (bus.handled, bus.wait_idle(0.01)) == (0, False)
        go_on.set()
        bus.wait_quiet(0, WAIT_S)
        assert (bus.handled, settled(bus)) == (1, True)


def test_a_bus_that_was_never_used_has_no_threads_to_close():
    """Importing and closing a network costs nothing."""
    bus = LocalBus()
    bus.close()
    bus.close()


def test_the_pauses_grow():
    """What does not work now is given time: an overload of two hours fails no run."""
    assert list(RETRY_PAUSES_S) == sorted(set(RETRY_PAUSES_S))
    assert (MAX_DELIVERIES - 1 - len(RETRY_PAUSES_S)) * RETRY_PAUSES_S[-1] > 2 * 3600


def test_what_is_given_up_without_anybody_attached_is_logged(caplog, monkeypatch):
    """Nothing disappears in silence."""
    monkeypatch.setattr(logging.getLogger("entracte"), "propagate", True)
    local_bus._log_lost(ONE, RetryableError("Not yet."))
    assert "message_given_up kind=plan run_id=one Not yet." in caplog.text


def test_nobody_waits_for_what_is_done_after_answers():
    """A run has ended when its answer is there, however long a summary takes."""
    hold = Event()
    with a_bus(lambda message: hold.wait(WAIT_S) if message.kind == "summarise" else None) as bus:
        bus.publish([Message(kind="summarise", run="r"), ONE])
        bus.wait_quiet(0, WAIT_S)
        seen = (bus.handled, bus.wait_idle(0))
        hold.set()
        assert (seen, bus.wait_idle(WAIT_S)) == ((1, False), True)


def test_whoever_waits_for_what_is_done_after_answers_waits_for_nothing_else(monkeypatch):
    """A process that ends while a model is overloaded ends at once."""
    monkeypatch.setattr(local_bus, "RETRY_PAUSES_S", (3600,))
    hold, tried = Event(), Event()

    def handle(message):
        if message == ONE:
            tried.set()
            raise RetryableError("Overloaded.")
        hold.wait(WAIT_S)

    with a_bus(handle) as bus:
        bus.publish([ONE, Message(kind="memorize", run="r")])
        assert tried.wait(WAIT_S)
        assert not bus.wait_afterwards(0.01)
        hold.set()
        assert (bus.wait_afterwards(WAIT_S), bus.wait_idle(0)) == (True, False)
