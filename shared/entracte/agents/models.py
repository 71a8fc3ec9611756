"""Naming models: by role, by a string, or with options."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import fields

from entracte.core.blueprint import Roles

DEFAULT_MODEL = "vertex/gemini-3.8-flash"
"""Asked where nobody names a model."""


class Secret(Struct, frozen=True):
    """The name of a secret. Its value is read when it is needed and never kept."""

    name: str


class Model(Struct, frozen=True):
    """A model with options; a bare ``provider/name`` string is its short form.

    Attributes:
        base_url: Address of the service, for providers that have no address of their own.
        api_key: Secret that holds the key; None for services without one.
        max_retries: Tries after the first, within one delivery.
    """

    name: str
    base_url: str = ""
    api_key: Secret | None = None
    max_retries: int = 3


class Models(Struct, frozen=True, kw_only=True):
    """Models by what they are used for; see `entracte.core.blueprint.Roles`.

    Attributes:
        main: Asked for everything that no other role is named for.
        allowed: More models, which callers may choose for their runs beside those named here.
    """

    main: str | Model = DEFAULT_MODEL
    planning: str | Model = ""
    light: str | Model = ""
    judge: str | Model = ""
    edit: str | Model = ""
    embed: str | Model = ""
    allowed: Sequence[str | Model] = ()

    def roles(self) -> Roles:
        named = {field.name: name_of(getattr(self, field.name)) for field in fields(self) if field.name != "allowed"}
        return Roles(**named, allowed=tuple(map(name_of, self.allowed)))

    def options(self) -> dict[str, Model]:
        """Those given with options, by name."""
        named = (getattr(self, field.name) for field in fields(self) if field.name != "allowed")
        return {model.name: model for model in (*self.allowed, *named) if isinstance(model, Model)}


def name_of(model: str | Model) -> str:
    """``provider/name`` of a model, or an empty string for none."""
    return model.name if isinstance(model, Model) else model
