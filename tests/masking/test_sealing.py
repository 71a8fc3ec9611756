"""Sealed values: what opens them and what does not."""

from __future__ import annotations

import base64

import pytest

from entracte.adapters.masking.sealing import Sealer, key_id
from entracte.errors import ConfigurationError, TerminalError

OLD, NEW = (base64.b64encode(letter * 32).decode() for letter in (b"o", b"n"))


def sealer(*keys: str) -> Sealer:
    """A sealer with these keys."""
    return Sealer(lambda: ", ".join(keys), "MASK")


def test_what_is_sealed_opens_with_the_same_key_only_where_it_was_sealed() -> None:
    """A sealed value that is moved to another place, or changed, does not open."""
    key, sealed = sealer(OLD).seal(b"ada", about="vaults/a/sealed/x")

    assert sealer(OLD).open(key, sealed, about="vaults/a/sealed/x") == b"ada"
    assert b"ada" not in sealed
    for about, data in (("vaults/a/sealed/y", sealed), ("vaults/a/sealed/x", sealed[:-1] + b"?")):
        with pytest.raises(TerminalError, match="was changed, or sealed for another place"):
            sealer(OLD).open(key, data, about=about)


def test_the_first_key_seals_and_older_ones_still_open() -> None:
    """Rotation: put the new key first, keep the old one."""
    key, sealed = sealer(OLD).seal(b"ada", about="x")

    assert sealer(NEW, OLD).open(key, sealed, about="x") == b"ada"
    assert sealer(NEW, OLD).seal(b"ada", about="x")[0] == key_id(b"n" * 32)


def test_a_missing_key_is_named_and_not_shown() -> None:
    """The error says which key sealed it and which there are."""
    key, sealed = sealer(OLD).seal(b"ada", about="x")

    with pytest.raises(ConfigurationError, match=f"sealed with key {key}; the secret MASK holds") as error:
        sealer(NEW).open(key, sealed, about="x")
    assert OLD not in str(error.value) and NEW not in str(error.value)


@pytest.mark.parametrize("keys", ["", ",", "short", base64.b64encode(b"k" * 31).decode(), "ä" * 44])
def test_a_key_that_is_none_is_refused(keys: str) -> None:
    """With the command that makes one."""
    with pytest.raises(ConfigurationError, match="openssl rand -base64 32"):
        sealer(keys).seal(b"x", about="x")
