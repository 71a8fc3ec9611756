"""Replies from a script (scripted.py, script_rules.py, script_file.py, minimal.py)."""

import json
from pathlib import Path

import pytest

from entracte.adapters.models.dialect import reduced
from entracte.adapters.models.minimal import minimal
from entracte.adapters.models.scripted.model import Script
from entracte.core.asking.reply_schemas import evaluate_schema, interpret_schema
from entracte.core.modelling import Fault, ModelReply, Part, Usage, WantedCall
from entracte.core.state import DEFAULT_KEYS
from entracte.core.validation import explain
from entracte.errors import ConfigurationError, ModelRefused, TerminalError
from entracte.testing.scripted import ScriptedModel
from tests.models.requests import GET, PLAN, SEARCH, a_request

RESULTS = [{"call": "r.1.0", "tool": "crm.get_customer", "status": "ok", "result": {"name": "Ada", "plan": "pro"}}]
EVALUATE = evaluate_schema(DEFAULT_KEYS, ["r.1.0"])


def reply(rule, request):
    """What a script of one rule replies, usage aside."""
    given = ScriptedModel([rule]).generate(request, deadline_s=1)
    assert (given.served, given.usage.model_calls) == ("scripted", 1)
    return ModelReply(calls=given.calls, value=given.value, thought=given.thought, fault=given.fault)


def test_the_first_rule_that_fits_counts():
    """Agent, purpose, step, input and results must all fit; what a rule leaves out does not matter."""
    model = ScriptedModel(
        [
            {"when": {"agent": "sql"}, "reply": {"answer": "wrong agent"}},
            {"when": {"purpose": "route"}, "reply": {"answer": "wrong purpose"}},
            {"when": {"step": 2}, "reply": {"answer": "wrong step"}},
            {"when": {"input": "^Ada"}, "reply": {"answer": "wrong input"}},
            {"when": {"results": "denied"}, "reply": {"answer": "wrong results"}},
            {"when": {"agent": "desk", "purpose": "plan", "step": 1, "input": "(?i)ADA"}, "reply": {"answer": "right"}},
            {"reply": {"answer": "too late"}},
        ]
    )
    assert model.generate(a_request(), deadline_s=1).value == "right"
    assert model.requests == [a_request()]


def test_the_same_request_gets_the_same_reply_however_often_and_wherever():
    """Several processes, crashes and redeliveries see one and the same model."""
    rules = [{"when": {"step": 1}, "reply": {"answer": "one"}}, {"when": {"step": 2}, "reply": {"answer": "two"}}]
    first, second = ScriptedModel(rules), ScriptedModel(rules)
    requests = [a_request(step=step) for step in (2, 1, 2, 1)]
    assert [first.generate(each, deadline_s=1).value for each in requests] == ["two", "one", "two", "one"]
    assert second.generate(requests[0], deadline_s=1) == first.generate(requests[0], deadline_s=1)


def test_calls_and_thought_are_replied_as_they_stand():
    """Names as the network has them; unknown ones are the plan phase's business."""
    calls = [{"tool": "crm.search_customers", "args": {"query": "Ada"}}, {"tool": "fly"}]
    assert reply({"reply": {"thought": "Both.", "calls": calls}}, a_request(tools=(SEARCH, GET))) == ModelReply(
        calls=(WantedCall("crm.search_customers", {"query": "Ada"}), WantedCall("fly", {})), thought="Both."
    )


def test_a_reply_may_quote_the_request():
    """Only the model's words are scripted: what the tools returned is real."""
    rule = {
        "reply": {
            "verdicts": [{"call": "$results[0].call", "verdict": "ok", "note": "$input"}],
            "state": {"facts": ["$results[0].result.name is on $results[0].result.plan, for $$5."]},
        }
    }
    parts = (Part("input", "Which plan?"), Part("results", json.dumps(RESULTS)))
    assert reply(rule, a_request(purpose="evaluate", schema=EVALUATE, parts=parts)).value == {
        "verdicts": [{"call": "r.1.0", "verdict": "ok", "note": "Which plan?"}],
        "state": {"facts": ["Ada is on pro, for $5."]},
    }


