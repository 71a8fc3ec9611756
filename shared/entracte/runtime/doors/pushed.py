"""The guard of functions that only push subscriptions and triggers call."""

from __future__ import annotations

from collections.abc import Callable

from entracte.core.identity.pushing import check_push
from entracte.ports.clock import Clock
from entracte.runtime.doors.exposure import refuse_open_phase
from entracte.runtime.settings import Settings

Guard = Callable[[str, str], None]
"""Takes the headers Authorization and Host of a request; raises Forbidden for one that is not to be answered."""


def guard_of(settings: Settings, clock: Clock) -> Guard:
    """What checks each request, as the settings have it.

    Raises:
        ConfigurationError: Nothing would, and others than this machine reach the function.
    """
    refuse_open_phase(settings)
    if not settings.behind_iam:
        return lambda authorization, host: None

    def check(authorization: str, host: str) -> None:
        check_push(
            authorization, host=host, account=settings.push_account, now=clock.now(), audiences=settings.audience
        )

    return check
