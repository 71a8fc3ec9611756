"""Doing the effects: asking models and running tools, with the network's hooks around both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from entracte.core.modelling import ModelReply, ModelRequest
from entracte.core.outcome import AskModel, MakeCall, PrepareCall, Result
from entracte.errors import ConfigurationError, ModelRefused, TerminalError
from entracte.ports.model import Model
from entracte.ports.tools import Tools

BeforeModel = Callable[[ModelRequest], ModelRequest]
AfterModel = Callable[[ModelRequest, ModelReply], ModelReply]


class Performer:
    """Does one effect.

    Args:
        model: Gives the model of that ``provider/name``.
        before_model, after_model: Hooks, in order.
    """

    def __init__(
        self,
        model: Callable[[str], Model],
        tools: Tools,
        before_model: Sequence[BeforeModel] = (),
        after_model: Sequence[AfterModel] = (),
    ) -> None:
        self._model = model
        self._tools = tools
        self._before_model = before_model
        self._after_model = after_model

    def __call__(self, effect: AskModel | PrepareCall | MakeCall, deadline_s: float) -> Result:
        """The effect's result. What can never succeed is a result too; RetryableError is raised."""
        match effect:
            case PrepareCall(call):
                return self._tools.prepare(call)
            case MakeCall(call):
                return self._tools.call(call)
            case AskModel(request):
                try:
                    return self._ask(request, deadline_s)
                except TerminalError as error:
                    return error
                except ConfigurationError as error:  # no such model, no key: the same at every try
                    return ModelRefused(error.message, remedy=error.remedy)

    def _ask(self, request: ModelRequest, deadline_s: float) -> ModelReply:
        for before in self._before_model:
            request = before(request)
        reply = self._model(request.model).generate(request, deadline_s=deadline_s)
        reply = replace(reply, usage=reply.usage.model_copy(update={"model_calls": reply.usage.model_calls or 1}))
        for after in self._after_model:
            reply = after(request, reply)
        return reply