def test_state_can_be_quoted_where_the_results_are_gone():
    """A plan sees only state; its newest fact is the last."""
    state = json.dumps({"facts": [{"id": "F_001", "text": "old"}, {"id": "F_002", "text": "new"}]})
    rule = {"reply": {"answer": "$state.facts[-1].text"}}
    assert reply(rule, a_request(parts=(Part("state", state),))).value == "new"


def test_an_input_that_is_json_can_be_looked_into():
    """A sub-agent may be asked with several values."""
    rule = {"reply": {"calls": [{"tool": "t", "args": {"id": "$input.id"}}]}}
    request = a_request(tools=(GET,), parts=(Part("input", '{"id": 7}'),))
    assert reply(rule, request).calls == (WantedCall("t", {"id": 7}),)


def test_a_quotation_of_what_is_not_there_names_rule_and_path():
    """So that the script can be corrected."""
    with pytest.raises(ModelRefused, match=r"script, reply 0: \$results\[1\]\.call cannot be resolved: .* has 1 items"):
        reply({"reply": {"answer": "$results[1].call"}}, a_request(parts=(Part("results", json.dumps(RESULTS)),)))


def test_what_a_value_leaves_out_is_filled_up():
    """An evaluation that only adds a fact need not list verdicts."""
    request = a_request(purpose="evaluate", schema=EVALUATE)
    assert reply({"reply": {"state": {"facts": ["Ada is on Pro."]}}}, request).value == {
        "verdicts": [],
        "state": {"facts": ["Ada is on Pro."]},
    }


@pytest.mark.parametrize(
    ("purpose", "schema", "value"),
    [
        ("interpret", interpret_schema(DEFAULT_KEYS, ["search"], []), {"goals": [], "tasks": []}),
        ("evaluate", EVALUATE, {"verdicts": [], "state": {}}),
        ("summarise", None, "(nothing scripted)"),
    ],
)
def test_what_nobody_scripted_is_answered_with_as_little_as_is_valid(purpose, schema, value):
    """A demo's script need not speak of interpreting and evaluating."""
    request = a_request(purpose=purpose, schema=schema)
    assert ScriptedModel([]).generate(request, deadline_s=1).value == value


def test_a_plan_that_nobody_scripted_is_an_error_that_says_what_to_add():
    """There is no harmless plan."""
    with pytest.raises(TerminalError) as caught:
        ScriptedModel([]).generate(a_request(step=3), deadline_s=1)
    assert str(caught.value) == (
        "script has no reply for agent 'desk', purpose 'plan', step 3, input 'Which plan is Ada on?'. "
        "Add a rule whose `when` fits them."
    )


def test_a_value_that_breaks_the_schema_is_malformed_as_with_any_model():
    """A script is no reason to skip the check."""
    fault = reply({"reply": {"answer": {"plan": "gold"}}}, a_request(schema=PLAN)).fault
    assert (fault.kind, "/plan" in fault.message) == ("malformed", True)


def test_calls_where_nothing_may_be_called_are_malformed():
    """On the last step there are no tools, and no real model could call one."""
    assert reply({"reply": {"calls": [{"tool": "t"}]}}, a_request()).fault == Fault(
        "malformed", "Nothing may be called here."
    )


@pytest.mark.parametrize("fault", ["empty", {"kind": "empty", "message": "Nothing."}])
def test_a_fault_can_be_scripted(fault):
    """To see how an agent recovers."""
    message = "Nothing." if isinstance(fault, dict) else "As the script has it."
    assert reply({"fault": fault}, a_request()).fault == Fault("empty", message)


