"""The manifest's JSON Schema (schema.py)."""

from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from ruamel.yaml import YAML

import crm
from entracte.core.policy.text.schema import manifest_schema
from tests.core.policy.manifests import EXAMPLE, INVERSE, SNAPSHOT, read

CRM = Path(crm.__file__).with_name("policy.yaml").read_text("utf-8")


def valid(text):
    """Whether an editor would be content."""
    return Draft202012Validator(manifest_schema()).is_valid(YAML(typ="safe", pure=True).load(text))


def valid_rule(*lines):
    """Whether a manifest with this rule would be."""
    return valid("\n".join(["version: 1", "tools:", "  - match: it", *(f"    {line}" for line in lines)]))


def test_it_is_a_json_schema():
    """Of the draft that it names."""
    Draft202012Validator.check_schema(manifest_schema())


@pytest.mark.parametrize("text", [EXAMPLE, CRM], ids=["the design's", "the CRM's"])
def test_the_examples_are_valid_and_can_be_read(text):
    """With variables that are not filled in yet."""
    assert valid(text)
    assert read(text, CRM_TOKEN="t").rules


def test_every_key_is_described():
    """That is what an editor shows."""
    made = manifest_schema()
    for shape in (made, *made["$defs"].values()):
        assert {name for name, field in shape["properties"].items() if not field.get("description")} == set()


def test_variables_are_valid_where_they_may_stand():
    """Approvers and addresses differ between deployments."""
    text = """{version: 1, servers: {x: {url: "${URL}"}}, tools: [{match: a, class: readonly, approvers: ["%s"]}]}"""
    assert (valid(text % "${OPS}"), valid(text % "nobody")) == (True, False)


@pytest.mark.parametrize(
    "lines",
    [
        ["class: sometimes"],
        ["class: readonly", "idempotnet: true"],
        ["class: readonly", "gate:"],
        ["class: readonly", "timeout: 30"],
        ["class: readonly", "timeout: 30 s"],
        ["class: readonly", "quorum: 0"],
        ["class: reversible"],
        ["class: compensable"],
        ["class: readonly", "inverse: {tool: put}"],
        ["class: irreversible", "inverse: {tool: put}"],
        ["class: readonly", SNAPSHOT],
        ["class: irreversible", "ignore: [a]"],
        ["class: irreversible", SNAPSHOT, "merge: fields"],
        ["class: irreversible", "on_expiry: deny"],
        ["class: reversible", "inverse: {tool: 'put_*'}"],
    ],
)
def test_what_the_reader_refuses_an_editor_marks(lines):
    """As far as a schema can say it."""
    assert not valid_rule(*lines)
    assert valid_rule("class: reversible", SNAPSHOT, INVERSE, "ignore: [a]", "merge: fields", "gate: on_write")


@pytest.mark.parametrize(
    "server", ["{}", "{command: a, url: 'http://a'}", "{url: 'http://a', env: {A: b}}", "{command: 7}"]
)
def test_a_server_of_two_kinds_or_none_is_marked(server):
    """A command or a url."""
    assert not valid(f"{{version: 1, servers: {{x: {server}}}}}")
