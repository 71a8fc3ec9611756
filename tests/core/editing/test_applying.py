"""Edits of a text, case by case (core/editing/)."""

import pytest
from hypothesis import given, settings, strategies as st

from entracte.core.editing.applying import MAX_EDITS, apply_edits
from entracte.core.editing.diff import diff_of_changes
from entracte.core.editing.edit import Edit
from entracte.errors import InvalidInput

PYTHON = "def a():\n    if x:\n        return 1\n    return 2\n\n\ndef b():\n    return 3\n"
TABS = "def a():\n\tif x:\n\t\treturn 1\n\treturn 2\n"
CRLF = "one\r\ntwo\r\nthree\r\n"
JAPANESE = "第一章\n　雨が降っていた。\n　彼は傘を持たない。\n第二章\n"

# name: text, edits, text afterwards
APPLIED = {
    "a word": ("The sky is grey.", [("grey", "blue")], "The sky is blue."),
    "a whole line": ("a\nb\nc\n", [("b\n", "B\n")], "a\nB\nc\n"),
    "several lines": ("a\nb\nc\nd\n", [("b\nc", "B")], "a\nB\nd\n"),
    "a line more": ("a\nc\n", [("a\n", "a\nb\n")], "a\nb\nc\n"),
    "at the start": ("a\nb\n", [("a", "A")], "A\nb\n"),
    "at the end": ("a\nb\n", [("b\n", "B\n")], "a\nB\n"),
    "at the end without a line ending": ("a\nb", [("b", "B")], "a\nB"),
    "the whole text": ("a\nb\n", [("a\nb\n", "c\n")], "c\n"),
    "an empty text": ("", [("", "a\n")], "a\n"),
    "deleted words": ("a b c", [(" b", "")], "a c"),
    "a deleted line": ("a\nb\nc\n", [("b\n", "")], "a\nc\n"),
    "the last line deleted": ("a\nb\n", [("\nb", "")], "a\n"),
    "everything deleted": ("a\n", [("a\n", "")], ""),
    "two edits": ("a\nb\nc\n", [("a", "A"), ("c", "C")], "A\nb\nC\n"),
    "two edits from the end": ("a\nb\nc\n", [("c", "C"), ("a", "A")], "A\nb\nC\n"),
    "two edits side by side": ("abcd", [("ab", "AB"), ("cd", "CD")], "ABCD"),
    "what an edit wrote is not searched": ("a b", [("a", "b"), ("b", "c")], "b c"),
    "words swapped": ("left right", [("left", "right"), ("right", "left")], "right left"),
    "what stands there exactly goes before what nearly does": (" x\nx \n", [("x \n", "y\n")], " x\ny\n"),
    "a backslash and a dollar sign": (r"a\1$0", [(r"\1$0", r"\2$1")], r"a\2$1"),
    "Japanese": (JAPANESE, [("　雨が降っていた。\n", "　雪が降っていた。\n")], JAPANESE.replace("雨", "雪")),
    "Japanese without its wide blank": (
        JAPANESE,
        [("彼は傘を持たない。", "彼は傘をさす。")],
        JAPANESE.replace("を持たない", "をさす"),
    ),
    "Japanese lines without their wide blanks": (
        JAPANESE,
        [("雨が降っていた。\n彼は傘を持たない。\n", "雪が降っていた。\n彼は歩いた。\n")],
        "第一章\n　雪が降っていた。\n　彼は歩いた。\n第二章\n",
    ),
    "signs of several parts": ("Ada 👩‍💻 codes", [("👩‍💻", "👩🏽‍🔬")], "Ada 👩🏽‍🔬 codes"),
    "a line separator is no line ending": ("a\u2028b\nc\n", [("a\u2028b\n", "d\n")], "d\nc\n"),
    "CRLF, searched with LF": (CRLF, [("one\ntwo\n", "1\n2\n")], "1\r\n2\r\nthree\r\n"),
    "CRLF, searched with CRLF": (CRLF, [("one\r\ntwo", "1\r\n2")], "1\r\n2\r\nthree\r\n"),
    "CRLF, a word becomes two lines": (CRLF, [("two", "2a\n2b")], "one\r\n2a\r\n2b\r\nthree\r\n"),
    "CRLF, from the ending of a line on": (CRLF, [("\ntwo", "\n2")], "one\r\n2\r\nthree\r\n"),
    "CRLF, the last line deleted": (CRLF, [("three\n", "")], "one\r\ntwo\r\n"),
    "CRLF made LF by one who sees it": ("a\r\nb\r\n", [("a\r\n", "a\n")], "a\nb\r\n"),
    "LF, searched with CRLF": ("one\ntwo\n", [("one\r\ntwo\r\n", "1\r\n2\r\n")], "1\r\n2\r\n"),
    "old Macintosh endings": ("one\rtwo\r", [("one\ntwo\n", "1\n2\n")], "1\r2\r"),
    "mixed endings keep what is around": ("a\r\nb\nc\r\n", [("b\n", "B\n")], "a\r\nB\nc\r\n"),
    "trailing blanks in the text": ("a  \nb\t\nc\n", [("a\nb\n", "A\nB\n")], "A\nB\nc\n"),
    "trailing blanks in the snippet": ("a\nb\nc\n", [("a  \nb \n", "A\nB\n")], "A\nB\nc\n"),
    "trailing blanks in a blank line": ("a\n   \nb\n", [("a\n\nb", "A\n\nB")], "A\n\nB\n"),
    "an ending that the last line lacks": ("a\nb", [("b\n", "B\n")], "a\nB"),
    "less indentation": (
        PYTHON,
        [("if x:\n    return 1\n", "if y:\n    return 4\n")],
        PYTHON.replace("if x", "if y").replace("return 1", "return 4"),
    ),
    "more indentation": (
        PYTHON,
        [("            if x:\n                return 1", "            if x:\n                return 5")],
        PYTHON.replace("return 1", "return 5"),
    ),
    "no indentation at all": (
        PYTHON,
        [("if x:\nreturn 1\n", "if x:\nreturn 6\n")],
        PYTHON.replace("return 1", "return 6"),
    ),
    "blanks in place of tabs": (
        TABS,
        [("    if x:\n        return 1\n", "    if x:\n        if y:\n            return 7\n        return 1\n")],
        "def a():\n\tif x:\n\t\tif y:\n\t\t\treturn 7\n\t\treturn 1\n\treturn 2\n",
    ),
    "two blanks in place of a tab": (
        TABS,
        [("  if x:\n    return 1\n", "  if x:\n    if y:\n      return 7\n    return 1\n")],
        "def a():\n\tif x:\n\t\tif y:\n\t\t\treturn 7\n\t\treturn 1\n\treturn 2\n",
    ),
    "tabs in place of blanks": (
        PYTHON,
        [("\tif x:\n\t\treturn 1\n", "\tif x:\n\t\tif y:\n\t\t\treturn 8\n\t\treturn 1\n")],
        PYTHON.replace("        return 1\n", "        if y:\n            return 8\n        return 1\n"),
    ),
    "a replacement that is less deep": (
        PYTHON,
        [("        if x:\n            return 1\n", "    y = 1\n        if x:\n            return y\n")],
        PYTHON.replace("    if x:\n        return 1\n", "y = 1\n    if x:\n        return y\n"),
    ),
    "lines that stay keep their indentation": (
        "a:\n   odd\n    even\n",
        [("odd\neven\n", "odd\nnew\neven\n")],
        "a:\n   odd\n   new\n    even\n",
    ),
    "blank lines get no indentation": (
        PYTHON,
        [("if x:\n    return 1\n", "if x:\n\n    return 9\n")],
        PYTHON.replace("    if x:\n        return 1\n", "    if x:\n\n        return 9\n"),
    ),
    "a deletion that was indented otherwise": (
        PYTHON,
        [("if x:\n    return 1\n", "")],
        PYTHON.replace("    if x:\n        return 1\n", ""),
    ),
    "indentation and line endings": ("a:\r\n\tb\r\n\tc\r\n", [("  b\n  c\n", "  B\n  C\n")], "a:\r\n\tB\r\n\tC\r\n"),
}


