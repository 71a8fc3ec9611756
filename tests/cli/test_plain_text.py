"""Text made safe to show (plain_text.py)."""

import json

from hypothesis import given, strategies as st

from entracte.cli.terminal.plain_text import call_line, json_text, one_line, plain

_HARMFUL = {*map(chr, range(0x20)), *map(chr, range(0x7F, 0xA0)), *"\u061c\u200e\u200f\u202a\u202e\u2066\u2069"} - {
    "\n",
    "\t",
}


def test_a_control_sequence_goes_as_a_whole():
    """In its 7-bit and 8-bit form: no remains of it are left in the text."""
    assert plain("\x1b]0;title\x07a\x1b[1;31mb\x9b0mc\x1b(B\x1bPq#0\x1b\\d") == "abcd"


def test_an_unended_sequence_hides_nothing():
    """Only its introducer goes, so what follows is still read."""
    assert plain("\x1b]0;all the rest is here") == "0;all the rest is here"


def test_a_carriage_return_overwrites_nothing():
    """What it would have overwritten stays, on a line of its own."""
    assert plain("rm -rf /\rls\r\n") == "rm -rf /\nls\n"


@given(st.text())
def test_no_control_character_is_left(text: str):
    """Whatever the text."""
    assert _HARMFUL.isdisjoint(plain(text))
    assert _HARMFUL.isdisjoint(one_line(text)) and "\n" not in one_line(text)


@given(st.recursive(st.none() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_json_is_safe_to_show_and_means_the_same(value: object):
    """What a terminal would obey is written as escapes."""
    shown = json_text(value)
    assert _HARMFUL.isdisjoint(shown)
    assert json.loads(shown) == value


def test_a_long_text_is_cut_and_says_so():
    """However long it is."""
    assert one_line("x" * 10, 10) == "x" * 10
    assert one_line("x" * 1_000_000, 10) == "x" * 9 + "…"


def test_a_call_is_written_as_one_would_write_it():
    """On one line, with its strings quoted."""
    assert call_line("search", {"query": 'say "hi"\n', "limit": 3}) == r'search(query="say \"hi\"\n", limit=3)'
