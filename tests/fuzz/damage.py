"""What somebody may do to a document in the Firestore console."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args, get_type_hints

from hypothesis import strategies as st

from entracte.adapters.memory.store import MemoryStore
from entracte.core.addresses import kind_of
from entracte.ports.store import Create, Delete

VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(),
    st.text(max_size=20),
    st.sampled_from(
        ["", "running", "waiting", "applied", "started", "approved", "succeeded", "../x", "a/b", "x" * 100_000]
    ),
    st.binary(max_size=8),
    st.datetimes().map(lambda moment: moment.isoformat()),
    st.lists(st.one_of(st.none(), st.integers(-9, 9), st.text(max_size=3)), max_size=3),
    st.dictionaries(
        st.sampled_from(["text", "sha256", "size_bytes", "chunks", "step", "phase", "id", "to"]),
        st.one_of(st.integers(-9, 2**40), st.text(max_size=5), st.none()),
        max_size=4,
    ),
)
"""What a field may be made to hold."""


@dataclass(frozen=True, slots=True)
class Damage:
    """One edit.

    Attributes:
        path: Of the document.
        field: Trail to the value, through maps.
        value: What stands there now; None with `removed`.
    """

    path: str
    field: tuple[str, ...]
    value: Any
    removed: bool


@st.composite
def damages(draw: st.DrawFn, documents: Mapping[str, Mapping[str, Any]]) -> Damage:
    """An edit of one of the documents: another value, a field that is gone, or a new one; also within maps."""
    path = draw(st.sampled_from(sorted(documents)))
    trail: list[str] = []
    inside: Any = documents[path]
    while isinstance(inside, Mapping) and inside and (not trail or draw(st.booleans())):
        trail.append(draw(st.sampled_from([*sorted(inside), "made_up"])))
        inside = inside.get(trail[-1])
    removed = draw(st.integers(0, 4)) == 0
    value = None if removed else draw(st.one_of(VALUES, st.sampled_from(_words(path, trail))))
    return Damage(path, tuple(trail), value, removed)


def done_to(store: MemoryStore, damage: Damage) -> None:
    """Edit the document, whatever the store's own codec thinks of it."""
    fields = _edited(store.load([damage.path])[damage.path].fields, damage.field, damage)
    store.commit([Delete(damage.path)])
    store.commit([Create(damage.path, fields)])


def _edited(fields: Mapping[str, Any], trail: tuple[str, ...], damage: Damage) -> dict[str, Any]:
    name, rest = trail[0], trail[1:]
    kept = {key: value for key, value in fields.items() if key != name}
    if rest:
        return kept | {name: _edited(fields[name], rest, damage)}
    return kept if damage.removed else kept | {name: damage.value}


def _words(path: str, trail: list[str]) -> list[Any]:
    """Values that the field may rightly have, at another time."""
    annotation = get_type_hints(kind_of(path)).get(trail[0])
    words = get_args(annotation) if len(trail) == 1 else ()
    return [word for word in words if isinstance(word, str)] or [""]
