"""What edits change, as people see it (core/editing/diff.py)."""

from difflib import unified_diff

import pytest
from hypothesis import given, settings, strategies as st

from entracte.core.editing.applying import apply_edits
from entracte.core.editing.diff import CONTEXT, diff_of_changes, diff_of_texts
from entracte.core.editing.edit import Edit
from entracte.errors import InvalidInput

TEN = "".join(f"{number}\n" for number in range(1, 11))


def diff_of(text, *edits):
    """The diff of edits, each a pair."""
    return list(diff_of_changes(text, apply_edits(text, [Edit(*edit) for edit in edits]).changes))


@pytest.mark.parametrize(
    ("text", "edits", "shown"),
    [
        (TEN, [("5\n", "five\n")], ["@@ -3,5 +3,5 @@", " 3", " 4", "-5", "+five", " 6", " 7"]),
        (TEN, [("5\n", "")], ["@@ -3,5 +3,4 @@", " 3", " 4", "-5", " 6", " 7"]),
        (TEN, [("5\n", "5\n5a\n")], ["@@ -4,4 +4,5 @@", " 4", " 5", "+5a", " 6", " 7"]),
        (TEN, [("5\n", "x")], ["@@ -3,6 +3,5 @@", " 3", " 4", "-5", "-6", "+x6", " 7", " 8"]),
        (TEN, [("10\n", "X\n")], ["@@ -8,3 +8,3 @@", " 8", " 9", "-10", "+X"]),
        (TEN, [("1\n2\n", "A\n")], ["@@ -1,4 +1,3 @@", "-1", "-2", "+A", " 3", " 4"]),
        (
            TEN,
            [("2\n", ""), ("9\n", "N\n")],
            ["@@ -1,4 +1,3 @@", " 1", "-2", " 3", " 4", "@@ -7,4 +6,4 @@", " 7", " 8", "-9", "+N", " 10"],
        ),
        ("a b c\n", [("a", "A"), ("c", "C")], ["@@ -1 +1 @@", "-a b c", "+A b C"]),
        ("", [("", "a\nb\n")], ["@@ -0,0 +1,2 @@", "+a", "+b"]),
        ("a\n", [("a\n", "")], ["@@ -1 +0,0 @@", "-a"]),
        ("a", [("a", "b")], ["@@ -1 +1 @@", "-a", "+b"]),
        ("a\r\nb\r\n", [("a\n", "c\n")], ["@@ -1,2 +1,2 @@", "-a", "+c", " b"]),
        ("a\r\nb\r\n", [("b\r\n", "b\n")], ["@@ -1,2 +1,2 @@", " a", "-b", "+b␊"]),
        ("a\nb\n", [("b\n", "b\r\n")], []),
        ("a\n", [("a", "a")], []),
    ],
)
def test_a_diff_shows_what_changes(text, edits, shown):
    """Whole lines, with what is around them, and only those that change."""
    assert diff_of(text, *edits) == shown


@given(st.lists(st.sampled_from("abcdef"), max_size=30), st.lists(st.sampled_from("abcdef"), max_size=30))
@settings(max_examples=200, deadline=None)
def test_a_diff_of_two_texts_leads_from_one_to_the_other(before, after):
    """Applied by its line numbers, it gives the second; and it says as little as Python's own."""
    old, new = ("".join(f"{line}\n" for line in lines) for lines in (before, after))
    shown = list(diff_of_texts(old, new))
    assert patched(before, shown) == after
    reference = [line for line in unified_diff(before, after, n=CONTEXT, lineterm="") if line[:3] not in ("---", "+++")]
    assert sum(line[0] in "+-" for line in shown) <= sum(line[0] in "+-" for line in reference) + 2


@given(
    st.text("ab\n", max_size=30),
    st.lists(st.tuples(st.text("ab\n", min_size=1, max_size=4), st.text("xy\n", max_size=3)), min_size=1, max_size=3),
)
@settings(max_examples=300, deadline=None)
def test_a_diff_of_edits_leads_from_one_text_to_the_other(text, edits):
    """Whatever the edits join, split, empty or end without a line ending."""
    try:
        edited = apply_edits(text, [Edit(*edit) for edit in edits])
    except InvalidInput:
        return
    shown = list(diff_of_changes(text, edited.changes))
    assert patched(text.splitlines(), shown) == edited.text.splitlines()


def patched(lines, diff):
    """The lines after a diff, which must fit them."""
    result, at = [], 0
    for line in diff:
        if line.startswith("@@"):
            start, _, length = line.split()[1][1:].partition(",")
            first = int(start) - (length != "0")
            result += lines[at:first]
            at = first
        else:
            if line[0] in " -":
                assert lines[at] == line[1:]
                at += 1
            if line[0] in " +":
                result.append(line[1:])
    return result + lines[at:]
