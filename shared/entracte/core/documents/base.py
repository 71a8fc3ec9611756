"""What all documents have in common."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Any, ClassVar, Self

from msgspec import Meta, ValidationError, convert, to_builtins

from entracte.core.evolving import Evolving
from entracte.core.payload import INLINE_BYTES
from entracte.core.vector import Vector
from entracte.errors import CorruptDocument, NewerSchema

SCHEMA = 1
"""Written into every document. Changes are additive; a reader that meets a higher one leaves the document alone."""

AwareDatetime = Annotated[datetime, Meta(tz=True)]
"""A moment: a time with its zone."""

_KEPT = frozenset({str, int, bool, type(None), datetime, Vector})
"""Types that are stored as they are."""

_NO_MARKS = str.maketrans("", "", "]`")


class Document(Evolving, frozen=True, kw_only=True):
    """A document as the core sees it: immutable; `evolve` gives the next state of it.

    Attributes:
        schema_version: Version of the shape it was written with.
        rev: Counts the writes, so that a write always changes something.
        inline_bytes: Larger payloads of such a document are kept in chunks beside it.
        says_its_id: Its field `id` is the last part of its path.
    """

    inline_bytes: ClassVar[int] = INLINE_BYTES
    says_its_id: ClassVar[bool] = False

    schema_version: int = SCHEMA
    rev: int = 0

    def changed_from(self, before: Document) -> dict[str, Any]:
        """Top-level fields that differ, encoded for the store (which takes tuples for lists)."""
        fields = ((name, getattr(self, name)) for name in self.__struct_fields__)
        return {name: _encoded(value) for name, value in fields if value is not getattr(before, name)}

    def encoded(self) -> dict[str, Any]:
        """All fields, encoded for the store."""
        return {name: _encoded(getattr(self, name)) for name in self.__struct_fields__}

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
            return convert(fields, cls)
        except ValidationError as error:
            words, _, place = str(error).partition(" - at `$")  # then such as ``.state[...].items[0].id` ``
            pointer = re.sub(r"\.|\[", "/", place.replace("[...]", "[…]")).translate(_NO_MARKS)
            raise CorruptDocument(f"{path}{pointer}: {words}.", pointer=pointer) from None


def _encoded(value: Any) -> Any:
    return value if type(value) in _KEPT else to_builtins(value, builtin_types=(datetime,))
