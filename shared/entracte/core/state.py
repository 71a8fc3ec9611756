"""Itemised changes to an agent's state.

The model never rewrites state; it proposes a diff, and this module applies it item by item. Whole-state rewriting loses
what it was meant to keep: 18,282 tokens collapsed to 122 in one published run (ACE, arXiv 2510.04618).

Pure: nothing here reads a clock or a store. The caller commits the result, and applies the diff again if it lost
a race.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args

from msgspec import Struct
from msgspec.structs import replace

Scope = Literal["global", "local"]

MAX_BYTES = 256 * 1024
"""Of one scope's items, as UTF-8. A document of a megabyte holds them beside much else; agents get by with far less."""

_ITEM_BYTES = 64  # that an item takes beside its text


class Item(Struct, frozen=True):
    """One statement. Its id (``F_001``) is given once and never used again, so that decisions may refer to it."""

    id: str
    text: str


class Key(Struct, frozen=True, kw_only=True):
    """A drawer of state: where it lives, and what the model is told about it.

    Attributes:
        prefix: Letter that its items' ids start with.
        how_to: Instruction the model reads before writing into it.
    """

    scope: Scope
    prefix: str
    description: str
    how_to: str


class Drawer(Struct, frozen=True):
    """The items of one key, oldest first, and how many ids were ever given."""

    items: tuple[Item, ...] = ()
    given: int = 0

    def add(self, prefix: str, text: str) -> tuple[Drawer, Item]:
        item = Item(f"{prefix}_{self.given + 1:03d}", text)
        return Drawer((*self.items, item), self.given + 1), item

    def change(self, item: Item) -> Drawer:
        return replace(self, items=tuple(item if old.id == item.id else old for old in self.items))

    def remove(self, item_id: str) -> Drawer:
        return replace(self, items=tuple(old for old in self.items if old.id != item_id))

    @property
    def size_bytes(self) -> int:
        return sum(len(item.text.encode(errors="surrogatepass")) + _ITEM_BYTES for item in self.items)

    def __contains__(self, item_id: object) -> bool:
        return any(item.id == item_id for item in self.items)


class Applied(Struct, frozen=True):
    """What one entry of a diff did. `text` is empty when the item was removed."""

    scope: Scope
    key: str
    id: str
    text: str


class Refused(Struct, frozen=True):
    """An entry that was not applied, and why, in words that the model can act on."""

    failed: Any
    message: str


class DiffResult(Struct, frozen=True):
    """State after a diff, and what became of each entry."""

    state: Mapping[str, Drawer]
    applied: tuple[Applied, ...] = ()
    refused: tuple[Refused, ...] = ()


def apply_diff(state: Mapping[str, Drawer], diff: Any, schema: Mapping[str, Key]) -> DiffResult:
    """Apply a diff to state. A bad entry is refused beside the good ones, never instead of them.

    A string adds an item; ``{"id", "text"}`` with a known id changes it, with empty text removes it. Where no id was
    ever given, whoever names one has made it up and means to add: small models do, and the fact would be lost. What
    would bring its scope above `MAX_BYTES` is refused.

    Args:
        diff: Key → entry or list of entries, as a model, a tool or a person wrote it.
    """
    if not isinstance(diff, Mapping):
        return DiffResult(
            state, refused=(Refused(diff, "expected an object: key, then a text, an item or a list of them"),)
        )
    drawers = dict(state)
    room = {scope: max(0, MAX_BYTES - _bytes(state, schema, scope)) for scope in get_args(Scope)}
    applied: list[Applied] = []
    refused: list[Refused] = []
    for name, value in diff.items():
        if (key := schema.get(name)) is None:
            refused.append(Refused({name: value}, f"unknown key {name!r}; known keys: {', '.join(schema)}"))
            continue
        for entry in value if isinstance(value, list) else [value]:
            before = drawers.get(name, Drawer())
            match entry:
                case str(text) if text.strip():
                    after, item = before.add(key.prefix, text.strip())
                case {"id": str(item_id), "text": str(text)} if item_id in before:
                    item = Item(item_id, text)
                    after = before.change(item) if text else before.remove(item_id)
                case {"id": _, "text": str(text)} if text.strip() and not before.given:
                    after, item = before.add(key.prefix, text.strip())
                case {"id": item_id, "text": str()}:
                    refused.append(Refused(entry, f"{name} has no item {item_id!r}; to add one, give its text alone"))
                    continue
                case _:
                    refused.append(Refused(entry, "expected a text, or an object with id and text"))
                    continue
            if after == before:
                continue  # said again: no change, so that it neither counts as progress nor is told as one
            growth = after.size_bytes - before.size_bytes
            if growth > room[key.scope]:
                refused.append(Refused(entry, f"{name} has no room for {growth:,} bytes more; keep it shorter"))
                continue
            room[key.scope] -= growth
            drawers[name] = after
            applied.append(Applied(key.scope, name, item.id, item.text))
    return DiffResult(drawers, tuple(applied), tuple(refused))


def _bytes(state: Mapping[str, Drawer], schema: Mapping[str, Key], scope: Scope) -> int:
    return sum(drawer.size_bytes for name, drawer in state.items() if name in schema and schema[name].scope == scope)


DEFAULT_KEYS: Mapping[str, Key] = {
    "facts": Key(
        scope="global",
        prefix="F",
        description="Verified statements.",
        how_to="One statement an item, with its names and numbers. Only what a result or the user has said.",
    ),
    "evidences": Key(
        scope="global",
        prefix="E",
        description="Where a fact comes from.",
        how_to="Name the fact's id or text, the source, the id within it, and the words quoted.",
    ),
    "vars": Key(
        scope="global",
        prefix="V",
        description="Named values that tools need again.",
        how_to="Write name = value.",
    ),
    "goals": Key(
        scope="local",
        prefix="G",
        description="What you are to achieve.",
        how_to="Say also when the goal counts as achieved.",
    ),
    "tasks": Key(
        scope="local",
        prefix="T",
        description="What is to be done, in order.",
        # No example: small models take it for one of their tasks.
        how_to="Say what is to be done to what, after a mark (to do, doing, done, dropped). Change the mark by id.",
    ),
    "decisions": Key(
        scope="local",
        prefix="D",
        description="What was adopted or rejected, and on what grounds.",
        how_to="Never propose a rejected way again without new evidence.",
    ),
    "questions": Key(
        scope="local",
        prefix="Q",
        description="What is missing or in doubt.",
        how_to="Remove a question by id once it is answered.",
    ),
}
"""The keys that every network has unless it declares others."""
