"""What is traced, by what names: phases, model calls, tool calls; and messages carry the trace on.

Names and attributes of model and tool calls are OpenTelemetry's for generative AI:
https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/. Spans never hold what people, models or tools said.
"""

from __future__ import annotations

from collections.abc import Sequence

from entracte.core.calls import Call, Prepared, Record, ToolOutcome
from entracte.core.effects import AskModel, Effect, MakeCall, PrepareCall, ReadRecord, Result
from entracte.core.messages import Message
from entracte.core.modelling import ModelReply, ModelRequest
from entracte.errors import TerminalError
from entracte.ports.bus import Bus
from entracte.ports.tracing import Attributes, Span, Tracing
from entracte.runtime.engine.delivery import Perform

_PROVIDERS = {"vertex": "gcp.vertex_ai", "gemini": "gcp.gemini", "anthropic": "anthropic", "openai": "openai"}


class TracedEffects:
    """Does effects by another performer, each in a span."""

    def __init__(self, perform: Perform, tracing: Tracing) -> None:
        self._perform = perform
        self._tracing = tracing

    def __call__(self, effect: Effect, deadline_s: float) -> Result:
        match effect:
            case AskModel(request):
                with self._tracing.within(f"chat {request.model}", "client", _asked(request)) as span:
                    result = self._perform(effect, deadline_s)
                    _replied(span, result)
                    return result
            case PrepareCall(call) | MakeCall(call) | ReadRecord(call):
                name = {PrepareCall: "prepare", MakeCall: "execute_tool", ReadRecord: "read"}[type(effect)]
                with self._tracing.within(f"{name} {call.tool}", "internal", _called(name, call)) as span:
                    result = self._perform(effect, deadline_s)
                    _ended(span, result)
                    return result
            case _:
                return self._perform(effect, deadline_s)


class TracedBus:
    """Bus port over another one: messages carry the trace that they are sent in."""

    def __init__(self, bus: Bus, tracing: Tracing) -> None:
        self._bus = bus
        self._tracing = tracing

    def publish(self, messages: Sequence[Message]) -> None:
        if traceparent := self._tracing.traceparent():
            messages = [message.evolve(traceparent=traceparent) for message in messages]
        self._bus.publish(messages)

    def close(self) -> None:
        self._bus.close()


def delivered(message: Message) -> Attributes:
    """What a phase's span says of its message."""
    said = {
        "entracte.run.id": message.run,
        "entracte.frame.id": message.frame,
        "entracte.action.id": message.action,
        "entracte.gate.id": message.gate,
        "gen_ai.conversation.id": message.session,
    }
    return {name: value for name, value in said.items() if value} | (
        {"entracte.step": message.step} if message.step else {}
    )


def _asked(request: ModelRequest) -> Attributes:
    provider, _, name = request.model.partition("/")
    more = {"gen_ai.request.temperature": request.temperature} if request.temperature is not None else {}
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": _PROVIDERS.get(provider, provider),
        "gen_ai.request.model": name,
        "gen_ai.request.max_tokens": request.max_output_tokens,
        "gen_ai.agent.name": request.agent,
        "entracte.run.id": request.run,
        "entracte.purpose": request.purpose,
        **more,
    }


def _replied(span: Span, reply: Result) -> None:
    if isinstance(reply, TerminalError):
        span.fail(type(reply).__name__)
    if not isinstance(reply, ModelReply):
        return
    usage = reply.usage
    span.set(
        {
            "gen_ai.usage.input_tokens": usage.prompt_tokens,
            "gen_ai.usage.output_tokens": usage.output_tokens + usage.thinking_tokens,
            "entracte.cost_micro_usd": usage.cost_micro_usd,
        }
    )
    if reply.served:
        span.set({"gen_ai.response.model": reply.served})
    if reply.fault is not None:
        span.fail(reply.fault.kind)


def _called(name: str, call: Call) -> Attributes:
    return {
        "gen_ai.operation.name": name,
        "gen_ai.tool.name": call.tool,
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": call.action,
        "gen_ai.agent.name": call.agent,
        "entracte.run.id": call.run,
        "entracte.attempt": call.attempt,
    }


def _ended(span: Span, result: Result) -> None:
    match result:
        case ToolOutcome(ending=ending):
            span.set({"entracte.ending": ending})
            if ending in ("failed", "unknown"):
                span.fail(ending)
        case Prepared(refusal=refusal) if refusal:
            span.fail("refused")
        case Record(error=error) if error:
            span.fail("unreadable")
        case _:
            return
