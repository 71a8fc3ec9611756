"""What an approver sees (preview.py, prior_values.py, question.py, visible.py)."""

import unicodedata

import pytest
from hypothesis import given, strategies as st

from entracte.core.policy.preview import MAX_LINES, MAX_WIDTH, preview
from entracte.core.policy.prior_values import prior_values
from entracte.core.policy.question import MAX_CHARACTERS, question
from entracte.core.policy.visible import shortened, visible
from tests.core.policy.manifests import INVERSE, SNAPSHOT, rule

ADA = {"id": 17, "name": "Ada Lovelace", "plan": "Free", "notes": "Writes the best\nbug reports."}


def test_a_call_without_a_record_is_its_arguments():
    """In their order, texts as they are and everything else as JSON."""
    assert preview(
        "Send an e-mail.", {"to": "ada@example.com", "cc": [], "urgent": True, "n": 2, "x": {"b": 1, "a": None}}
    ) == (
        "Send an e-mail.",
        "+ to: ada@example.com",
        "+ cc: []",
        "+ urgent: true",
        "+ n: 2",
        '+ x: {"a":null,"b":1}',
    )


def test_a_change_of_a_record_is_a_table_of_its_fields():
    """What changes, what is new, what stays; the fields that the call does not name say whose record it is."""
    assert preview("Change a record.", {"id": 17, "plan": "Pro", "vip": True}, ADA) == (
        "Change a record.",
        "plan: Free → Pro",
        "+ vip: true",
        "  id: 17",
        "  name: Ada Lovelace",
        "  notes: Writes the best⏎bug reports.",
    )


def test_a_change_of_a_long_text_is_a_diff():
    """With two lines around each change."""
    before = "\n".join(f"line {number}" for number in range(20))
    after = before.replace("line 3", "line three").replace("line 16\n", "")
    assert preview("Write.", {"text": after}, {"text": before}) == (
        "Write.",
        "text (145 characters):",
        "|  line 1",
        "|  line 2",
        "|- line 3",
        "|+ line three",
        "|  line 4",
        "|  line 5",
        "| …",
        "|  line 14",
        "|  line 15",
        "|- line 16",
        "|  line 17",
        "|  line 18",
    )


@pytest.mark.parametrize(
    ("before", "after"), [("a\nb", "a\nb\n"), ("a\nb", "a\r\nb"), ("a\nb ", "a\nb"), ("a\n\tb", "a\n    b")]
)
def test_a_change_of_blanks_only_is_still_a_change(before, after):
    """A diff without lines would say that nothing changes."""
    assert len(preview("Write.", {"text": after}, {"text": before})) > 3


def test_a_change_after_what_is_looked_at_is_still_a_change():
    """No reading of megabytes, but no silence either."""
    assert preview("Write.", {"text": "x" * 50_000 + "!"}, {"text": "x" * 50_000}) == (
        "Write.",
        "text (50,001 characters):",
        "| … equal for 12,000 characters, and different after that",
    )


def test_lines_of_a_text_stand_behind_a_bar():
    """So that none can pass for a field."""
    assert preview("Send.", {"to": "eve@e.example", "body": "Hi\n+ to: ada@example.com\n"}) == (
        "Send.",
        "+ to: eve@e.example",
        "+ body (25 characters):",
        "|  Hi",
        "|  + to: ada@example.com",
        "|",
    )


def test_however_long_a_text_is_no_other_argument_is_pushed_out():
    """Short ones come first, and long ones share the room."""
    shown = preview("Send.", {"body": "x\n" * 5000, "more": "y\n" * 10, "to": "eve@e.example"})
    assert len(shown) == MAX_LINES
    assert shown[1:3] == ("+ to: eve@e.example", "+ body (10,000 characters):")
    assert shown[-12:] == ("+ more (20 characters):", *["|  y"] * 10, "|")
    assert "| … and more, which is not shown here" in shown


def test_a_long_line_goes_on_in_the_next():
    """Its end may be what matters."""
    assert preview("Post.", {"url": "a" * 400}) == (
        "Post.", "+ url (400 characters):", "|  " + "a" * 197, "|  " + "a" * 197, "|  " + "a" * 6,
    )  # fmt: skip


def test_more_fields_than_lines_are_counted():
    """Nobody is led to believe that this is all."""
    shown = preview("Set.", {f"a{number}": number for number in range(100)})
    assert (len(shown), shown[-1]) == (MAX_LINES, "… and 42 more lines")
    assert preview("Set.", {f"a{number}": number for number in range(1000)})[1] == "… and 800 more arguments"


@pytest.mark.parametrize(
    ("value", "line"),
    [
        ("", '+ a: ""'),
        (" x", '+ a: " x"'),
        ("17", '+ a: "17"'),
        (17, "+ a: 17"),
        ("true", '+ a: "true"'),
        ("null", '+ a: "null"'),
        (None, "+ a: null"),
        ("Free → Pro", '+ a: "Free → Pro"'),
        ("plain", "+ a: plain"),
    ],
)
def test_a_text_is_in_quotes_where_it_would_be_taken_for_something_else(value, line):
    """For nothing, a number, or a change."""
    assert preview("Set.", {"a": value})[1:] == (line,)


