"""What a process makes once (runtime/once.py, agents/network.py)."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from entracte.agents import Agent, Network
from entracte.runtime.local import embedded
from entracte.runtime.once import once


class Opening:
    """Opens something that takes its time, until somebody else opens it too, which nobody should."""

    def __init__(self):
        self.opened = []
        self._twice = Event()

    def __call__(self, *names):
        self.opened.append(names)
        if len(self.opened) > 1:
            self._twice.set()
        self._twice.wait(0.2)
        return object()


def test_threads_that_ask_at_once_are_given_the_same():
    """A second connection would be lost, and a second model would begin its script anew."""
    opening = Opening()
    get = once(opening)
    with ThreadPoolExecutor(4) as threads:
        given = set(threads.map(lambda _: get("crm"), range(4)))
    assert (len(given), opening.opened) == (1, [("crm",)])
    assert (get("shop") in given, opening.opened) == (False, [("crm",), ("shop",)])


def test_a_failure_is_not_kept():
    """Whoever asks next tries again."""
    tries = iter([ConnectionError("down"), None])

    @once
    def opened():
        if (error := next(tries)) is not None:
            raise error
        return "open"

    with pytest.raises(ConnectionError):
        opened()
    assert opened() == "open"


def test_a_network_has_one_runtime_whichever_thread_runs_it_first(monkeypatch):
    """Another one would sweep and deliver beside it."""
    opening = Opening()
    monkeypatch.setattr(embedded, "open_embedded", opening)
    network = Network(entry=Agent(name="desk"))
    with ThreadPoolExecutor(4) as threads:
        assert len(set(threads.map(lambda _: network._embedded, range(4)))) == 1
    assert opening.opened == [(network,)]
