"""Where spans go."""

from __future__ import annotations

from entracte.ports.tracing import Tracing
from entracte.runtime.settings import Settings


def tracing_of(settings: Settings) -> Tracing | None:
    """What takes spans, if the settings name a receiver."""
    if not settings.otlp_endpoint:
        return None
    from entracte.adapters.telemetry.tracing import OtlpTracing  # with its libraries, only where traces are kept

    return OtlpTracing(settings.otlp_endpoint, service=settings.service)
