"""What may be kept of values that come from outside. Everything, unless the network masks."""

from __future__ import annotations

import json
from typing import Any, Protocol, TypeVar

from entracte.core.answer import Answer
from entracte.core.payload import canonical
from entracte.errors import InvalidInput

V = TypeVar("V")


class Withholding(Protocol):
    """Takes out of values what documents, models and people must not see. `entracte.runtime.masking` does it."""

    def mask(self, owner: str, value: V) -> V:
        """The value with placeholders in place of what is withheld.

        Args:
            owner: Whose data it is; the placeholders are theirs.

        Raises:
            RetryableError: What is withheld cannot be kept now.
        """
        ...

    def scrub(self, text: str) -> str:
        """A text for the log, without what is withheld. What is taken out of it is not kept."""
        ...


class Unmasked:
    """Nothing is withheld."""

    def mask(self, owner: str, value: V) -> V:
        return value

    def scrub(self, text: str) -> str:
        return text


def masked_texts(masking: Withholding, owner: str, texts: tuple[str, ...]) -> tuple[str, ...]:
    """Texts that belong together, masked as one: a key may go over several lines."""
    joined = "\n".join(texts)
    masked: Any = masking.mask(owner, joined)
    return texts if masked == joined else tuple(masked.split("\n"))


def masked_answer(masking: Withholding, owner: str, answer: Answer) -> Answer:
    """What a person said to a gate, as it may be kept. Who said it stays."""
    said: dict[str, Any] = {"decision": answer.decision, "reason": answer.reason}
    try:
        edited = json.loads(answer.edited_arguments)
        canonical(edited)
    except (ValueError, RecursionError, InvalidInput):  # whoever wrote it is told so
        said["edited_arguments"] = answer.edited_arguments
        return answer.evolve(**masking.mask(owner, said))
    masked = masking.mask(owner, edited)
    text = answer.edited_arguments if masked is edited else canonical(masked)
    return answer.evolve(**masking.mask(owner, said), edited_arguments=text)
