"""YAML text as a tree of located nodes. Parsing is ruamel's; what manifests may not use of YAML is refused here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct
from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)
from ruamel.yaml.reader import ReaderError

from entracte.core.policy.faults import Fault, ManifestError, shown
from entracte.core.policy.source import Place
from entracte.core.policy.text.scalars import plain_value

MAX_BYTES = 1024 * 1024
MAX_DEPTH = 32
MAX_NODES = 20_000
"""Values in a manifest, also once its aliases are filled in."""


class Scalar(Struct, frozen=True):
    """A text, number, boolean or null."""

    place: Place
    value: str | int | float | bool | None


class Items(Struct, frozen=True):
    """A list."""

    place: Place
    nodes: tuple[Node, ...]


class Entries(Struct, frozen=True):
    """A mapping; of a key that is there twice, the first."""

    place: Place
    nodes: dict[str, tuple[Place, Node]]


Node = Scalar | Items | Entries


def read_nodes(text: str, file: str) -> tuple[Node | None, list[Fault]]:
    """The document, None when there is none, and the faults that did not stop the reading.

    Raises:
        ManifestError: Not YAML, several documents, or beyond a limit.
    """
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise ManifestError([Fault(1, 1, "the text", "Unicode", "half of a surrogate pair", file)]) from None
    if size > MAX_BYTES:
        raise ManifestError([Fault(1, 1, "the manifest", f"at most {MAX_BYTES:,} bytes", f"{size:,}", file)])
    composer = _Composer(file)
    try:
        return composer.document(YAML(typ="safe", pure=True).parse(text)), composer.faults
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise ManifestError(
            [_syntax_fault(text, file, mark.line, mark.column, error.problem or error.context)]
        ) from None
    except ReaderError as error:
        line, column = text.count("\n", 0, error.position), error.position - text.rfind("\n", 0, error.position) - 1
        raise ManifestError([_syntax_fault(text, file, line, column, "a control character")]) from None
    except (YAMLError, ValueError, OverflowError) as error:  # the last two: escapes that are no character
        raise ManifestError([Fault(1, 1, "the manifest", "YAML", str(error).partition("\n")[0], file)]) from None


def _syntax_fault(text: str, file: str, line: int, column: int, problem: str) -> Fault:
    lines = text.split("\n")
    around = lines[line].strip() if line < len(lines) else ""
    return Fault(
        line + 1, column + 1, f"not YAML: {problem}", "well-formed YAML", shown(around) if around else "the end", file
    )


class _Composer:
    """Makes nodes of events. Reads no further than the limits, so a huge or deep text costs little."""

    def __init__(self, file: str) -> None:
        self.faults: list[Fault] = []
        self._file = file
        self._anchors: dict[str, Node] = {}
        self._count = 0

    def document(self, events: Iterator[Any]) -> Node | None:
        root: Node | None = None
        documents = 0
        for event in events:
            match event:
                case DocumentStartEvent():
                    documents += 1
                    if documents > 1:
                        raise self._stop(event, "a second document", "one document", "'---'")
                    if event.version not in (None, (1, 2)):
                        found = ".".join(str(part) for part in event.version)
                        self._fault(Place(1, 1), "the %YAML directive", "1.2", found)
                case AliasEvent() | ScalarEvent() | SequenceStartEvent() | MappingStartEvent():
                    root = self._node(event, events, 0)
                case _:
                    pass
        return root

    def _node(self, event: Any, events: Iterator[Any], depth: int) -> Node:
        self._count += 1
        if self._count > MAX_NODES:
            raise self._stop(event, "the manifest", f"at most {MAX_NODES:,} values", "more")
        if depth > MAX_DEPTH:
            raise self._stop(event, "the nesting", f"at most {MAX_DEPTH} levels", "more")
        if isinstance(event, AliasEvent):
            return self._alias(event)
        node: Node
        match event:
            case ScalarEvent():
                node = Scalar(_place(event), self._scalar(event))
            case SequenceStartEvent():
                self._check_tag(event)
                node = Items(_place(event), tuple(self._items(events, depth)))
            case _:
                self._check_tag(event)
                node = Entries(_place(event), self._entries(events, depth))
        if event.anchor is not None:
            self._anchors[event.anchor] = node
        return node

    def _items(self, events: Iterator[Any], depth: int) -> Iterator[Node]:
        while not isinstance(event := next(events), SequenceEndEvent):
            yield self._node(event, events, depth + 1)

    def _entries(self, events: Iterator[Any], depth: int) -> dict[str, tuple[Place, Node]]:
        entries: dict[str, tuple[Place, Node]] = {}
        while not isinstance(event := next(events), MappingEndEvent):
            place, key = _place(event), self._node(event, events, depth + 1)
            following = next(events)
            value = self._node(following, events, depth + 1)
            if isinstance(following, ScalarEvent) and following.value == "" and following.implicit[0]:
                value = Scalar(place, None)  # nothing has no place of its own
            name = key.value if isinstance(key, Scalar) else None
            if not isinstance(name, str):
                self._fault(place, "a key", "text, in quotes if need be", _kind(key))
            elif name == "<<" and isinstance(event, ScalarEvent) and event.implicit[0]:
                self._fault(place, "a merge key", "the keys themselves; YAML 1.2 has no merging", "'<<'")
            elif name in entries:
                line = entries[name][0].line
                self._fault(place, f"the key {shown(name)} again", "each key once", f"it in line {line} too")
            else:
                entries[name] = (place, value)
        return entries

    def _alias(self, event: AliasEvent) -> Node:
        if event.anchor in self._anchors:
            return self._anchors[event.anchor]
        self._fault(_place(event), "an alias", "an anchor before it", f"'*{event.anchor}'")
        return Scalar(_place(event), None)

    def _scalar(self, event: ScalarEvent) -> str | int | float | bool | None:
        if not event.implicit[0] or str(event.tag) == "!":
            self._check_tag(event)
            return str(event.value)
        try:
            return plain_value(event.value)
        except ValueError as error:
            self._fault(_place(event), "a number", "one that a computer can hold", str(error))
            return 0

    def _check_tag(self, event: Any) -> None:
        tag = str(event.tag) if event.tag is not None else ""
        if tag not in ("", "!", "tag:yaml.org,2002:str"):
            self._fault(_place(event), "a tag", "none, or !!str", shown(tag.replace("tag:yaml.org,2002:", "!!")))

    def _fault(self, place: Place, what: str, expected: str, found: str) -> None:
        self.faults.append(Fault(*place, what, expected, found, self._file))

    def _stop(self, event: Any, what: str, expected: str, found: str) -> ManifestError:
        return ManifestError([*self.faults, Fault(*_place(event), what, expected, found, self._file)])


def _place(event: Any) -> Place:
    return Place(event.start_mark.line + 1, event.start_mark.column + 1)


def _kind(key: Node) -> str:
    match key:
        case Scalar():
            return shown(key.value)
        case Items():
            return "a list"
        case Entries():
            return "a mapping"