@pytest.mark.parametrize("name", APPLIED)
def test_an_edit_applies(name):
    """Exactly where its snippet stands once, with what is around kept as it is."""
    text, edits, after = APPLIED[name]
    assert apply_edits(text, [Edit(*edit) for edit in edits]).text == after


# name: text, edits, the error
REFUSED = {
    "a snippet that is not there": (
        "a\nb\n",
        [("x\n", "y\n")],
        "Edit 1: 'x' is not there: copy the text exactly as it stands there.",
    ),
    "a snippet of which only the first line is there": (
        "a\nb\n  a\nc\n",
        [("a\nd\n", "e\n")],
        "Edit 1: 'a' is not there; its first line is, at line 1, 3, but what follows differs.",
    ),
    "a snippet that is there twice": (
        "a\nb\na\n",
        [("a", "c")],
        "Edit 1: 'a' stands there 2 times, at lines 1, 3: quote more of what is around the one that is meant.",
    ),
    "a snippet over itself": (
        "aaa",
        [("aa", "b")],
        "Edit 1: 'aa' stands there 2 times, at lines 1, 1: quote more of what is around the one that is meant.",
    ),
    "a snippet that is there too often to count": (
        "a\n" * 1000,
        [("a", "c")],
        "Edit 1: 'a' stands there more than 10 times, at lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10: "
        "quote more of what is around the one that is meant.",
    ),
    "a snippet that is there twice but for its indentation": (
        "if a:\n  return\nif b:\n    return\n",
        [("\treturn\n", "\tpass\n")],
        "Edit 1: '\\treturn' stands there 2 times, at lines 2, 4: quote more of what is around the one that is meant.",
    ),
    "words within a line, otherwise indented": (
        "    return total\n",
        [("\treturn tot", "\treturn t")],
        "Edit 1: '\\treturn tot' is not there: copy the text exactly as it stands there.",
    ),
    "blank lines": ("a\n\n\n\nb\n", [("  \n \n", "")], "Edit 1: '  \\n ' is not there: copy the text exactly"),
    "nothing to search for": (
        "a",
        [("", "b")],
        "Edit 1 has nothing to search for: quote the text that it replaces.",
    ),
    "edits over each other": ("abc\n", [("ab", "x"), ("bc", "y")], "Edits 1 and 2 overlap at line 1: make them one."),
    "an edit within another": (
        "a\nb\nc\n",
        [("b", "x"), ("a\nb\nc", "y")],
        "Edits 1 and 2 overlap at line 2: make them one.",
    ),
    "the same edit twice": ("a\n", [("a", "b"), ("a", "b")], "Edits 1 and 2 overlap at line 1: make them one."),
    "every fault is told": (
        "a\na\n",
        [("a", "b"), ("x", "y")],
        "Edit 1: 'a' stands there 2 times, at lines 1, 2: quote more of what is around the one that is meant. "
        "Edit 2: 'x' is not there: copy the text exactly as it stands there.",
    ),
    "no edits": ("a", [], "There are 0 edits; one call takes 1 to 100."),
    "too many edits": ("a", [("a", "b")] * (MAX_EDITS + 1), "There are 101 edits; one call takes 1 to 100."),
}


