"""Queries as messages."""

from __future__ import annotations

import re
from typing import Any, Final

from google.cloud.firestore_v1 import types

from entracte.adapters.gcp.firestore.values import encode
from entracte.ports.store import Near, Query, Where

_RunQueryRequest: Final = types.RunQueryRequest.pb()
_Direction: Final = types.StructuredQuery.Direction
_Unary: Final = types.StructuredQuery.UnaryFilter.Operator
_Operator: Final = types.StructuredQuery.FieldFilter.Operator
_OPERATORS: Final = {
    "==": _Operator.EQUAL,
    "in": _Operator.IN,
    "has": _Operator.ARRAY_CONTAINS,
    "<": _Operator.LESS_THAN,
    "<=": _Operator.LESS_THAN_OR_EQUAL,
    ">": _Operator.GREATER_THAN,
    ">=": _Operator.GREATER_THAN_OR_EQUAL,
}

_SIMPLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def query_request(documents: str, query: Query) -> types.RunQueryRequest:
    """A request for the documents of a query, which must be `answerable`.

    Args:
        documents: What the names of all documents begin with.
    """
    request = _RunQueryRequest(parent=documents if query.parent is None else f"{documents}/{query.parent}")
    target = request.structured_query
    target.from_.add(collection_id=query.collection, all_descendants=query.parent is None)
    filters = target.where.composite_filter.filters
    for condition in query.where:
        _fill_condition(filters.add(), condition)
    if query.order_by and not any(condition.field == query.order_by for condition in query.where):
        # Documents with None in the field are left out, as are those without it.
        _fill_unary(filters.add(), query.order_by, _Unary.IS_NOT_NULL)
    if filters:
        target.where.composite_filter.op = types.StructuredQuery.CompositeFilter.Operator.AND
    else:
        target.ClearField("where")
    if query.near is not None:
        _fill_near(target, query.near, query.limit)
    else:
        _fill_order(target, documents, query)
        target.limit.value = query.limit
    wrapped: types.RunQueryRequest = types.RunQueryRequest.wrap(request)
    return wrapped


def _fill_condition(target: Any, condition: Where) -> None:
    if condition.value is None:
        _fill_unary(target, condition.field, _Unary.IS_NULL)
        return
    target.field_filter.field.field_path = _field_path(condition.field)
    target.field_filter.op = _OPERATORS[condition.op]
    encode(target.field_filter.value, condition.value)


def _fill_unary(target: Any, field: str, op: int) -> None:
    target.unary_filter.field.field_path = _field_path(field)
    target.unary_filter.op = op


def _fill_near(target: Any, near: Near, limit: int) -> None:
    target.find_nearest.vector_field.field_path = _field_path(near.field)
    encode(target.find_nearest.query_vector, near.vector)
    target.find_nearest.distance_measure = types.StructuredQuery.FindNearest.DistanceMeasure.COSINE
    target.find_nearest.limit.value = limit


def _fill_order(target: Any, documents: str, query: Query) -> None:
    direction = _Direction.DESCENDING if query.descending else _Direction.ASCENDING
    fields = [*([_field_path(query.order_by)] if query.order_by else []), "__name__"]
    for field in fields:
        order = target.order_by.add(direction=direction)
        order.field.field_path = field
    if query.after:
        value, path = query.after
        if query.order_by:
            encode(target.start_at.values.add(), value)
        target.start_at.values.add(reference_value=f"{documents}/{path}")
        target.start_at.before = False


def _field_path(field: str) -> str:
    """``metadata.my-key`` as Firestore writes it: metadata.`my-key`. The parts hold no backticks or backslashes."""
    return ".".join(part if _SIMPLE.fullmatch(part) else f"`{part}`" for part in field.split("."))
