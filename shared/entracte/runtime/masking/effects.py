"""Effects with masked values on this side and true ones on the other.

Decisions, documents, events and people see masked values only. What a call needs is opened here, right before the tool
is called, and what the tool says is masked here, before anybody cuts, compares or keeps it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from typing import TypeVar

from msgspec.structs import replace

from entracte.core.calls import Call, Directives, Prepared, Record, ToolOutcome
from entracte.core.effects import AskModel, Effect, MakeCall, PrepareCall, ReadRecord, Result
from entracte.core.masking.placeholders import placeholders_in
from entracte.core.modelling import ModelReply
from entracte.errors import ConfigurationError, EntracteError, InvalidInput, TerminalError
from entracte.runtime.engine.delivery import Perform
from entracte.runtime.engine.withholding import masked_texts
from entracte.runtime.masking.masking import Masking
from entracte.runtime.masking.models import masked_reply

log = logging.getLogger("entracte")

E = TypeVar("E", PrepareCall, MakeCall, ReadRecord)


class MaskedEffects:
    """Does effects by another performer.

    Args:
        reveal_to: Patterns of tools that may be given true values; a call of another one that needs some is refused.
        owner_of: Gives the owner of a run.
    """

    def __init__(
        self, perform: Perform, masking: Masking, *, reveal_to: Sequence[str], owner_of: Callable[[str], str]
    ) -> None:
        self._perform = perform
        self._masking = masking
        self._reveal_to = tuple(reveal_to)
        self._owner_of = owner_of

    def __call__(self, effect: Effect, deadline_s: float) -> Result:
        match effect:
            case PrepareCall():
                return self._prepare(effect, deadline_s)
            case MakeCall():
                return self._make(effect, deadline_s)
            case ReadRecord():
                return self._read(effect, deadline_s)
            case AskModel(request):
                reply = self._perform(effect, deadline_s)
                if not isinstance(reply, ModelReply):
                    return reply
                return masked_reply(self._masking, self._owner_of(request.run), reply)
            case _:
                return self._perform(effect, deadline_s)

    def ended(self, call: Call, outcome: ToolOutcome) -> ToolOutcome:
        """A call's end without what is masked. A change has been made, so a fault here is a warning and no more."""
        try:
            return self._outcome(call, outcome)
        except Exception as error:
            log.exception("masking_failed run_id=%s action=%s", call.run, call.action)
            why = str(error) if isinstance(error, EntracteError) else type(error).__name__
            note = f"The result is withheld, because it could not be masked: {why}"
            return ToolOutcome(
                ending=outcome.ending,
                result={"note": note},
                error=note if outcome.error else "",
                lost=outcome.lost,
                warnings=(note,),
                record=Record(error=note) if outcome.record is not None else None,
                usage=outcome.usage,
            )

    def _prepare(self, effect: PrepareCall, deadline_s: float) -> Prepared:
        try:
            if refusal := self._refusal(effect.call):
                return Prepared(refusal=refusal, blocked=True)
            prepared = self._perform(self._opened(effect), deadline_s)
            assert isinstance(prepared, Prepared)
            return self._prepared(effect.call, prepared)
        except (ConfigurationError, TerminalError) as error:
            return Prepared(refusal=_not_masked(error), blocked=True)

    def _make(self, effect: MakeCall, deadline_s: float) -> ToolOutcome:
        call = effect.call
        try:
            if effect.hooks and not call.prepared and (refusal := self._refusal(call)):
                return ToolOutcome(ending="blocked", error=refusal)
            opened = self._opened(effect)
            if effect.about is not None:
                opened = replace(opened, about=self._masking.reveal(call.user, dict(effect.about)))
        except (ConfigurationError, TerminalError) as error:
            return ToolOutcome(ending="failed", error=_not_masked(error))
        outcome = self._perform(opened, deadline_s)
        assert isinstance(outcome, ToolOutcome)
        return self.ended(call, outcome)

    def _read(self, effect: ReadRecord, deadline_s: float) -> Record:
        try:
            record = self._perform(self._opened(effect), deadline_s)
            assert isinstance(record, Record)
            return self._record(effect.call, record)
        except (ConfigurationError, TerminalError) as error:
            return Record(error=_not_masked(error))

    def _refusal(self, call: Call) -> str:
        """Why the call is not given its true values; empty when it is, or needs none."""
        names = placeholders_in(dict(call.arguments))
        if not names:
            return ""
        if not self._is_told(call):
            return f"{call.tool} is not given what {', '.join(sorted(names))} stands for. Call it without."
        if unknown := self._masking.unknown(call.user, dict(call.arguments)):
            return f"{', '.join(sorted(unknown))} stands for nothing. Copy placeholders exactly, or give the value."
        return ""

    def _is_told(self, call: Call) -> bool:
        return any(fnmatchcase(call.tool, pattern) for pattern in self._reveal_to)

    def _opened(self, effect: E) -> E:
        """With true arguments: an agent's call that needs some and is not given them was refused before.

        Raises:
            InvalidInput: A placeholder stands for nothing, such as one that an approver has mistyped.
        """
        call, reveal = effect.call, self._masking.reveal
        if unknown := self._masking.unknown(call.user, dict(call.arguments)):
            raise InvalidInput(f"{', '.join(sorted(unknown))} stands for nothing.")
        metadata = reveal(call.user, dict(call.metadata)) if self._is_told(call) else call.metadata
        return replace(effect, call=replace(call, arguments=reveal(call.user, dict(call.arguments)), metadata=metadata))

    def _prepared(self, call: Call, prepared: Prepared) -> Prepared:
        owner, masking = call.user, self._masking
        return replace(
            prepared,
            arguments=masking.mask_true(owner, dict(prepared.arguments)),
            refusal=masking.mask(owner, prepared.refusal),
            directives=self._directives(owner, prepared.directives),
            record=self._record(call, prepared.record) if prepared.record is not None else None,
            diff=masked_texts(masking, owner, prepared.diff),
        )

    def _outcome(self, call: Call, outcome: ToolOutcome) -> ToolOutcome:
        owner, masking = call.user, self._masking
        result = masking.mask_true(owner, outcome.result)
        arguments = outcome.arguments
        return replace(
            outcome,
            result=result,
            raw=result if outcome.raw is outcome.result else masking.mask_true(owner, outcome.raw),
            record=self._record(call, outcome.record) if outcome.record is not None else None,
            arguments=masking.mask_true(owner, dict(arguments)) if arguments is not None else None,
            error=masking.mask(owner, outcome.error),
            warnings=masked_texts(masking, owner, outcome.warnings),
            directives=self._directives(owner, outcome.directives),
            progress=masked_texts(masking, owner, outcome.progress),
            native=outcome.native if result is outcome.result and not outcome.error else None,
        )

    def _record(self, call: Call, record: Record) -> Record:
        known = [payload.value for payload in call.known]
        return replace(
            record,
            value=self._masking.mask_as_known(call.user, record.value, known),
            error=self._masking.mask(call.user, record.error),
        )

    def _directives(self, owner: str, directives: Directives) -> Directives:
        mask = self._masking.mask
        return replace(
            directives,
            state=tuple(mask(owner, list(directives.state))),
            terminate=mask(owner, directives.terminate),
        )


def _not_masked(error: EntracteError) -> str:
    return f"Values cannot be masked, or opened again: {error}"
