"""Those who use the network: they start runs, decide gates, cancel, undo, and look again when something has stopped."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from customers import Customers

from entracte.client import Client
from entracte.errors import Conflict, EntracteError

OVER = frozenset({"succeeded", "failed", "cancelled", "undone", "partial"})

LOOK_EVERY_S = 0.3

MOST_UNDOS = 6
"""How often somebody asks again for an undo that has stopped."""


def wants_undo(number: int) -> bool:
    """Every other run is taken back."""
    return number % 2 == 0


def wants_mail(number: int) -> bool:
    """One in five mails is denied."""
    return number % 5 != 4


def quarrels(number: int) -> bool:
    """At one gate in three, two people decide the opposite at the same moment."""
    return number % 3 == 0


def cancels(number: int) -> bool:
    """One run in eleven is cancelled instead of decided."""
    return number % 11 == 7


class People:
    """All of them, one after the other.

    Attributes:
        did: What they did, counted.
        accepted: How many answers to each gate of a quarrel were accepted.
    """

    def __init__(self, url: str, customers: Customers, runs: int) -> None:
        self._client = Client(url, timeout_s=20)
        self._others = Client(url, timeout_s=20)
        self._customers = customers
        self._runs = runs
        self._undos: Counter[str] = Counter()
        self.numbers: dict[str, int] = {}
        self.did: Counter[str] = Counter()
        self.statuses: dict[str, str] = {}
        self.errors: dict[str, str] = {}

    def close(self) -> None:
        self._client.close()
        self._others.close()

    @contextmanager
    def working(self, seed: int) -> Iterator[None]:
        """Within the block, they do what there is to be done, in a thread of their own."""
        stop = threading.Event()

        def work() -> None:
            while not stop.wait(LOOK_EVERY_S):
                self.start_runs(seed)
                self.look_round()

        worker = threading.Thread(target=work, name="people")
        worker.start()
        try:
            yield
        finally:
            stop.set()
            worker.join()

    def start_runs(self, seed: int) -> None:
        """Start those that have not been started; whoever hears nothing sends the same request again."""
        for number in range(self._runs):
            if number not in self.numbers.values():
                with suppress(EntracteError):
                    run = self._client.start(
                        "Put the customer on Pro, and tell them.",
                        metadata={"number": str(number)},
                        idempotency_key=f"chaos-{seed}-{number}",
                    )
                    self.numbers[run.id] = number

    def look_round(self) -> bool:
        """Look at every run and gate, and do what is to be done; whether everything is over."""
        with suppress(EntracteError):
            self._decide_gates()
        for run, number in self.numbers.items():
            if not self._is_over(run, number):
                with suppress(EntracteError):
                    self._look_at(run, number)
        return len(self.numbers) == self._runs and all(
            self._is_over(run, number) for run, number in self.numbers.items()
        )

    def _is_over(self, run: str, number: int) -> bool:
        status = self.statuses.get(run, "")
        if wants_undo(number) and status == "partial":
            return self._undos[run] >= MOST_UNDOS or "permanent" in self.errors.get(run, "")
        return status == "undone" if wants_undo(number) else status in OVER

    def _look_at(self, run: str, number: int) -> None:
        seen = self._client.get(run)
        self.statuses[run], undo = seen.status, seen.data.get("undo") or {}
        self.errors[run] = str(seen.error or "")
        if undo.get("permanent") and not undo.get("stopped"):
            self.errors[run] = "permanent"
        if seen.status == "stalled":
            self.did["resumed"] += 1
            self._client.resume(run)
        elif seen.status == "failed":
            self.did["failures seen"] += 1
        if wants_undo(number) and seen.status in OVER and not self._is_over(run, number):
            self._undos[run] += 1
            self.did["undos asked for"] += 1
            self._client.start_undo(run)

    def _decide_gates(self) -> None:
        for gate in self._client.gates(status="waiting", limit=200).gates:
            with suppress(EntracteError):
                self._decide(gate)

    def _decide(self, gate: Mapping[str, Any]) -> None:
        number = self.numbers[gate["run"]]
        if gate["kind"] == "in_doubt":  # they look outside, and say what they see there
            happened = self._customers.has_happened(gate["action"])
            self.did["doubts settled"] += 1
            self._client.decide(gate["id"], "happened" if happened else "retry", digest=gate["digest"])
        elif cancels(number):
            self._client.cancel(gate["run"])
            self.did["cancelled"] += 1
        elif quarrels(number):
            self.did["quarrels"] += 1
            self._quarrel(gate)
        else:
            self.did["gates decided"] += 1
            self._client.decide(gate["id"], "approve" if wants_mail(number) else "deny", digest=gate["digest"])

    def _quarrel(self, gate: Mapping[str, Any]) -> None:
        """Two people, two answers, one moment."""

        def answer(client: Client, decision: str) -> Callable[[], None]:
            def send() -> None:
                try:
                    client.decide(gate["id"], decision, digest=gate["digest"])
                except Conflict:
                    self.did["told that they were second"] += 1
                except EntracteError:
                    self.did["told nothing"] += 1

            return send

        both = [
            threading.Thread(target=answer(client, decision))
            for client, decision in ((self._client, "approve"), (self._others, "deny"))
        ]
        for one in both:
            one.start()
        for one in both:
            one.join()
