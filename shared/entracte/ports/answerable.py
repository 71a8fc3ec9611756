"""What may be asked of a store. Every adapter asks here before it does anything, so that all refuse alike."""

from __future__ import annotations

import re
from typing import Any, get_args

from msgspec.structs import replace

from entracte.core.paths import check_collection, check_document, split
from entracte.core.values import FIELD, MAX_DIMENSIONS, plain_scalar
from entracte.errors import InvalidInput
from entracte.ports.store import Op, Query, Where

MAX_LIMIT = 1000
MAX_ALTERNATIVES = 30
"""Values of one `in` (Firestore's limit)."""

_OPS: frozenset[str] = frozenset(get_args(Op))
_INEQUALITIES = _OPS - {"==", "in", "has"}
_KEY = re.compile(r"(?!__.*__\Z)[^.`\"\\\x00-\x1f\x7f\ud800-\udfff]{1,200}")


def answerable(query: Query) -> Query:
    """The same query with values as stores keep them, and with the order that an empty `order_by` means.

    Raises:
        InvalidInput: A query that some store could not answer.
    """
    check_collection(query.collection)
    if query.parent is not None:
        check_document(query.parent)
    if not 1 <= query.limit <= MAX_LIMIT:
        raise _refused(f"limit {query.limit}; expected 1 to {MAX_LIMIT:,}")
    where = tuple(_condition(condition) for condition in query.where)
    ranges = {condition.field for condition in where if condition.op in _INEQUALITIES}
    if len(ranges) > 1:
        raise _refused(f"inequalities on {', '.join(sorted(ranges))}; expected one field at most")
    order_by = query.order_by or next(iter(ranges), "")
    if order_by:
        field_parts(order_by)
    if ranges and order_by not in ranges:
        raise _refused(f"an inequality on {ranges.pop()} in the order of {order_by}; expected the same field")
    if query.descending and not order_by:
        raise _refused("descending order of paths; expected order_by, or ascending order")
    if query.near is not None:
        _check_near(query, where)
    return replace(query, where=where, order_by=order_by, after=_cursor(query, order_by))


def _check_near(query: Query, where: tuple[Where, ...]) -> None:
    assert query.near is not None
    field_parts(query.near.field)
    if query.parent is None or query.order_by or query.after or any(condition.op != "==" for condition in where):
        raise _refused("near and another order, page, comparison or every collection of a name; expected == only")
    if not 1 <= len(query.near.vector.values) <= MAX_DIMENSIONS or not query.near.vector.length:
        raise _refused(f"near a vector that has no direction, or not 1 to {MAX_DIMENSIONS:,} numbers")


def field_parts(field: str) -> list[str]:
    """A field and the keys inside it: ``metadata.ticket`` gives ``metadata`` and ``ticket``.

    Raises:
        InvalidInput: Not a field that can be asked for.
    """
    first, *keys = field.split(".")
    if not FIELD.fullmatch(first) or not all(_KEY.fullmatch(key) for key in keys):
        raise _refused(f"field {field!r}; expected a field, then keys without points, quotes or backslashes")
    return [first, *keys]


def _condition(condition: Where) -> Where:
    field_parts(condition.field)
    place = f"{condition.field} {condition.op}"
    if condition.op not in _OPS:
        raise _refused(f"operator {condition.op!r}; expected one of {', '.join(sorted(_OPS))}")
    if condition.op == "in":
        return replace(condition, value=_alternatives(place, condition.value))
    value = plain_scalar(place, condition.value)
    if condition.op == "has" and not isinstance(value, str):
        raise _refused(f"{place} {value!r}; expected a text")
    if value is None and condition.op != "==":
        raise _refused(f"{place} None; expected a value, since nothing is less or more than None")
    return replace(condition, value=value)


def _alternatives(place: str, values: Any) -> list[Any]:
    if not isinstance(values, (list, tuple)) or not 1 <= len(values) <= MAX_ALTERNATIVES:
        raise _refused(f"{place} {values!r}; expected a list of 1 to {MAX_ALTERNATIVES} values")
    plain = [plain_scalar(place, value) for value in values]
    if None in plain:
        raise _refused(f"{place} a list with None in it; expected values")
    return plain


def _cursor(query: Query, order_by: str) -> tuple[Any, str] | None:
    if query.after is None:
        return None
    value, path = query.after
    check_document(path)
    parent, collection, _ = split(path)
    if collection != query.collection or query.parent not in (None, parent):
        raise _refused(f"after {path}, which is not in the collection asked for")
    if not order_by:
        return None, path
    if (value := plain_scalar("after", value)) is None:
        raise _refused("after None; expected the value that the last document has in the field of order_by")
    return value, path


def _refused(what: str) -> InvalidInput:
    return InvalidInput(f"No store answers a query with {what}.", code="bad_query")
