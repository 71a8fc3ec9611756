"""Queries answered in Python: choose, sort, cut."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any, Final

from entracte.core import paths
from entracte.core.values import kind
from entracte.core.vector import Vector
from entracte.ports.nearest import nearest
from entracte.ports.store import Query, Where

_COMPARE: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "==": operator.eq,
    "in": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}

_ABSENT: Final = object()


def select(query: Query, documents: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Paths of the documents of one collection that satisfy a query, in its order. The query must be `answerable`."""
    places = {
        path: _place(query, path, fields) for path, fields in documents.items() if _satisfies(query, path, fields)
    }
    if query.near is not None:
        return nearest(query.near, {path: documents[path] for path in places})[: query.limit]
    if query.after:
        last = _sort_key(*query.after)
        places = {path: place for path, place in places.items() if (place < last if query.descending else place > last)}
    return sorted(places, key=places.__getitem__, reverse=query.descending)[: query.limit]


def _satisfies(query: Query, path: str, fields: Mapping[str, Any]) -> bool:
    return (
        (query.parent is None or paths.split(path)[0] == query.parent)
        and all(_holds(condition, fields) for condition in query.where)
        and not (query.order_by and _value(fields, query.order_by) in (None, _ABSENT))
    )


def _holds(condition: Where, fields: Mapping[str, Any]) -> bool:
    if (value := _value(fields, condition.field)) is _ABSENT:
        return False
    if condition.op == "has":
        return isinstance(value, list) and condition.value in value
    compare = _COMPARE[condition.op]
    wanted = condition.value if condition.op == "in" else [condition.value]
    return any(kind(value) == kind(one) and compare(value, one) for one in wanted)


def _value(fields: Mapping[str, Any], field: str) -> Any:
    """The value at ``metadata.ticket``, or `_ABSENT`."""
    value: Any = fields
    for part in field.split("."):
        if not isinstance(value, Mapping) or part not in value:
            return _ABSENT
        value = value[part]
    return value


def _place(query: Query, path: str, fields: Mapping[str, Any]) -> tuple[Any, ...]:
    return _sort_key(_value(fields, query.order_by) if query.order_by else None, path)


def _sort_key(value: Any, path: str) -> tuple[Any, ...]:
    # Lists, vectors and maps have no order of their own here; nothing sorts by them.
    return kind(value), 0 if value is None or isinstance(value, (dict, list, Vector)) else value, paths.order(path)
