"""Queries as SQL.

One habit of SQLite shows: it reads texts only up to a NUL character when it compares them.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import groupby
from typing import Any

from entracte.adapters.sqlite.encode import to_json
from entracte.adapters.sqlite.schema import PATH_ORDER, PRIMARY_KEY, json_path, key
from entracte.core.values import kind
from entracte.ports.store import Query, Where

Term = tuple[str, list[Any]]
"""A condition in SQL and its parameters."""


def select(query: Query) -> Term:
    """A query as SQL that gives path, version and fields. The query must be `answerable`."""
    terms = [("collection = ?", [query.collection])]
    if query.parent is not None:
        terms.append(_under(query.parent, query.collection))
    terms += [_condition(condition) for condition in query.where]
    # In one document's collection only the last part of the paths differs: there they sort as they are.
    order = [PATH_ORDER if query.parent is None else "path"]
    if query.order_by:
        order.insert(0, key(*query.order_by.split(".")))
        terms.append((f"{order[0]} IS NOT NULL", []))
    if query.after:
        value, path = query.after
        last = path if query.parent is not None else path.replace("/", "\x01")
        terms.append(_beyond(order, value, last, descending=query.descending))
    # Children are found by path and then sorted: another index might lead through those of all other parents too.
    source = "documents" if query.parent is None else f"documents INDEXED BY {PRIMARY_KEY}"
    direction = " DESC" if query.descending else ""
    sql = (
        f"SELECT path, version, fields FROM {source}"
        f" WHERE {' AND '.join(term for term, _ in terms)}"
        f" ORDER BY {', '.join(f'{expression}{direction}' for expression in order)} LIMIT ?"
    )
    return sql, [*(parameter for _, parameters in terms for parameter in parameters), query.limit]


def _under(parent: str, collection: str) -> Term:
    """Within a document's collection: as a range, which finds them, and exactly, since descendants lie in the range."""
    start = f"{parent}/{collection}/"
    return "path > ? AND path < ? AND parent = ?", [start, f"{start[:-1]}0", parent]  # 0 is the character after /


def _beyond(order: Sequence[str], value: Any, last: str, *, descending: bool) -> Term:
    """After the last document of the page before."""
    values = [*([_comparable(value)] if len(order) > 1 else []), last]
    marks = ", ".join("?" for _ in values)
    return f"({', '.join(order)}) {'<' if descending else '>'} ({marks})", values


def _condition(condition: Where) -> Term:
    parts = condition.field.split(".")
    if condition.op == "has":
        return _holding(parts, condition.value)
    if condition.op != "in":
        return _compared(parts, condition.op, condition.value)
    # Values of one kind go into one IN, which an index can serve.
    groups = [list(values) for _, values in groupby(sorted(condition.value, key=kind), kind)]
    terms = [_among(parts, values) for values in groups]
    return f"({' OR '.join(term for term, _ in terms)})", [value for _, values in terms for value in values]


def _holding(parts: Sequence[str], value: str) -> Term:
    """True for documents whose list holds the text; ``json_each`` of what is no list would give the value itself."""
    place = json_path(*parts)
    members = f"SELECT 1 FROM json_each(fields, {place}) WHERE json_each.type = 'text' AND json_each.value = ?"
    return f"(json_type(fields, {place}) = 'array' AND EXISTS ({members}))", [value]


def _compared(parts: Sequence[str], op: str, value: Any) -> Term:
    if value is None:
        return _has_kind(parts, value), []
    return f"({_has_kind(parts, value)} AND {key(*parts)} {'=' if op == '==' else op} ?)", [_comparable(value)]


def _among(parts: Sequence[str], values: Sequence[Any]) -> Term:
    marks = ", ".join("?" for _ in values)
    return f"({_has_kind(parts, values[0])} AND {key(*parts)} IN ({marks}))", [_comparable(value) for value in values]


def _has_kind(parts: Sequence[str], value: Any) -> str:
    """True for documents whose value is comparable with this one: in SQL 1 equals true, and texts exceed numbers."""
    match value:
        case None:
            return f"json_type(fields, {json_path(*parts)}) = 'null'"
        case bool():
            return f"json_type(fields, {json_path(*parts)}) IN ('true', 'false')"
        case int() | float():
            return f"json_type(fields, {json_path(*parts)}) IN ('integer', 'real')"
        case datetime():
            return f"json_type(fields, {json_path(*parts, '__time__')}) = 'text'"
        case bytes():
            return f"json_type(fields, {json_path(*parts, '__bytes__')}) = 'text'"
        case _:
            return f"json_type(fields, {json_path(*parts)}) = 'text'"


def _comparable(value: Any) -> Any:
    """The value as the expression `key` gives it."""
    return to_json(value) if isinstance(value, (datetime, bytes)) else value
