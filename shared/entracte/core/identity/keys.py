"""API keys: what is kept of them, and how one is recognised. Pure.

A key is random and long, so that its hash needs no salt and no slowness: nobody can try out 2^128 of them.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Sequence
from hashlib import sha256

from msgspec import Struct

from entracte.core.gates.people import person
from entracte.errors import ConfigurationError

MIN_CHARS = 32

_NAME = r"(?P<name>[A-Za-z0-9][A-Za-z0-9._+@-]{0,127})"
_LINE = re.compile(rf"{_NAME}\s+sha256:(?P<hash>[0-9a-f]{{64}})(?P<role>\s+operator)?")


class KeyHolder(Struct, frozen=True):
    """Whoever holds a certain key.

    Attributes:
        name: An e-mail address, or ``key:NAME``, which is no user id.
        hash: SHA-256 of the key, as hex digits.
    """

    name: str
    hash: str
    operator: bool


def parse_keys(text: str) -> tuple[KeyHolder, ...]:
    """Those listed, one a line: ``NAME sha256:HASH`` or ``NAME sha256:HASH operator``. ``#`` begins a comment.

    Raises:
        ConfigurationError: A line is something else; says which, not what it is.
    """
    holders = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not (said := line.partition("#")[0].strip()):
            continue
        found = _LINE.fullmatch(said)
        if found is None:
            raise ConfigurationError(
                f"Line {number} of the API keys is not one: expected NAME sha256:HASH, or NAME sha256:HASH operator.",
                remedy="The hash is what `printf %s KEY | sha256sum` prints. Keys themselves do not belong there.",
            )
        name = person(found["name"])
        holders.append(KeyHolder(name if "@" in name else f"key:{name}", found["hash"], found["role"] is not None))
    return tuple(holders)


def holder_of(key: str, holders: Sequence[KeyHolder]) -> KeyHolder | None:
    """Whose key it is; None for nobody's. Takes as long for one as for the other."""
    digest = sha256(key.encode()).hexdigest()
    found = None
    for holder in holders:
        if hmac.compare_digest(holder.hash, digest) and len(key) >= MIN_CHARS:
            found = holder
    return found
