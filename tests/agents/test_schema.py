"""Schemas of inputs and outputs, and keys of state (agents/schema.py, agents/state.py)."""

import pytest
from pydantic import BaseModel

from entracte.agents import Key, State
from entracte.agents.schema import json_schema
from entracte.core.state import DEFAULT_KEYS
from entracte.core.validation import explain, faults, schema_fault


class Row(BaseModel):
    name: str
    tier: int = 1


def test_a_pydantic_model_is_its_schema():
    """As pydantic writes it."""
    assert json_schema(Row, "x") == Row.model_json_schema()


def test_a_json_schema_is_taken_as_it_is():
    """Whatever of its words is there."""
    for schema in (
        {"type": "object"},
        {"enum": [1, 2]},
        {"anyOf": [{"type": "null"}]},
        {"$ref": "#/$defs/a", "$defs": {"a": {}}},
    ):
        assert json_schema(schema, "x") == schema


@pytest.mark.parametrize(
    ("example", "good", "bad"),
    [
        ({"n": 1}, {"n": 2}, {"n": 2.5}),
        ({"n": 1.5}, {"n": 2}, {"n": "2"}),
        ({"ok": True}, {"ok": False}, {"ok": 1}),
        ({"s": "A | B"}, {"s": "B"}, {"s": "C"}),
        ({"s": "any words"}, {"s": ""}, {"s": None}),
        ({"rows": [{"a": 1}]}, {"rows": []}, {"rows": [{"a": "x"}]}),
        ({"rows": []}, {"rows": [1, "x"]}, {"rows": {}}),
        ({"a": {"b": 1}}, {"a": {"b": 2}}, {"a": {}}),
        ({"any": None}, {"any": [1]}, {}),
        ({"a": 1}, {"a": 1}, {"a": 1, "b": 2}),
    ],
)
def test_an_example_is_a_schema(example, good, bad):
    """Of the values' types; all of its fields are required, and no others allowed."""
    schema = json_schema(example, "x")
    assert explain(good, schema) == ""
    assert explain(bad, schema) != ""


def test_an_examples_words_describe_the_field():
    """A text says what is wanted."""
    assert json_schema({"why": "one sentence"}, "x")["properties"]["why"] == {
        "type": "string",
        "description": "one sentence",
    }


def test_faults_name_their_places_in_order_and_are_bounded():
    """A model can act on five; a caller is shown the first."""
    schema = json_schema({"rows": [{"n": 1}]}, "x")
    found = faults({"rows": [{"n": "x" * 1000}] * 9}, schema)
    assert [pointer for pointer, _ in found] == [f"/rows/{n}/n" for n in range(5)]
    assert max(len(words) for _, words in found) == 301
    assert explain({"rows": {}}, schema) == '/rows: {} is not of type "array"'


class Cases(State):
    cases = Key(scope="global", prefix="C", description="Open cases.", how_to="One an item.")
    goals = Key(scope="local", prefix="G", description="Other words.", how_to="Otherwise.")
    questions = None


class More(Cases):
    papers = Key(scope="global", prefix="P", description="Papers.", how_to="One an item.")
    questions = DEFAULT_KEYS["questions"]


def test_keys_are_added_changed_and_left_out_by_subclassing():
    """The defaults come first; a later class has the last word."""
    assert State.keys() == dict(DEFAULT_KEYS)
    assert list(Cases.keys()) == ["facts", "evidences", "vars", "goals", "tasks", "decisions", "cases"]
    assert Cases.keys()["goals"].description == "Other words."
    assert list(More.keys()) == [*DEFAULT_KEYS, "cases", "papers"]


@pytest.mark.parametrize("value", ["\ud800", {1: "a"}], ids=["text", "key"])
def test_a_value_that_is_no_json_is_a_fault_and_no_crash(value: object):
    """As a lone surrogate in a file's name would be."""
    ((pointer, words),) = faults(value, {})
    assert (pointer, words.partition(":")[0]) == ("", "it is not JSON")


def test_a_reference_to_another_address_is_never_fetched():
    """Schemas come from foreign servers, and whoever serves the address would see who asks."""
    assert "http://127.0.0.1:1/x" in schema_fault({"$ref": "http://127.0.0.1:1/x"})
