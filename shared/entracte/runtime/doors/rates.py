"""How many requests a caller, or an address, may send to this instance of a door: the API, or the MCP gateway.

Counted in memory: each of N instances takes so many, and a new instance begins anew. That keeps one caller from taking
an instance for themselves; it is no quota. What a caller may spend is counted in the store.
"""

from __future__ import annotations

import math
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ipaddress import IPv6Address, ip_address, ip_network

from starlette.datastructures import Headers
from starlette.types import Scope

from entracte.errors import RateLimited
from entracte.runtime.settings import Settings

ALONE = 10**6
"""Requests a minute of the one person on their own machine, from whom nobody has to be protected."""

MAX_NAMES = 10_000
"""Those that have been quiet for longest are forgotten first: they have their full allowance again anyway."""

ADDRESS_FACTOR = 4
"""An address may send so many times what a caller may: several people sit behind one."""


class Rates:
    """A bucket of tokens for each name: full at first, one token a request, filled again evenly.

    Args:
        per_minute: Size of a bucket, and what it is filled with in a minute.
        now_s: Seconds of a clock that never goes back.
    """

    def __init__(self, per_minute: int, now_s: Callable[[], float] = time.monotonic) -> None:
        self.per_minute = per_minute
        self._now_s = now_s
        self._lock = threading.Lock()
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, name: str) -> None:
        """Count a request.

        Raises:
            RateLimited: That was one too many; it is not counted.
        """
        with self._lock:
            now_s = self._now_s()
            left, at_s = self._left.pop(name, (float(self.per_minute), now_s))
            left = min(self.per_minute, left + (now_s - at_s) * self.per_minute / 60)
            self._left[name] = (left - 1 if left >= 1 else left), now_s
            if len(self._left) > MAX_NAMES:
                self._left.popitem(last=False)
        if left < 1:
            raise RateLimited(
                f"More than {self.per_minute} requests a minute.",
                remedy="Wait as long as Retry-After says. Instead of asking again and again, ask once with ?wait=60.",
                retry_after_s=math.ceil((1 - left) * 60 / self.per_minute),
            )


class Throttle:
    """What a door lets through: so much of an address, whoever it may be, and so much of a caller, wherever they are.

    Args:
        per_minute: Of one caller. A fortieth of them, 8 at least, may be under way at once: streams and waits are long,
            and an instance takes 20 requests at once as Terraform makes it. One who speaks for many needs more of both.
        proxied: As `address_of` takes it.
    """

    def __init__(self, per_minute: int, *, proxied: bool = False) -> None:
        self._callers, self._addresses = Rates(per_minute), Rates(per_minute * ADDRESS_FACTOR)
        self._at_once = max(8, per_minute // 40)
        self._lock = threading.Lock()
        self._under_way: Counter[str] = Counter()
        self._proxied = proxied

    def arrive(self, scope: Scope) -> None:
        """Count a request of which nothing is known yet.

        Raises:
            RateLimited: Its address has sent too many.
        """
        self._addresses.take(address_of(scope, proxied=self._proxied))

    @contextmanager
    def admit(self, caller: str) -> Iterator[None]:
        """Count a request whose caller is known by now, and hold a place for it until it has been answered.

        Raises:
            RateLimited: They have sent too many, or too many of theirs are under way.
        """
        self._callers.take(caller)
        with self._lock:
            if self._under_way[caller] >= self._at_once:
                raise RateLimited(
                    f"More than {self._at_once} requests at once.",
                    remedy="Wait until others have been answered. A run is watched or waited for by one request.",
                )
            self._under_way[caller] += 1
        try:
            yield
        finally:
            with self._lock:
                self._under_way[caller] -= 1
                if not self._under_way[caller]:
                    del self._under_way[caller]


def throttle_of(settings: Settings) -> Throttle:
    """What a deployment's doors let through."""
    alone = settings.auth == ("loopback",)
    return Throttle(ALONE if alone else settings.requests_per_minute, proxied=settings.on_cloud_run)


def address_of(scope: Scope, *, proxied: bool) -> str:
    """Where a request comes from: an address, or the network of one that has a whole network to choose from.

    Args:
        proxied: Google's front end stands before us, and has written the address that it saw behind all others
            (https://cloud.google.com/run/docs/container-contract#http-headers). What stands before that is made up as
            easily as anything.
    """
    client = scope.get("client")
    sender = str(client[0]) if client else ""
    forwarded = ",".join(Headers(scope=scope).getlist("x-forwarded-for")) if proxied else ""
    return _network_of(forwarded.rpartition(",")[2].strip()[:64] or sender)


def _network_of(address: str) -> str:
    """Of IPv6 the /64 that a single subscriber has; else the address."""
    try:
        ip = ip_address(address)
    except ValueError:
        return address
    if not isinstance(ip, IPv6Address):
        return address
    return str(ip.ipv4_mapped or ip_network((int(ip), 64), strict=False))
