"""Schemas reduced to what all services know (dialect.py)."""

import json
from enum import Enum
from typing import Annotated, Literal

import pytest
from hypothesis import assume, given, strategies as st
from jsonschema import Draft202012Validator
from pydantic import BaseModel, Field

from entracte.adapters.models.dialect import MAX_NODES, anything, for_gemini, is_strict, reduced, wire_name

STRING = {"type": "string"}
INTEGER = {"type": "integer"}
OBJECT = {"type": "object"}
LIST = {"type": "array", "items": STRING}
CLOSED = {"required": [], "additionalProperties": False}


class Tier(Enum):
    FREE = "free"
    PRO = "pro"


class Address(BaseModel):
    street: str
    zip: Annotated[str, Field(pattern=r"\d{5}", description="Five digits.")]


class Customer(BaseModel):
    name: Annotated[str, Field(min_length=1, max_length=100_000)]
    tier: Tier = Tier.FREE
    addresses: list[Address] = []
    size: tuple[int, str] = (0, "")
    kind: Literal["person", "firm"]
    note: str | None = None
    age: Annotated[int, Field(ge=0, lt=150)]


class Tree(BaseModel):
    name: str
    children: list["Tree"] = []


def test_a_pydantic_model_comes_out_without_references_and_unknown_keywords():
    """$ref is filled in; title, default, pattern and lengths that no grammar can count are left out."""
    address = {
        "type": "object",
        "properties": {"street": STRING, "zip": STRING | {"description": "Five digits."}},
        "required": ["street", "zip"],
        "additionalProperties": False,
    }
    assert reduced(Customer.model_json_schema()) == {
        "type": "object",
        "properties": {
            "name": STRING | {"minLength": 1},
            "tier": {"enum": ["free", "pro"], "type": "string"},
            "addresses": {"type": "array", "items": address},
            "size": {"type": "array", "prefixItems": [INTEGER, STRING]},
            "kind": {"enum": ["person", "firm"], "type": "string"},
            "note": {"anyOf": [STRING, {"type": "null"}]},
            "age": INTEGER | {"minimum": 0, "exclusiveMaximum": 150},
        },
        "required": ["name", "kind", "age"],
        "additionalProperties": False,
    }


def test_a_type_that_holds_itself_is_open_where_it_would_begin_again():
    """The value is checked against the full schema afterwards, so the grammar may be wider."""
    tree = reduced(Tree.model_json_schema())
    assert tree["properties"]["children"]["items"] == anything()
    assert not is_strict(tree)


@pytest.mark.parametrize(
    ("full", "expected"),
    [
        ({}, anything()),
        ({"description": "Anything."}, anything() | {"description": "Anything."}),
        (OBJECT, OBJECT),
        (OBJECT | {"properties": {}}, OBJECT | {"properties": {}} | CLOSED),
        ({"properties": {"a": True}, "required": ["b"]}, OBJECT | {"properties": {"a": anything()}} | CLOSED),
        (
            OBJECT | {"additionalProperties": INTEGER},
            OBJECT | CLOSED | {"properties": {}, "additionalProperties": INTEGER},
        ),
        ({"oneOf": [STRING, INTEGER]}, {"anyOf": [STRING, INTEGER]}),
        ({"enum": []}, anything()),
        ({"type": ["string", "null"], "pattern": "x"}, {"type": ["string", "null"]}),
        ({"const": 7}, {"const": 7, "type": "integer"}),
        ({"type": "integer", "minimum": 1.5}, INTEGER),
        ({"type": "string", "format": "email"}, STRING),
        ({"type": "string", "format": "date"}, STRING | {"format": "date"}),
        ({"type": "array"}, {"type": "array"}),
        (LIST | {"maxItems": 10**6, "minItems": 1, "uniqueItems": True}, LIST | {"minItems": 1}),
        ({"type": "string", "anyOf": [{"minLength": 1}, {"pattern": "x"}]}, STRING),
        ({"$ref": "https://example.com/schema.json"}, anything()),
        ({"$ref": "#/$defs/gone"}, anything()),
        ({"$ref": "#"}, anything()),
        ({"type": "text"}, anything()),
    ],
)
def test_what_a_service_may_not_know_is_left_out(full, expected):
    """Each of these is refused, or misread, by one service or another."""
    assert reduced(full) == expected


def test_an_object_takes_no_other_fields_unless_its_author_said_so():
    """A model must not make fields up."""
    fields = {"type": "object", "properties": {"a": STRING}}
    assert reduced(fields)["additionalProperties"] is False
    assert reduced(fields | {"additionalProperties": True})["additionalProperties"] is True
    assert reduced(fields | {"patternProperties": {"^x-": STRING}})["additionalProperties"] is True


def test_the_parts_of_allof_become_one_object():
    """llama.cpp would make all fields of all parts required."""
    parts = [{"properties": {"a": STRING}, "required": ["a"]}, {"$ref": "#/$defs/b"}]
    whole = {"allOf": parts, "description": "Both.", "$defs": {"b": {"type": "object", "properties": {"b": INTEGER}}}}
    assert reduced(whole) == {
        "type": "object",
        "properties": {"a": STRING, "b": INTEGER},
        "required": ["a"],
        "additionalProperties": False,
        "description": "Both.",
    }


