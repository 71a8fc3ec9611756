"""What models are asked and what they answer, masked."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from entracte.core.modelling import ModelReply, ModelRequest, OnDelta, WantedCall
from entracte.ports.model import Model
from entracte.runtime.engine.withholding import Withholding

NOTE = (
    "Words in ⟨angle brackets⟩ such as ⟨email-k3f9x2m7qa⟩ stand for values that you are not shown. Use them as the "
    "values themselves: copy them exactly, also into the arguments of calls, where they become the values again."
)


class MaskedModel:
    """Model port that asks another one without what is masked.

    What documents hold is masked already: this is for prompts, knowledge, and whatever hooks have added.
    """

    def __init__(self, model: Model, masking: Withholding, owner_of: Callable[[str], str]) -> None:
        self._model = model
        self._masking = masking
        self._owner_of = owner_of

    def generate(self, request: ModelRequest, *, deadline_s: float, on_delta: OnDelta | None = None) -> ModelReply:
        owner, mask = self._owner_of(request.run), self._masking.mask
        parts = tuple(replace(part, text=mask(owner, part.text)) for part in request.parts)
        masked = replace(request, system=f"{mask(owner, request.system)}\n\n{NOTE}".strip(), parts=parts)
        return self._model.generate(masked, deadline_s=deadline_s, on_delta=on_delta)


def masked_reply(masking: Withholding, owner: str, reply: ModelReply) -> ModelReply:
    """A reply without what is masked: a model may have known it, or made it up."""
    mask = masking.mask
    fault = reply.fault
    return replace(
        reply,
        calls=tuple(WantedCall(call.tool, mask(owner, call.arguments)) for call in reply.calls),
        value=mask(owner, reply.value),
        thought=mask(owner, reply.thought),
        fault=replace(fault, message=mask(owner, fault.message)) if fault is not None else None,
    )
