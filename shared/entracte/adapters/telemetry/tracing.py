"""Tracing port on OpenTelemetry: spans go to an OTLP receiver by HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from opentelemetry import context, trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter
from opentelemetry.trace import Link, NonRecordingSpan, SpanContext, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from entracte.adapters.telemetry.ids import NEXT, DerivedIds, first_span_of
from entracte.ports.tracing import Attributes, Span as SpanPort, SpanKind

FLUSH_MS = 3000
"""Longest time that a response waits for its spans to be taken: on Cloud Run nothing moves after it."""

EXPORT_TIMEOUT_S = 3

_KINDS = {
    "internal": trace.SpanKind.INTERNAL,
    "client": trace.SpanKind.CLIENT,
    "consumer": trace.SpanKind.CONSUMER,
    "server": trace.SpanKind.SERVER,
}

_PROPAGATOR = TraceContextTextMapPropagator()


class OtlpTracing:
    """Sends spans to ``{endpoint}/v1/traces``, those of an outermost span before its block is left.

    Args:
        service: Name of this service, as traces show it.
        exporter: In place of the one for the endpoint.
    """

    def __init__(self, endpoint: str, *, service: str, exporter: SpanExporter | None = None) -> None:
        to = exporter or OTLPSpanExporter(f"{endpoint.rstrip('/')}/v1/traces", timeout=EXPORT_TIMEOUT_S)
        self._provider = TracerProvider(
            id_generator=DerivedIds(), resource=Resource.create({"service.name": service}), shutdown_on_exit=False
        )
        self._provider.add_span_processor(BatchSpanProcessor(to))
        self._tracer = self._provider.get_tracer("entracte")

    @contextmanager
    def begin(self, run: str, name: str, attributes: Attributes) -> Iterator[SpanPort]:
        with self._span(name, "server", attributes, within=context.Context(), ids=first_span_of(run)) as span:
            yield span

    @contextmanager
    def resume(self, run: str, traceparent: str, name: str, attributes: Attributes) -> Iterator[SpanPort]:
        came = trace.get_current_span(_PROPAGATOR.extract({"traceparent": traceparent})).get_span_context()
        parent = came if came.is_valid else first_span_of(run)
        within = trace.set_span_in_context(NonRecordingSpan(parent), context.Context())
        with self._span(name, "consumer", attributes, within=within) as span:
            yield span

    @contextmanager
    def apart(self, run: str, name: str, attributes: Attributes) -> Iterator[SpanPort]:
        with self._span(name, "server", attributes, within=context.Context(), link=first_span_of(run)) as span:
            yield span

    @contextmanager
    def within(self, name: str, kind: SpanKind, attributes: Attributes) -> Iterator[SpanPort]:
        with self._span(name, kind, attributes, within=None) as span:
            yield span

    def traceparent(self) -> str:
        carrier: dict[str, str] = {}
        _PROPAGATOR.inject(carrier)
        return carrier.get("traceparent", "")

    def close(self) -> None:
        self._provider.shutdown()

    @contextmanager
    def _span(
        self,
        name: str,
        kind: SpanKind,
        attributes: Attributes,
        *,
        within: context.Context | None,
        ids: SpanContext | None = None,
        link: SpanContext | None = None,
    ) -> Iterator[SpanPort]:
        is_outermost = not trace.get_current_span().get_span_context().is_valid
        wanted = NEXT.set(ids)
        try:
            span = self._tracer.start_span(
                name, within, _KINDS[kind], attributes=attributes, links=[Link(link)] if link is not None else []
            )
        finally:
            NEXT.reset(wanted)
        told = _Told(span)
        token = context.attach(trace.set_span_in_context(span))
        try:
            yield told
        except BaseException as error:
            told.fail(type(error).__name__)  # not its words: they may quote anything
            raise
        finally:
            context.detach(token)
            if not told.is_discarded:
                span.end()
            if is_outermost:
                self._provider.force_flush(FLUSH_MS)


class _Told:
    """Span port on a span."""

    def __init__(self, span: trace.Span) -> None:
        self._span = span
        self.is_discarded = False

    def set(self, attributes: Attributes) -> None:
        self._span.set_attributes(attributes)

    def fail(self, kind: str) -> None:
        self._span.set_attribute("error.type", kind)
        self._span.set_status(StatusCode.ERROR)

    def discard(self) -> None:
        self.is_discarded = True