def test_one_open_part_of_allof_leaves_the_whole_open():
    """The other part's fields were closed by us, not by its author."""
    parts = [{"properties": {"a": STRING}, "additionalProperties": True}, {"properties": {"b": STRING}}]
    assert reduced({"allOf": parts})["additionalProperties"] is True


def test_alternatives_that_only_ask_for_fields_do_not_hide_the_fields():
    """`anyOf: [{required: [a]}, {required: [b]}]` is how many tools say that one of two arguments is needed."""
    either = {"properties": {"a": STRING, "b": STRING}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}
    assert reduced(either)["properties"] == {"a": STRING, "b": STRING}


def test_references_that_multiply_end_at_a_bound():
    """Thirty definitions, each with two of the next, would be a thousand million schemas."""
    defs = {f"d{n}": {"properties": {side: {"$ref": f"#/$defs/d{n + 1}"} for side in "ab"}} for n in range(30)}
    text = json.dumps(reduced({"$ref": "#/$defs/d0", "$defs": defs | {"d30": STRING}}))
    assert len(text) < 300 * MAX_NODES


def test_a_schema_without_end_ends():
    """Deeper than any value may be."""
    deep: dict = {}
    for _ in range(200):
        deep = {"type": "array", "items": deep}
    assert json.dumps(reduced(deep)).count("items") < 30


@pytest.mark.parametrize(
    ("schema", "strict"),
    [
        ({"properties": {"a": STRING}, "required": ["a"]}, True),
        ({"properties": {"a": STRING}}, False),
        ({"properties": {"a": {}}, "required": ["a"]}, False),
        ({"properties": {"a": STRING}, "required": ["a"], "additionalProperties": True}, False),
        ({"properties": {"a": {"type": "array", "items": STRING}}, "required": ["a"]}, True),
        ({"properties": {"a": {"type": "array"}}, "required": ["a"]}, False),
        ({"properties": {"a": {"anyOf": [STRING, {"type": "null"}]}}, "required": ["a"]}, True),
        ({"properties": {"a": STRING | {"maxLength": 9}}, "required": ["a"]}, False),
    ],
)
def test_strict_is_asked_for_only_where_the_whole_schema_allows_it(schema, strict):
    """OpenAI refuses a strict schema with an optional or an open field."""
    assert is_strict(reduced(schema)) is strict


def test_a_dot_in_a_name_travels_as_two_underscores():
    """`server.tool` is how tools of MCP servers are named."""
    assert wire_name("crm.update_customer") == "crm__update_customer"


_SCHEMAS = st.recursive(
    st.sampled_from([{}, True, STRING, INTEGER, {"type": "null"}, {"const": 1}, {"enum": ["a", 1]}, {"minLength": 2}]),
    lambda inner: st.one_of(
        st.builds(lambda items: {"type": "array", "items": items}, inner),
        st.builds(lambda options: {"anyOf": options}, st.lists(inner, min_size=1, max_size=3)),
        st.builds(lambda parts: {"allOf": parts}, st.lists(inner, min_size=1, max_size=3)),
        st.builds(lambda a, b: OBJECT | {"properties": {"a": a, "b": b}, "required": ["a"]}, inner, inner),
    ),
    max_leaves=8,
)
_VALUES = st.recursive(
    st.sampled_from([None, 1, 2, "a", "bb", True]),
    lambda inner: st.lists(inner, max_size=2) | st.fixed_dictionaries({"a": inner}, optional={"b": inner}),
    max_leaves=6,
)


@given(_SCHEMAS, _VALUES)
def test_a_reduced_schema_allows_what_the_full_one_allows(schema, value):
    """It may steer less, but it must never forbid a right answer."""
    assume(Draft202012Validator(schema).is_valid(value))
    assert Draft202012Validator(reduced(schema)).is_valid(value)


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"const": "free", "type": "string"}, {"enum": ["free"], "type": "string"}),
        ({"const": None, "type": "null"}, {"type": "null"}),
        ({"enum": ["a", None]}, {}),
        ({"type": "string", "minLength": 1, "maxLength": 9}, {"type": "string"}),
        ({"type": "integer", "exclusiveMinimum": 0, "maximum": 9}, {"type": "integer", "maximum": 9}),
        (anything() | {"description": "Whatever."}, {"description": "Whatever."}),
        (
            {"type": "array", "items": {"const": 1}, "maxItems": 3},
            {"type": "array", "items": {"enum": [1]}, "maxItems": 3},
        ),
        (
            {"type": "object", "properties": {"const": {"const": "a"}}, "additionalProperties": {"maxLength": 1}},
            {"type": "object", "properties": {"const": {"enum": ["a"]}}, "additionalProperties": {}},
        ),
        ({"anyOf": [{"const": "a"}, {"type": "null"}]}, {"anyOf": [{"enum": ["a"]}, {"type": "null"}]}),
    ],
)
def test_gemini_is_told_what_it_knows_and_nothing_else(schema, expected):
    """Constants as enumerations; the rest is checked by us afterwards. A field may be called as a keyword is."""
    assert for_gemini(schema) == expected
