"""Templates in rules (template_faults.py); the language itself is tested in test_template.py."""

import pytest

from tests.core.policy.manifests import SNAPSHOT, rule, rule_faults

NOT_YET = "expected what is known before the call, which is $"


def test_arguments_may_be_any_json_with_references():
    """Types are kept, and keys are the tool's."""
    found = rule(
        "class: compensable",
        "inverse: {tool: put, args: {id: $result.id, tags: ['$.a', 2, null, {deep: true}], since: 2024-01-31, n: 1.5}}",
    ).inverse
    assert found is not None
    assert found.args.resolve({"$": {"a": "x"}, "$result": {"id": 7}}) == {
        "id": 7, "tags": ["x", 2, None, {"deep": True}], "since": "2024-01-31", "n": 1.5,
    }  # fmt: skip


def test_two_dollar_signs_are_a_literal_one_in_arguments_and_questions():
    """Everywhere, also in keys."""
    found = rule("class: irreversible", "snapshot: {tool: get, args: {$$a: $$5}}", "question: Spend $$5 on $.what?")
    assert found.snapshot is not None and found.snapshot.args.resolve({}) == {"$a": "$5"}
    assert found.question is not None and found.question.resolve({"$": {"what": "tea"}}) == "Spend $5 on tea?"


@pytest.mark.parametrize("root", ["$snapshot", "$result"])
def test_a_snapshot_can_only_refer_to_the_calls_arguments(root):
    """It is read before the call, so there is neither a result nor another snapshot."""
    assert rule_faults("class: irreversible", f"snapshot: {{tool: get, args: {{id: {root}.id}}}}") == [
        f"5:38: tools[0].snapshot.args.id: {root} is not known here, {NOT_YET}, found '{root}.id'"
    ]


def test_a_question_can_only_refer_to_what_is_known_before_the_call():
    """The record only where the rule says how it is read."""
    asked = "question: 'Change $result.name?'"
    assert rule_faults("class: irreversible", SNAPSHOT, asked) == [
        "6:15: tools[0].question: $result is not known here, expected what is known before the call, which are $ and "
        "$snapshot, found 'Change $result.name?'"
    ]
    asked = "question: 'Change $snapshot.name?'"
    assert rule("class: irreversible", SNAPSHOT, asked).question is not None
    assert rule_faults("class: irreversible", asked) == [
        "5:15: tools[0].question: $snapshot is not known here, expected a snapshot in this rule, for $snapshot to "
        "refer to, found 'Change $snapshot.name?'"
    ]


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("$.a..b", "'$.a..b' goes on with something else than .field, [0] or []"),
        ("$.a[x]", "'$.a[x]' goes on with something else than .field, [0] or []"),
        ("$.a.", "'$.a.' ends in a dot"),
        ("$reslut.id", "'$reslut' is nothing to refer to; known are $, $result, $snapshot"),
    ],
)
def test_malformed_paths_are_faults_at_their_place(path, why):
    """Found at the start, not by the undo that needs them."""
    assert rule_faults("class: compensable", f"inverse: {{tool: put, args: {{a: {{b: [x, '{path}']}}}}}}") == [
        f"5:44: tools[0].inverse.args.a.b[1]: a malformed template: {why}, "
        f"expected a reference such as $.id, or $$ for a dollar sign, found '{path}'"
    ]


def test_all_malformed_templates_of_a_rule_are_found():
    """Not only the first of each."""
    found = rule_faults(
        "class: compensable",
        "inverse: {tool: put, args: {a: $x, b: [$y], $z: 1}}",
        "snapshot: {tool: get, args: {a: $x}}",
        "question: $x",
    )
    assert [fault.partition(": ")[0] for fault in found] == ["5:36", "5:44", "5:49", "6:37", "7:15"]


def test_a_key_that_refers_to_something_is_a_fault():
    """Only values may."""
    [fault] = rule_faults("class: compensable", "inverse: {tool: put, args: {$.id: 1}}")
    assert fault.startswith(
        "5:33: tools[0].inverse.args.$.id: a malformed template: the key '$.id' refers to something"
    )


@pytest.mark.parametrize("number", [".nan", ".inf", "-.inf"])
def test_numbers_that_json_does_not_have_are_faults(number):
    """No tool could be given them."""
    [fault] = rule_faults("class: compensable", f"inverse: {{tool: put, args: {{a: {number}}}}}")
    assert fault.startswith("5:32: tools[0].inverse.args: Not a JSON value: ") and fault.endswith("found /a")
