"""What all documents have in common."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from entracte.core.payload import INLINE_BYTES
from entracte.errors import CorruptDocument, NewerSchema

SCHEMA = 1
"""Written into every document. Changes are additive; a reader that meets a higher one leaves the document alone."""


class Document(BaseModel):
    """A document as the core sees it: immutable; `evolve` gives the next state of it.

    Attributes:
        schema_version: Version of the shape it was written with.
        rev: Counts the writes, so that a write always changes something.
        inline_bytes: Larger payloads of such a document are kept in chunks beside it.
        says_its_id: Its field `id` is the last part of its path.
    """

    model_config = ConfigDict(defer_build=True, frozen=True, extra="ignore")

    inline_bytes: ClassVar[int] = INLINE_BYTES
    says_its_id: ClassVar[bool] = False

    schema_version: int = SCHEMA
    rev: int = 0

    def evolve(self, **changes: Any) -> Self:
        """The same document with some fields changed."""
        return self.model_copy(update=changes)

    def changed_from(self, before: Document) -> dict[str, Any]:
        """Top-level fields that differ, encoded for the store (which takes tuples for lists)."""
        names = {name for name, value in self if value is not getattr(before, name)}
        return self.model_dump(include=names)

    def encoded(self) -> dict[str, Any]:
        """All fields, encoded for the store."""
        return self.model_dump()

    @classmethod
    def read(cls, path: str, fields: Any) -> Self:
        """Read stored fields.

        Raises:
            NewerSchema: A newer version wrote them.
            CorruptDocument: They do not have this shape.
        """
        found = fields.get("schema_version", SCHEMA)
        if isinstance(found, int) and found > SCHEMA:
            raise NewerSchema(
                f"{path} has schema {found}; this version knows {SCHEMA}.", remedy="Deploy the newer version here too."
            )
        if cls.says_its_id and fields.get("id") != path.rpartition("/")[2]:
            raise CorruptDocument(f"{path}/id: says another id than its path does.", pointer="/id")
        try:
            return cls.model_validate(fields)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            pointer = "".join(f"/{part}" for part in first["loc"])
            raise CorruptDocument(f"{path}{pointer}: {first['msg']}.", pointer=pointer) from None