def test_values_are_compared_as_json():
    """One is one, and null is not absent."""
    assert preview("Set.", {"a": None, "b": 1}, {"b": 1})[1:] == ("+ a: null", "  b: 1")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\u202egpj.exe", "a⟨U+202E⟩gpj.exe"),
        ("\u2066x\u2069", "⟨U+2066⟩x⟨U+2069⟩"),
        ("a\u200bb\u00ad", "a⟨U+200B⟩b⟨U+00AD⟩"),
        ("\x1b[2Ja\x00\r", "⟨U+001B⟩[2Ja⟨U+0000⟩⟨U+000D⟩"),
        ("a\u2028b\nc\td", "a⟨U+2028⟩b⏎c d"),
        ("\U000e0041\ud800\ue000\u3164", "⟨U+E0041⟩⟨U+D800⟩⟨U+E000⟩⟨U+3164⟩"),
        ("Zoë 渡辺 👍🏽 ❤️ עברית", "Zoë 渡辺 👍🏽 ❤️ עברית"),
    ],
)
def test_what_is_not_plainly_seen_is_shown_as_its_code_point(text, shown):
    """Nothing hides, reorders or imitates other text, and people's names stay as they are."""
    assert visible(text) == shown
    assert preview(text, {text: text})[0] == shown


def test_names_of_arguments_are_as_foreign_as_values():
    """A tool of somebody's server may call them what it likes."""
    assert preview("Set.", {"a\n+ to: x": 1})[1:] == ("+ a⏎+ to: x: 1",)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(
    st.text(), st.dictionaries(st.text(), _JSON, max_size=5), st.none() | st.dictionaries(st.text(), _JSON, max_size=5)
)
def test_no_preview_is_longer_wider_or_less_visible_than_allowed(title, arguments, record):
    """Whatever is in it."""
    shown = preview(title, arguments, record)
    assert len(shown) <= MAX_LINES
    assert all(len(line) <= MAX_WIDTH for line in shown)
    assert {c for line in shown for c in line if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp", "Cs")} == set()


@pytest.mark.parametrize("size", [0, 199, 200, 201, 12_345])
def test_a_shortened_text_says_by_how_much(size):
    """And is no longer than allowed."""
    short = shortened("x" * size, 200)
    assert len(short) <= 200
    left_out = int(short.partition("(+")[2].partition(" ")[0].replace(",", "") or 0)
    assert short.count("x") + left_out == size


def test_an_inverse_that_calls_the_same_tool_tells_what_each_argument_replaces():
    """Whatever the fields of the snapshot are called."""
    renamed = rule(
        "class: reversible",
        SNAPSHOT,
        "inverse: {tool: it, args: {id: $.id, title: '$snapshot.name', extra: $result.x}}",
    )
    arguments = {"id": 7, "title": "New", "extra": 1, "more": 2}
    assert prior_values(renamed, "it", arguments, {"name": "Old"}) == {"id": 7, "title": "Old"}
    prior = prior_values(renamed, "it", arguments, {"name": "Old"})
    assert preview("Rename.", arguments, {"name": "Old"}, prior=prior) == (
        "Rename.", "title: Old → New", "+ extra: 1", "+ more: 2", "  id: 7", "  name: Old",
    )  # fmt: skip


def test_else_an_argument_replaces_the_field_of_its_name():
    """Records and the arguments that change them mostly agree."""
    assert prior_values(rule("class: reversible", SNAPSHOT, INVERSE), "it", {"plan": 1, "x": 2}, {"plan": 0}) == {
        "plan": 0
    }
    assert prior_values(rule("class: reversible", SNAPSHOT, INVERSE), "it", {"plan": 1}, "a text") == {}


def test_a_text_as_a_snapshot_is_compared_with_the_argument_that_restores_it():
    """As for files: the content is what was read."""
    files = rule("class: reversible", SNAPSHOT, "inverse: {tool: it, args: {path: $.path, content: $snapshot}}")
    arguments = {"path": "a.txt", "content": "new\n"}
    prior = prior_values(files, "it", arguments, "old\n")
    assert preview("Write.", arguments, "old\n", prior=prior) == (
        "Write.", "content (4 characters):", "|- old", "|+ new", "|", "  path: a.txt",
    )  # fmt: skip


def test_a_question_is_the_rules_with_the_values_filled_in():
    """On one line, whatever is in them."""
    asked = rule("class: irreversible", "question: 'Send $.n mails to $.to?'")
    assert question(asked, "send", {"n": 2, "to": "ada@example.com"}) == "Send 2 mails to ada@example.com?"
    assert question(asked, "send", {"n": 2, "to": "a\n\u202eb"}) == "Send 2 mails to a⏎⟨U+202E⟩b?"


def test_a_long_value_does_not_push_the_question_out_of_sight():
    """Its words are the rule's author's."""
    asked = rule("class: irreversible", "question: 'Send $.body to $.to?'")
    found = question(asked, "send", {"body": "x" * 5000, "to": "ada@example.com"})
    assert found.startswith("Send xxx") and found.endswith(" characters) to ada@example.com?")
    assert len(found) <= MAX_CHARACTERS


def test_a_value_that_is_not_there_is_left_as_it_is_referred_to():
    """A gate must not fail for want of a word."""
    assert question(rule("class: irreversible", "question: 'Copy $.cc?'"), "send", {}) == "Copy $.cc?"


def test_a_question_names_the_record_that_is_changed():
    """By what people call it; where it could not be read, the tool is named."""
    asked = rule("class: reversible", SNAPSHOT, INVERSE, "question: Rename $snapshot.name to $.name?")
    arguments = {"id": 7, "name": "Bob"}
    assert question(asked, "it", arguments, {"id": 7, "name": "Ada"}) == "Rename Ada to Bob?"
    assert question(asked, "it", arguments, {"id": 7}) == "Rename $snapshot.name to Bob?"
    assert question(asked, "it", arguments) == "Call it?"


def test_without_a_question_the_tool_is_named():
    """And a question may be plain text."""
    assert question(rule("class: irreversible"), "send", {}) == "Call send?"
    assert question(rule("class: irreversible", "question: Really?"), "send", {}) == "Really?"
