"""What tools ask models while they run, out of the budget of the frame that called them.

The frame's share is looked at before each question. What it cost is recorded with the call's end and taken from the
share when the step is taken in, so that calls of one step do not see each other's: together they can exceed what is
left by a few questions, each of which is bounded.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from entracte.core.addresses import frame_path, run_path
from entracte.core.asking.reply_notes import fault_in
from entracte.core.asking.roles import ROLE_OF, model_for
from entracte.core.blueprint import Blueprint
from entracte.core.budget import spend
from entracte.core.calls import Call
from entracte.core.frames.budget_check import affordable_at
from entracte.core.modelling import Fault, ModelReply, ModelRequest, Part, Question, Usage
from entracte.core.pricing import Prices
from entracte.core.situation import Docs
from entracte.errors import ConfigurationError, ModelRefused
from entracte.ports.clock import Clock
from entracte.runtime.engine.repository import Repository

SYSTEM = "You help a program with one small question. Answer it, and nothing else."

LEAST_S = 2.0
"""Seconds that a call must have left for a question to be worth asking."""


class ToolQuestions:
    """Asks models for tools.

    Args:
        ask: Asks a model, within so many seconds.
    """

    def __init__(
        self,
        blueprint: Blueprint,
        repository: Repository,
        clock: Clock,
        prices: Prices,
        ask: Callable[[ModelRequest, float], ModelReply],
    ) -> None:
        self._blueprint = blueprint
        self._repository = repository
        self._clock = clock
        self._prices = prices
        self._ask = ask

    def __call__(self, call: Call, question: Question, used: Usage) -> ModelReply:
        """The model's reply.

        Args:
            used: What this call has used before.

        Raises:
            ModelRefused: The run is over or has no budget for it, or the call no time.
            RetryableError: The model's service is down.
        """
        docs = Docs(self._repository.load((run_path(call.run), frame_path(call.run, call.frame))).documents)
        run, frame = docs.run(call.run), docs.frame(call.run, call.frame)
        if run is None or frame is None or run.closed:
            raise ModelRefused("No model is asked for a run that is over.")
        agent = self._blueprint.agents.get(call.agent)
        request = ModelRequest(
            purpose=question.purpose,
            run=call.run,
            frame=call.frame,
            agent=call.agent,
            step=call.step,
            model=model_for(ROLE_OF[question.purpose], self._blueprint, agent, run.models),
            system=SYSTEM,
            parts=(Part("question", question.prompt),),
            schema=question.schema,
            max_output_tokens=question.max_output_tokens,
        )
        now = self._clock.now()
        price = self._prices.of(request.model, now.date())
        wanted = affordable_at(price, run, frame.share.minus(spend(used)), request)
        if isinstance(wanted, str):
            raise ModelRefused(f"The run's budget does not hold another question: {wanted}.", code="budget_exceeded")
        if (left_s := (call.deadline - now).total_seconds()) < LEAST_S:
            raise ModelRefused("The call has no time left to ask a model.")
        try:
            reply = self._ask(wanted, left_s)
        except ConfigurationError as error:  # no such model, no key
            raise ModelRefused(error.message, remedy=error.remedy) from None
        if reply.fault is None and (unfit := fault_in(wanted, reply)):
            return replace(reply, fault=Fault("malformed", unfit))
        return reply
