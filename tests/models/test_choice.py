"""What a model is asked to write (choice.py, prompt.py, notation.py)."""

import pytest
from jsonschema import Draft202012Validator

from entracte.adapters.models.choice import reply_schema
from entracte.adapters.models.dialect import is_strict, reduced
from entracte.adapters.models.notation import notation
from entracte.adapters.models.prompt import system_text, user_text
from entracte.core.modelling import Part
from tests.models.requests import GET, PLAN, SEARCH, a_request

CALL = {"tool": "crm__search_customers", "args": {"query": "Ada"}}


def allows(schema, value):
    """Whether a reply may be that value."""
    return Draft202012Validator(schema).is_valid(value)


@pytest.mark.parametrize("nested", [False, True])
def test_a_reply_either_calls_or_answers(nested):
    """Exactly one of the two, and never an argument that the tool does not take."""
    schema = reply_schema(a_request(tools=(SEARCH, GET), max_calls=2), nested=nested)

    def allowed(**choice):
        return allows(schema, {"thought": "t"} | ({"next": choice} if nested else choice))

    assert allowed(answer="Ada is on Pro.")
    assert allowed(calls=[CALL])
    assert allowed(calls=[CALL, {"tool": "crm__get_customer", "args": {"id": 7}}])
    assert not allowed()
    assert not allowed(answer="Pro", calls=[CALL])
    assert not allowed(calls=[])
    assert not allowed(calls=[CALL] * 3)
    assert not allowed(calls=[{"tool": "crm__get_customer", "args": {"query": "Ada"}}])
    assert not allowed(calls=[{"tool": "drop_tables", "args": {}}])


def test_the_answer_has_the_schema_that_the_request_gives():
    """An agent's output schema steers the answer beside the tools."""
    schema = reply_schema(a_request(tools=(SEARCH,), schema=PLAN))
    assert allows(schema, {"thought": "t", "answer": {"plan": "pro"}})
    assert not allows(schema, {"thought": "t", "answer": "pro"})


def test_without_tools_the_value_stands_alone():
    """The request's own schema, or plain text."""
    assert reply_schema(a_request(schema=PLAN)) == reduced(PLAN)
    assert reply_schema(a_request()) is None


def test_the_nested_form_can_be_enforced_to_the_letter_by_openai():
    """An object at the root, alternatives that differ in their first key, no lengths."""
    schema = reply_schema(a_request(tools=(SEARCH, GET)), nested=True)
    assert is_strict(schema)
    assert "properties" in schema
    assert [next(iter(option["properties"])) for option in schema["properties"]["next"]["anyOf"]] == ["calls", "answer"]


def test_the_prompt_names_the_tools_and_ends_with_the_form_of_the_reply():
    """A grammar alone does not tell a model what tools are for. What stays the same from step to step comes first."""
    request = a_request(tools=(SEARCH,), parts=(Part("step 1", "looked"), Part("input", "Which plan?")))
    assert (
        system_text(request)
        == """\
Help.

# Tools

## crm__search_customers
Find customers.
args: {"query": string}"""
    )
    assert (
        user_text(request)
        == """\
<step_1>
looked
</step_1>

<input>
Which plan?
</input>

Reply with one JSON object, in one of two forms.
To call tools, while something that a tool can find or do is missing: \
{"thought": "why, in one short sentence", "calls": [{"tool": "name of the tool", "args": {…}}]}
To finish, when nothing is missing: \
{"thought": "why, in one short sentence", "answer": "a full sentence to the user"}"""
    )


def test_the_form_in_the_prompt_is_the_form_that_is_enforced():
    """A model that is told one thing and held to another writes nonsense."""
    nested = user_text(a_request(tools=(SEARCH,), schema=PLAN), nested=True)
    assert '"next": {"answer": {"plan": "free" | "pro", "since"?: string}}' in nested
    assert user_text(a_request(schema=PLAN)).endswith('form: {"plan": "free" | "pro", "since"?: string}')
    assert user_text(a_request()).endswith("</input>")


def test_descriptions_of_arguments_are_told():
    """What an id looks like is in its description, nowhere else."""
    described = {"type": "object", "properties": {"id": {"type": "string", "description": "Such as c_001."}}}
    tool = type(GET)(name="get", description="Read.", parameters=described)
    assert '## get\nRead.\nargs: {"id"?: string}\n- id: Such as c_001.' in system_text(a_request(tools=(tool,)))


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ({"type": "integer"}, "integer"),
        ({}, "any"),
        ({"type": "object"}, "object"),
        ({"type": "object", "properties": {}}, "{}"),
        ({"type": "object", "additionalProperties": {"type": "number"}}, "{[name]: number}"),
        ({"const": "a"}, '"a"'),
        ({"enum": ["a", 1, None]}, '"a" | 1 | null'),
        ({"type": ["string", "null"]}, "string | null"),
        ({"type": "array"}, "array"),
        ({"type": "array", "items": {"type": "string"}}, "string[]"),
        ({"type": "array", "items": {"enum": ["a", "b"]}}, '("a" | "b")[]'),
        ({"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}]}, "[string, integer]"),
        ({"anyOf": [{"type": "string"}, {"type": "string"}, {"type": "null"}]}, "string | null"),
    ],
)
def test_a_schema_is_shown_as_a_short_type(schema, text):
    """In the manner of TypeScript, which small code models know well."""
    assert notation(reduced(schema)) == text


def test_where_a_call_is_required_there_is_nothing_else_to_choose():
    """Neither in the schema nor in the words."""
    request = a_request(tools=(SEARCH,), tool_choice="required")
    for nested in (False, True):
        schema = reply_schema(request, nested=nested)
        assert allows(schema, {"thought": "t", "calls": [CALL]})
        assert not allows(schema, {"thought": "t", "answer": "Ada is on Pro."})
        assert "answer" not in user_text(request, nested=nested)
    assert user_text(request).endswith(
        """\
Reply with one JSON object that calls tools: {"thought": "what has to be looked up or done first", \
"calls": [{"tool": "name of the tool", "args": {…}}]}"""
    )
    assert is_strict(reply_schema(request, nested=True))


@pytest.mark.parametrize(("step", "thought"), [(1, "why, in one short sentence"), (2, "what the results say about it")])
def test_after_the_first_step_the_thought_is_about_the_results(step, thought):
    """A small model that gives its reasons first has decided before it has read them."""
    text = user_text(a_request(tools=(SEARCH,), step=step))
    assert text.count(f'{{"thought": "{thought}", "') == text.count('"thought"') == 2
