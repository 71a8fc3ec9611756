"""Which rule counts for a tool (matching.py, manifest.py)."""

from fnmatch import translate
from re import fullmatch

import pytest
from hypothesis import given, strategies as st

from entracte.core.policy.manifest import UNMATCHED, UNMATCHED_READONLY
from entracte.core.policy.matching import matches, split_name
from tests.core.policy.manifests import read


def manifest(*patterns):
    """A manifest with a rule for each pattern."""
    return read("version: 1\ntools:\n" + "".join(f"  - {{match: '{p}', class: irreversible}}\n" for p in patterns))


@pytest.mark.parametrize(
    ("pattern", "name", "found"),
    [
        ("crm.send_mail", "crm.send_mail", True),
        ("crm.send_mail", "crm.send_mails", False),
        ("crm.send_mail", "xcrm.send_mail", False),
        ("crm.send_*", "crm.send_mail", True),
        ("crm.send_*", "crm.send_", True),
        ("crm.send_*", "crm.resend_mail", False),
        ("crm.*", "crm.users.list", False),
        ("crm.*.*", "crm.users.list", True),
        ("*", "search", True),
        ("*", "crm.search", False),
        ("*.*", "crm.search", True),
        ("*.delete_*", "crm.delete_user", True),
        ("c*m.s*d", "crm.send", True),
        ("a*b*c", "aXbYbZc", True),
        ("a*b*c", "aXcYb", False),
        ("crm.Send", "crm.send", False),
    ],
)
def test_patterns_are_anchored_and_a_star_is_a_run_of_non_dots(pattern, name, found):
    """Of any number of characters, also of none; case counts."""
    assert matches(pattern, name) is found


@given(st.text("ab*", min_size=1, max_size=8), st.text("ab", max_size=8))
def test_within_one_part_a_star_is_that_of_the_shell(pattern, name):
    """As `fnmatch` has it."""
    assert matches(pattern, name) is bool(fullmatch(translate(pattern), name))


def test_a_pattern_of_many_stars_takes_no_time():
    """Names come from foreign servers."""
    assert not matches("a*" * 60 + "b", "a" * 5000)


@pytest.mark.parametrize(
    ("patterns", "best"),
    [
        (["*.*", "crm.*", "crm.send_*", "crm.send_mail"], "crm.send_mail"),
        (["crm.send_mail", "*.*"], "crm.send_mail"),
        (["crm.*", "*.send_mail"], "*.send_mail"),
        (["c*m.send_*", "crm.send_*"], "crm.send_*"),
        (["crm.s*_mail", "crm.send_ma*"], "crm.send_ma*"),
        (["crm.s*nd_m*il", "crm.*nd_mail"], "crm.*nd_mail"),
        (["crm.*end_mail", "crm.send_mai*"], "crm.*end_mail"),
        (["crm.send_mai*", "crm.*end_mail"], "crm.send_mai*"),
    ],
    ids=["exact", "order is no matter", "longer", "longer 2", "more literals", "more literals 2", "first", "first 2"],
)
def test_most_literal_characters_then_fewer_wildcards_then_file_order(patterns, best):
    """So a general rule can stand anywhere."""
    assert manifest(*patterns).rule_for("crm.send_mail").match == best


def test_of_equally_many_literal_characters_fewer_wildcards_win():
    """The more exact of the two."""
    assert manifest("*ab*.x", "a*b.x").rule_for("ab.x").match == "a*b.x"


def test_a_tool_that_no_pattern_matches_is_irreversible_and_gated():
    """Forwarding an unknown destructive call silently is the one failure to avoid above all."""
    assert manifest("crm.*").rule_for("mail.send") == UNMATCHED
    assert (UNMATCHED.tool_class, UNMATCHED.gate) == ("irreversible", "always")


def test_a_tool_in_process_may_say_that_it_is_readonly():
    """Its author is the author of the network."""
    assert manifest("crm.*").rule_for("search", says_readonly=True) == UNMATCHED_READONLY


def test_what_a_server_says_of_its_tools_does_not_count():
    """A hint is not a promise."""
    assert manifest("search").rule_for("crm.search", says_readonly=True) == UNMATCHED


def test_a_rule_decides_whatever_the_tool_says():
    """Also against an author who says that it changes nothing."""
    assert manifest("search").rule_for("search", says_readonly=True).tool_class == "irreversible"


@pytest.mark.parametrize(
    ("name", "parts"),
    [("search", ("", "search")), ("crm.get", ("crm", "get")), ("crm.users.get", ("crm", "users.get"))],
)
def test_the_first_dot_splits_server_from_tool(name, parts):
    """Tools of servers may have dots of their own."""
    assert split_name(name) == parts
