"""Values as Firestore's protocol buffers, which are filled in place: wrapping them takes most of a commit's time."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from entracte.core.vector import Vector
from entracte.errors import CorruptDocument

RawValue = Any
"""A `google.firestore.v1.Value` without its wrapper. Such classes are made at run time and have no types."""

_VECTOR: Final = "__vector__"
"""How a map says that it is a vector. No map of ours has keys of this form (`entracte.core.values`)."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def encode_fields(target: Any, fields: Mapping[str, Any]) -> None:
    """Fill a message's map of fields."""
    for name, value in fields.items():
        encode(target[name], value)


def decode_fields(source: Any) -> dict[str, Any]:
    """Fields of a message's map.

    Raises:
        CorruptDocument: One of them is nothing that can be stored.
    """
    return {name: decode(value) for name, value in source.items()}


def encode(target: RawValue, value: Any) -> None:
    """Fill a message with a value as stores keep it (`entracte.core.values`)."""
    match value:
        case None:
            target.null_value = 0
        case bool():
            target.boolean_value = value
        case int():
            target.integer_value = value
        case float():
            target.double_value = value
        case str():
            target.string_value = value
        case bytes():
            target.bytes_value = value
        case datetime():
            since = value - _EPOCH
            target.timestamp_value.seconds = since.days * 86_400 + since.seconds
            target.timestamp_value.nanos = since.microseconds * 1000
        case list():
            target.array_value.SetInParent()  # an empty list is a list, too
            for item in value:
                encode(target.array_value.values.add(), item)
        case Vector():
            fields = target.map_value.fields
            fields["__type__"].string_value = _VECTOR
            fields["value"].array_value.SetInParent()
            for number in value.values:
                fields["value"].array_value.values.add().double_value = number
        case dict():
            target.map_value.SetInParent()
            encode_fields(target.map_value.fields, value)
        case _:
            raise TypeError(f"{type(value).__name__} is not a stored value")


def decode(source: RawValue) -> Any:
    """The value of a message; times cut to milliseconds. What only a person can have put there is shown as plain data.

    Raises:
        CorruptDocument: It is nothing that can be stored.
    """
    match kind := source.WhichOneof("value_type"):
        case "null_value":
            return None
        case "timestamp_value":
            time = source.timestamp_value
            return _EPOCH + timedelta(seconds=time.seconds, milliseconds=time.nanos // 1_000_000)
        case "array_value":
            return [decode(item) for item in source.array_value.values]
        case "map_value":
            fields = source.map_value.fields
            if "__type__" in fields and fields["__type__"].string_value == _VECTOR:
                return Vector(tuple(number.double_value for number in fields["value"].array_value.values))
            return decode_fields(source.map_value.fields)
        case "geo_point_value":
            return {"latitude": source.geo_point_value.latitude, "longitude": source.geo_point_value.longitude}
        case "boolean_value" | "integer_value" | "double_value" | "string_value" | "bytes_value" | "reference_value":
            return getattr(source, kind)
        case _:
            raise CorruptDocument(f"Firestore gave a value of the kind {kind}, which no document can hold.")
