"""Shared options before and after the command (options.py)."""

from entracte.cli.options import shared_first


def test_shared_options_may_follow_the_command():
    """With their value in the same word or the next."""
    assert shared_first(["run", "hi", "--json", "--store", "x.db", "--agent", "a", "--url=http://h"]) == [
        "--json", "--store", "x.db", "--url=http://h", "run", "hi", "--agent", "a",
    ]  # fmt: skip


def test_what_follows_two_dashes_is_no_option():
    """So a message may look like one."""
    assert shared_first(["run", "--json", "--", "--store", "--json"]) == ["--json", "run", "--", "--store", "--json"]


def test_an_option_that_lacks_its_value_is_left_to_the_parser():
    """Which says so."""
    assert shared_first(["list", "--store"]) == ["--store", "list"]