@pytest.mark.parametrize("name", REFUSED)
def test_an_edit_is_refused(name):
    """With its number, what is wrong, and where; and none of the others applies."""
    text, edits, told = REFUSED[name]
    with pytest.raises(InvalidInput) as error:
        apply_edits(text, [Edit(*edit) for edit in edits])
    assert error.value.message.startswith(told)
    assert (error.value.code, error.value.remedy) == ("edit_refused", "Nothing was changed.")


@pytest.mark.parametrize(
    ("text", "search", "how"),
    [
        ("a\nb\n", "a\nb\n", "exact"),
        ("a\r\nb\r\n", "a\nb\n", "line_endings"),
        ("a \r\nb\r\n", "a\nb\n", "trailing_blanks"),
        ("\ta \r\n\tb\r\n", "a\nb\n", "indentation"),
    ],
)
def test_how_it_was_found_is_told(text, search, how):
    """The strictest way that finds anything is the one that counts."""
    (change,) = apply_edits(text, [Edit(search, "c\n")]).changes
    assert (change.how, change.line) == (how, 1)


def test_places_are_those_of_the_text_as_it_was():
    """Lines are counted before any of the edits has moved them."""
    changes = apply_edits("a\nb\nc\n", [Edit("c", "C"), Edit("a\n", "")]).changes
    assert [(change.line, change.start, change.end) for change in changes] == [(1, 0, 2), (3, 4, 5)]


LINES = st.lists(st.sampled_from(["a", "b  ", "\tc", "    d", "", "　え", "x = 1"]), min_size=1, max_size=12)


@given(LINES, st.sampled_from(["\n", "\r\n"]), st.data())
@settings(max_examples=150, deadline=None)
def test_whatever_is_edited_the_rest_stays(lines, ending, data):
    """An edit of some lines leaves all characters before and after them as they are; or is refused."""
    text = ending.join(lines) + ending
    first = data.draw(st.integers(0, len(lines) - 1))
    last = data.draw(st.integers(first, len(lines) - 1))
    snippet = "\n".join(line.strip() for line in lines[first : last + 1]) + "\n"
    try:
        after = apply_edits(text, [Edit(snippet, "NEW\n")]).text
    except InvalidInput:
        return
    before, _, behind = after.partition("NEW")
    assert text.startswith(before.rstrip("\t 　"))
    assert text.endswith(behind)


def megabyte(line="value_{0} = compute({0})"):
    """A text of a megabyte, each line different."""
    return "".join(f"    {line.format(number)}\n" for number in range(1_000_000 // 32))


LARGE = {
    "at the start": (megabyte(), "    value_0 = compute(0)\n"),
    "in the middle": (megabyte(), "value_15000 = compute(15000)"),
    "at the end": (megabyte(), "    value_31249 = compute(31249)\n"),
    "CRLF": (megabyte().replace("\n", "\r\n"), "    value_7 = compute(7)\n    value_8 = compute(8)\n"),
    "other indentation": (megabyte(), "\tvalue_7 = compute(7)\n\tvalue_8 = compute(8)\n"),
    "a long snippet": (megabyte(), megabyte()[500_000 - 500_000 % 32 :].partition("\n")[2]),
    "one line of a megabyte": ("x" * 500_000 + "y" + "x" * 500_000, "xyx"),
}


@pytest.mark.parametrize("name", LARGE)
def test_a_megabyte_is_edited_in_linear_time(name):
    """Whatever has to be left out of account to find the place. A quadratic way would take hours, and be noticed."""
    text, snippet = LARGE[name]
    edited = apply_edits(text, [Edit(snippet, "")])
    assert len(edited.text) < len(text)
    assert len(list(diff_of_changes(text, edited.changes))) > 1
