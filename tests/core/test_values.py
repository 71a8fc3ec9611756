"""Values that every store keeps alike (values.py). What is refused stands in the contract of stores."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given

from entracte.core.values import kind, plain_fields, plain_scalar
from entracte.errors import InvalidInput
from entracte.testing.store_value_contract import FIELDS, typed


class Moment(datetime):
    """A datetime of some library, such as Firestore's own with nanoseconds."""


@given(FIELDS)
def test_what_is_kept_is_kept_unchanged_a_second_time(fields: dict[str, Any]):
    """A document that was read can be written back."""
    once, size = plain_fields("things/a", fields)
    again, same_size = plain_fields("things/a", once)
    assert (typed(again), same_size) == (typed(once), size)


def test_what_is_kept_shares_nothing_with_what_was_given():
    """At no depth."""
    given: dict[str, Any] = {"list": [{"map": {}}]}
    kept, _ = plain_fields("things/a", given)
    given["list"][0]["map"]["late"] = 1
    given["list"].append(2)
    assert kept == {"list": [{"map": {}}]}


def test_every_time_becomes_a_plain_one_in_utc():
    """Cut, not rounded: a rounded one may lie in the future."""
    zone = timezone(timedelta(hours=9))
    kept = plain_scalar("due", Moment(2026, 12, 1, 0, 0, 0, 999_999, zone))
    assert (type(kept), kept) == (datetime, datetime(2026, 11, 30, 15, 0, 0, 999_000, UTC))


def test_a_text_counts_by_its_bytes():
    """As in Firestore."""
    (_, ascii_size), (_, wide_size) = (plain_fields("things/a", {"f": text}) for text in ("e" * 100, "é" * 100))
    assert wide_size - ascii_size == 100


def test_kinds_are_ordered_as_in_firestore():
    """https://firebase.google.com/docs/firestore/manage-data/data-types"""
    values = [{}, [], b"bytes", "text", datetime(2026, 11, 30, tzinfo=UTC), 7, True, None]
    assert sorted(values, key=kind) == values[::-1]
    assert kind(1) == kind(1.5) != kind(True)


def test_a_refusal_says_what_and_where():
    """The place as a JSON Pointer, whose signs are escaped."""
    with pytest.raises(InvalidInput) as refused:
        plain_fields("runs/r", {"metadata": {"a/b": [1, {"~": {2}}]}})
    assert str(refused.value) == "runs/r/metadata/a~1b/1/~0 cannot be stored: a set, which no store keeps."
    assert (refused.value.pointer, refused.value.code) == ("/metadata/a~1b/1/~0", "not_storable")


@pytest.mark.parametrize("name", [1, None, "__a__", "a.b"])
def test_a_field_that_no_store_could_name_is_refused(name: Any):
    """Whatever type it has."""
    with pytest.raises(InvalidInput, match="the field name"):
        plain_fields("things/a", {name: 1})
