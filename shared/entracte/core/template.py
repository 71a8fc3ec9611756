"""Values that refer to other values: ``{"id": "$.id", "plan": "$snapshot.plan"}``.

A reference is a root (`$`, `$snapshot`, …) and a path: `.field`, `[0]`, or `[]`, which maps the rest of the path over a
list. A string that is one reference keeps the value's type; inside text a reference becomes text. `$$` is a literal
dollar sign everywhere. There are no expressions, conditions or functions: what a template does can be read off it.

A template is parsed before it is needed, so that a malformed one stops the start and not the undo.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from msgspec import Struct

from entracte.core.payload import canonical
from entracte.core.reference import Reference, malformed, read_reference
from entracte.errors import ConfigurationError, InvalidInput


class Text(Struct, frozen=True):
    """Literal text and references, in order."""

    pieces: tuple[str | Reference, ...]


class Template(Struct, frozen=True):
    """A JSON value whose strings are parsed. Keys are literal, but for `$$`."""

    node: Any

    @classmethod
    def parse(cls, value: Any, roots: Collection[str], *, from_end: bool = False) -> Template:
        """Parse all strings of a JSON value.

        Args:
            roots: What may be referred to, such as ``("$", "$snapshot")``.
            from_end: Take `[-1]` for the last item. Not for policies: what is last may change before an undo.

        Raises:
            ConfigurationError: Not JSON, a malformed reference or an unknown root; `pointer` names the place.
        """
        try:
            canonical(value)
        except InvalidInput as error:
            raise ConfigurationError(error.message, pointer=error.pointer, code="bad_template") from None
        return cls(_parse(value, _Reader(roots, from_end), ""))

    @property
    def references(self) -> tuple[Reference, ...]:
        """All references, in order, so that some can be tried before the others can be resolved."""
        return tuple(_references(self.node))

    def resolve(self, values: Mapping[str, Any]) -> Any:
        """The value with everything filled in.

        Args:
            values: JSON value by root.

        Raises:
            InvalidInput: A key or index is missing; names the path (code ``unresolved``).
        """
        return _resolve(self.node, values)


class _Reader(Struct, frozen=True):
    """What a template may say."""

    roots: Collection[str]
    from_end: bool

    def text(self, text: str, pointer: str) -> str | Text:
        pieces: list[str | Reference] = []
        start = 0
        while (dollar := text.find("$", start)) >= 0:
            pieces.append(text[start:dollar])
            if text.startswith("$$", dollar):
                pieces.append("$")
                start = dollar + 2
            else:
                reference, start = read_reference(text, dollar, self.roots, pointer, from_end=self.from_end)
                pieces.append(reference)
        pieces.append(text[start:])
        match tuple(piece for piece in pieces if piece != ""):
            case (Reference(), "."):
                raise malformed(f"{text!r} ends in a dot", pointer)
            case kept if any(isinstance(piece, Reference) for piece in kept):
                return Text(kept)
            case kept:
                return "".join(str(piece) for piece in kept)

    def key(self, key: str, pointer: str) -> str:
        plain = self.text(key, pointer)
        if isinstance(plain, Text):
            raise malformed(f"the key {key!r} refers to something, which only values may", pointer)
        return plain


def _parse(value: Any, reader: _Reader, pointer: str) -> Any:
    match value:
        case str():
            return reader.text(value, pointer)
        case dict():
            return {
                reader.key(key, pointer): _parse(item, reader, f"{pointer}/{_escaped(key)}")
                for key, item in value.items()
            }
        case list():
            return [_parse(item, reader, f"{pointer}/{index}") for index, item in enumerate(value)]
        case _:
            return value


def _references(node: Any) -> Iterator[Reference]:
    match node:
        case Text():
            yield from (piece for piece in node.pieces if isinstance(piece, Reference))
        case dict():
            for item in node.values():
                yield from _references(item)
        case list():
            for item in node:
                yield from _references(item)
        case _:
            pass


def _resolve(node: Any, values: Mapping[str, Any]) -> Any:
    match node:
        case Text((Reference() as only,)):
            return only.resolve(values)
        case Text():
            return "".join(_as_text(_resolve_piece(piece, values)) for piece in node.pieces)
        case dict():
            return {key: _resolve(item, values) for key, item in node.items()}
        case list():
            return [_resolve(item, values) for item in node]
        case _:
            return node


def _resolve_piece(piece: str | Reference, values: Mapping[str, Any]) -> Any:
    return piece if isinstance(piece, str) else piece.resolve(values)


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else canonical(value)