def test_usage_is_guessed_from_the_lengths():
    """Budgets and displays want figures: four characters a token."""
    asked = "Help." + "<input>\n" + "x" * 400 + "\n</input>"
    usage = (
        ScriptedModel([{"reply": {"answer": "y" * 38}}])
        .generate(a_request(parts=(Part("input", "x" * 400),)), deadline_s=1)
        .usage
    )
    assert usage == Usage(prompt_tokens=len(asked) // 4, output_tokens=10, model_calls=1)


def test_a_function_can_take_the_place_of_rules():
    """For tests whose model must count, fail or wait."""
    model = ScriptedModel(lambda request: ModelReply(value=request.agent))
    assert model.generate(a_request(), deadline_s=1) == ModelReply(value="desk")


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ([{"reply": {"answer": 1}, "fault": "empty"}], "replies/0: Value error, give either reply or fault."),
        ([{"when": {}}], "replies/0: Value error, give either reply or fault."),
        ([{"reply": {"thought": "t"}}], "give calls, or answer, or the fields of the value"),
        ([{"reply": {"calls": [{"tool": "t"}], "answer": 1}}], "give calls, or answer, or the fields of the value"),
        ([{"reply": {"calls": [{"name": "t"}]}}], "replies/0"),
        (
            [{"when": {"agnet": "desk"}, "reply": {"answer": 1}}],
            "replies/0/when/agnet: Extra inputs are not permitted.",
        ),
        ([{"when": {"purpose": "guess"}, "reply": {"answer": 1}}], "replies/0/when/purpose"),
        ([{"when": {"input": "("}, "reply": {"answer": 1}}], "replies/0/when/input"),
        ([{"reply": {"answer": 1}}, {"reply": {"answer": "$result"}}], "reply 1: Malformed template at /answer"),
    ],
)
def test_what_is_no_script_is_refused_with_its_place(rules, message):
    """At once, not when the rule is first needed."""
    with pytest.raises(ConfigurationError) as caught:
        ScriptedModel(rules)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("script.yaml", 'version: 1\nreplies:\n  - when: {step: 1}\n    reply: {answer: "$input"}\n'),
        ("script.json", '{"version": 1, "replies": [{"reply": {"answer": "$input"}}]}'),
    ],
)
def test_a_script_is_read_from_a_file(tmp_path, monkeypatch, name, text):
    """From the current folder, in YAML or JSON."""
    Path(tmp_path, name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert Script.load(name).generate(a_request(), deadline_s=1).value == "Which plan is Ada on?"


def test_a_script_is_read_from_a_package(tmp_path, monkeypatch):
    """The demo's script lies beside its network."""
    package = tmp_path / "shop_with_script"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "demo.yaml").write_text("version: 1\nreplies: [{reply: {answer: Hello.}}]\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    assert Script.load("shop_with_script:demo.yaml").generate(a_request(), deadline_s=1).value == "Hello."


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.yaml", "version: 1\nreplies: [\n", "line 3, column 1"),
        ("a.yaml", "version: 1\nversion: 1\nreplies: []\n", "duplicate key"),
        ("a.yaml", "version: 2\nreplies: []\n", "a.yaml, version: Input should be 1."),
        ("a.yaml", "", "a.yaml, the top"),
        ("a.yaml", "version: 1\nreplies: [{reply: {answer: 2026-01-01}}]\n", "a value of type date"),
        ("a.json", "{", "line 1 column 2"),
        ("a.yaml", "#" * (1024 * 1024 + 1), "more than 1,048,576 characters"),
        ("gone.yaml", None, "gone.yaml' cannot be read"),
        ("no_such_package:a.yaml", None, "no_such_package"),
        ("entracte:gone.yaml", None, "entracte:gone.yaml"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_with_its_place(tmp_path, monkeypatch, name, text, message):
    """Line and column where the syntax is wrong, the path in the value where the content is."""
    monkeypatch.chdir(tmp_path)
    if text is not None:
        Path(name).write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError) as caught:
        Script.load(name)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"const": {"a": 1}},
        {"enum": ["b", "a"]},
        {"anyOf": [{"type": "integer", "minimum": 3}, {"type": "null"}]},
        {"type": "integer", "exclusiveMaximum": -5},
        {"type": "integer", "minimum": -9, "maximum": -7},
        {"type": "string", "minLength": 3},
        {"type": "string", "format": "date"},
        {"type": ["integer", "string"]},
        {"type": "boolean"},
        {"type": "number"},
        {"type": "array"},
        {"type": "array", "items": {"type": "string"}, "minItems": 2},
        {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "null"}]},
        {"type": "object"},
        {"type": "object", "properties": {"a": {"type": "integer"}, "b": {}}, "required": ["a"]},
    ],
)
def test_the_least_value_satisfies_its_schema(schema):
    """For every kind of schema that a reduction leaves."""
    assert explain(minimal(reduced(schema)), schema) == ""
