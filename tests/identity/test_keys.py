"""API keys (core/identity/keys.py)."""

from hashlib import sha256

import pytest

from entracte.core.identity.keys import KeyHolder, holder_of, parse_keys
from entracte.errors import ConfigurationError

KEY, OTHER = "entracte_" + "a" * 40, "entracte_" + "b" * 40


def hashed(key: str) -> str:
    """As the list has it."""
    return sha256(key.encode()).hexdigest()


LIST = f"""
# who may call
Ada@Example.com  sha256:{hashed(KEY)}  operator
nightly sha256:{hashed(OTHER)}   # the nightly job
"""


def test_a_list_says_whose_keys_there_are():
    """An address is a person; any other name is marked, so that it is no user id."""
    assert parse_keys(LIST) == (
        KeyHolder("ada@example.com", hashed(KEY), operator=True),
        KeyHolder("key:nightly", hashed(OTHER), operator=False),
    )


def test_a_key_is_recognised_by_its_hash():
    """And no other text is."""
    holders = parse_keys(LIST)
    found = [holder_of(key, holders) for key in (KEY, OTHER, KEY + "a", "", hashed(KEY))]
    assert found == [holders[0], holders[1], None, None, None]


def test_a_short_key_is_none_even_if_it_is_listed():
    """It could be guessed from its hash."""
    assert holder_of("secret", parse_keys(f"ada sha256:{hashed('secret')}")) is None


@pytest.mark.parametrize("line", [KEY, "ada", f"ada {KEY}", f"ada sha256:{'0' * 63}", f"a/b sha256:{'0' * 64}"])
def test_a_line_that_is_something_else_is_told_without_being_shown(line: str):
    """It may be a key that somebody has put there."""
    with pytest.raises(ConfigurationError, match="Line 2 ") as refused:
        parse_keys(f"# keys\n{line}")
    assert KEY not in str(refused.value)
