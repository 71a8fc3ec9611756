"""Doing the effects: asking models and running tools, with the network's hooks around both."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from entracte.core.calls import Call, Record
from entracte.core.documents.gate import Gate
from entracte.core.effects import (
    Announce,
    AskModel,
    Effect,
    Embed,
    Embedded,
    MakeCall,
    PrepareCall,
    ReadRecord,
    Recall,
    Recalled,
    Result,
    ShapeStage,
    Survey,
    Surveyed,
)
from entracte.core.modelling import ModelReply, ModelRequest, OnDelta, Usage
from entracte.core.policy.calling import record_from, snapshot_call
from entracte.core.policy.rule import SnapshotRule
from entracte.errors import ConfigurationError, InvalidInput, ModelRefused, RetryableError, TerminalError
from entracte.ports.model import Model
from entracte.ports.tools import Tools
from entracte.runtime.engine.live_writing import untold

if TYPE_CHECKING:
    from entracte.agents.pipeline import Pipeline

BeforeModel = Callable[[ModelRequest], ModelRequest]
AfterModel = Callable[[ModelRequest, ModelReply], ModelReply]


_NO_PIPELINES: Mapping[str, Pipeline] = {}


class Performer:
    """Does one effect.

    Args:
        model: Gives the model of that ``provider/name``.
        price: Gives the usage of that model with what it costs.
        announce: Tells people of a gate; gives by which ways they were told.
        survey: Finds what a run has done.
        recall: Looks up what is remembered of an owner.
        embed: Asks the embedding model.
        telling: Gives whom a model tells what it writes.
        pipelines: Whose functions are run, by name.
        before_model, after_model: Hooks, in order.
    """

    def __init__(
        self,
        model: Callable[[str], Model],
        tools: Tools,
        price: Callable[[str, Usage], Usage] = lambda model, usage: usage,
        announce: Callable[[Gate, bool], str] = lambda gate, reminder: "",
        survey: Callable[[str], Surveyed] = lambda run: Surveyed(()),
        recall: Callable[[Recall], Recalled] = lambda recall: Recalled(()),
        embed: Callable[[Embed, float], Embedded] = lambda embed, deadline_s: Embedded((None,) * len(embed.texts)),
        telling: Callable[[AskModel], AbstractContextManager[OnDelta | None]] = untold,
        pipelines: Mapping[str, Pipeline] = _NO_PIPELINES,
        before_model: Sequence[BeforeModel] = (),
        after_model: Sequence[AfterModel] = (),
    ) -> None:
        self._model = model
        self._price = price
        self._tools = tools
        self._announce = announce
        self._survey = survey
        self._recall = recall
        self._embed = embed
        self._telling = telling
        self._pipelines = pipelines
        self._before_model = before_model
        self._after_model = after_model

    def __call__(self, effect: Effect, deadline_s: float) -> Result:
        """The effect's result. What can never succeed is a result too; RetryableError is raised."""
        match effect:
            case PrepareCall(call, snapshot):
                prepared = self._tools.prepare(call)
                if snapshot is None or prepared.refusal:
                    return prepared
                return replace(prepared, record=self._read(call, snapshot, prepared.arguments, must=True))
            case MakeCall(call, snapshot, about, hooks):
                outcome = self._tools.call(call, hooks=hooks)
                if snapshot is None or outcome.ending not in ("applied", "unknown"):
                    return outcome
                return replace(outcome, record=self._read(call, snapshot, about or call.arguments))
            case ReadRecord(call, snapshot):
                return self._read(call, snapshot, call.arguments, must=True)
            case Announce(gate, reminder):
                return self._announce(gate, reminder)
            case Survey(run):
                return self._survey(run)
            case Recall() as recall:
                return self._recall(recall)
            case Embed() as embed:
                try:
                    return self._embed(embed, deadline_s)
                except TerminalError as error:
                    return error
            case ShapeStage():
                from entracte.runtime.engine.shaping import shape  # only for networks with pipelines

                return shape(self._pipelines, effect)
            case AskModel() as asked:
                try:
                    return self._ask(asked, deadline_s)
                except TerminalError as error:
                    return error
                except ConfigurationError as error:  # no such model, no key: the same at every try
                    return ModelRefused(error.message, remedy=error.remedy)

    def _read(self, call: Call, snapshot: SnapshotRule, arguments: Mapping[str, Any], *, must: bool = False) -> Record:
        """The record that a call changes, as it is now.

        Args:
            must: Nothing has been done yet, so it can be tried again if there was no time to read.
        """
        try:
            reading = snapshot_call(snapshot, call, arguments)
        except InvalidInput as error:
            return Record(error=str(error))
        outcome = self._tools.call(reading, hooks=False)
        if must and not outcome.called:
            raise RetryableError(outcome.error, code="not_called")
        return record_from(snapshot, outcome)

    def ask(self, request: ModelRequest, deadline_s: float) -> ModelReply:
        """What a tool asks a model: with the hooks around it, and nobody listening in."""
        return self._reply(request, deadline_s, nullcontext())

    def _ask(self, asked: AskModel, deadline_s: float) -> ModelReply:
        return self._reply(asked.request, deadline_s, self._telling(asked))

    def _reply(
        self, request: ModelRequest, deadline_s: float, telling: AbstractContextManager[OnDelta | None]
    ) -> ModelReply:
        for before in self._before_model:
            request = before(request)
        with telling as on_delta:
            reply = self._model(request.model).generate(request, deadline_s=deadline_s, on_delta=on_delta)
        usage = reply.usage.evolve(model_calls=reply.usage.model_calls or 1)
        reply = replace(reply, usage=self._price(request.model, usage))
        for after in self._after_model:
            reply = after(request, reply)
        return reply
