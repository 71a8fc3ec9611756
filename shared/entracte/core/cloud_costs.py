"""What a run costs in the cloud beside its model: documents, messages, requests and processor time, from its journal.

An estimate: Google's bill knows shares of instances and rounding, the journal knows moves and how long each took.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

MILLION = 1_000_000
TIB_BYTES = 1024**4
MONTH_S = 30 * 24 * 3600

READS_A_MOVE = 3
WRITES_A_MOVE = 3
"""Documents of a move: as measured by the bench, in the middle of a run with one call a step."""

MESSAGE_BYTES = 2 * 1024
"""Of one message on the bill: at least 1 KiB for publishing it and 1 KiB for delivering it. Ours are smaller."""

IDLE_READS_A_SWEEP = 9
"""What sweep is charged each minute while nothing is due (tests/sweep/test_idle.py)."""

SIZES: Mapping[str, tuple[float, float, int]] = {"execute": (1, 2, 4), "undo": (1, 2, 4), "mcp": (1, 2, 4)}
USUAL_SIZE = (1.0, 1.0, 20)
"""vCPU, GiB and requests at a time of an instance, as terraform/modules/entracte has them."""


class CloudPrices(Struct, frozen=True, kw_only=True):
    """Prices in USD, as the table says; `as_of` and `region` are what it holds for."""

    as_of: str
    region: str
    document_reads_per_100k: float
    document_writes_per_100k: float
    document_deletes_per_100k: float
    message_tib: float
    requests_per_million: float
    vcpu_s: float
    memory_gib_s: float
    idle_vcpu_s: float
    idle_memory_gib_s: float
    secret_version_month: float
    secret_reads_per_10k: float

    def documents(self, *, reads: int = 0, writes: int = 0, deletes: int = 0) -> float:
        """USD of so many documents."""
        per_100k = self.document_reads_per_100k, self.document_writes_per_100k, self.document_deletes_per_100k
        return sum(number * price for number, price in zip((reads, writes, deletes), per_100k, strict=True)) / 100_000

    def instance_s(self, phase: str, length_s: float, *, shared: bool) -> float:
        """USD of an instance's time.

        Args:
            shared: With as many other requests as the instance takes; else alone on it.
        """
        vcpu, gib, concurrency = SIZES.get(phase, USUAL_SIZE)
        alone = length_s * (vcpu * self.vcpu_s + gib * self.memory_gib_s)
        return alone / concurrency if shared else alone

    def idle_instance_month(self, phase: str) -> float:
        """USD of one instance that waits for a month: what `min_instances = 1` costs."""
        vcpu, gib, _ = SIZES.get(phase, USUAL_SIZE)
        return MONTH_S * (vcpu * self.idle_vcpu_s + gib * self.idle_memory_gib_s)

    def idle_deployment_month(self, secrets: int) -> float:
        """USD of a deployment in which nothing moves: sweep once a minute, and its secrets."""
        sweeps = MONTH_S // 60
        reads = self.documents(reads=sweeps * IDLE_READS_A_SWEEP)
        requests = sweeps * self.requests_per_million / MILLION
        instance = self.instance_s("sweep", sweeps * 0.1, shared=False)  # billed by the tenth of a second begun
        messages = sweeps * MESSAGE_BYTES * self.message_tib / TIB_BYTES
        return reads + requests + instance + messages + secrets * self.secret_version_month


class Move(Struct, frozen=True):
    """A move of a run, as its journal has it."""

    phase: str
    duration_ms: int
    asked_model: bool


class Line(Struct, frozen=True):
    """A line of the bill.

    Attributes:
        quantity: In words, such as ``27 documents``.
        low_usd, high_usd: The same, but for instances: shared with other requests, or alone.
    """

    name: str
    quantity: str
    low_usd: float
    high_usd: float


def bill(moves: Iterable[Move], prices: CloudPrices) -> tuple[Line, ...]:
    """The lines of a run's bill, its model apart."""
    made = tuple(moves)
    return (*_counted(len(made), prices), *_timed(made, prices))


def _counted(moves: int, prices: CloudPrices) -> Iterator[Line]:
    """What is paid by the piece. A move is about one message, and one request."""
    reads, writes = moves * READS_A_MOVE, moves * WRITES_A_MOVE
    for name, quantity, usd in (
        ("documents read", f"{reads:,}", prices.documents(reads=reads)),
        ("documents written", f"{writes:,}", prices.documents(writes=writes)),
        ("documents deleted, after 30 days", f"{moves:,}", prices.documents(deletes=moves)),
        ("messages", f"{moves:,}", moves * MESSAGE_BYTES * prices.message_tib / TIB_BYTES),
        ("requests", f"{moves:,}", moves * prices.requests_per_million / MILLION),
    ):
        yield Line(name, quantity, usd, usd)


def _timed(moves: tuple[Move, ...], prices: CloudPrices) -> Iterator[Line]:
    """What is paid by the second: each phase's own time, and apart from it the time in which a model was waited for."""
    for phase in dict.fromkeys(move.phase for move in moves):
        own = [move.duration_ms for move in moves if move.phase == phase and not move.asked_model]
        if own:
            yield _line(f"{phase}: instance", phase, sum(own) / 1000, prices)
    for phase in dict.fromkeys(move.phase for move in moves):
        waited = [move.duration_ms for move in moves if move.phase == phase and move.asked_model]
        if waited:
            yield _line(f"{phase}: waiting for the model", phase, sum(waited) / 1000, prices)


def _line(name: str, phase: str, length_s: float, prices: CloudPrices) -> Line:
    low, high = (prices.instance_s(phase, length_s, shared=shared) for shared in (True, False))
    return Line(name, f"{length_s:,.1f} s", low, high)
