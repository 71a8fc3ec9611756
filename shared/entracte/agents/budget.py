"""What the author of a network allows each run."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ModelWrapValidatorHandler, ValidationError, model_validator

from entracte.core.budget import Limits
from entracte.errors import ConfigurationError

Amount = Annotated[int, Field(ge=0)]


class Budget(BaseModel):
    """Most that a run may use; a limit that is not given has the value of `Limits`.

    Attributes:
        actions: Calls of tools and agents.
        writes: Calls that may change something.
        tokens: Prompt, thinking and output tokens.
        cost_micro_usd: Price of the model calls. Where it is given, a model whose price is not known is not asked.
        wall_s: Seconds from creation to end, time spent waiting for people left out.
        depth: Frames inside each other; the root has depth 1.
        parallel_calls: Calls in one step.

    Raises:
        ConfigurationError: A limit out of its bounds, or one that there is not.
    """

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")

    actions: Amount | None = None
    writes: Amount | None = None
    tokens: Amount | None = None
    cost_micro_usd: Amount | None = None
    wall_s: Annotated[int, Field(ge=1)] | None = None
    depth: Annotated[int, Field(ge=1, le=20)] | None = None
    parallel_calls: Annotated[int, Field(ge=1, le=8)] | None = None

    @model_validator(mode="wrap")
    @classmethod
    def _told_in_words(cls, given: Any, validate: ModelWrapValidatorHandler[Budget]) -> Budget:
        try:
            return validate(given)
        except ValidationError as error:
            first = error.errors()[0]
        name = str(first["loc"][0])
        if name not in cls.model_fields:
            close = get_close_matches(name, cls.model_fields, n=1)
            meant = f"did you mean {close[0]!r}?" if close else f"it has {', '.join(cls.model_fields)}."
            raise ConfigurationError(f"Budget has no {name!r}: {meant}")
        raise ConfigurationError(f"Budget({name}={first['input']!r}): {first['msg'][:1].lower()}{first['msg'][1:]}.")

    def limits(self) -> Limits:
        """All limits."""
        return Limits(**self.model_dump(exclude_none=True))
