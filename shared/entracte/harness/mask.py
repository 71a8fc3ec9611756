"""Masking: what documents, models and people see in place of personal data and keys."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from entracte.agents.models import Secret
from entracte.errors import ConfigurationError

Kind = Literal["card", "email", "key", "phone"]

ALL_KINDS: tuple[Kind, ...] = ("card", "email", "key", "phone")

DEFAULT_KEY = Secret("ENTRACTE_MASK_KEY")

_NAME = re.compile(r"[a-z][a-z0-9_]{0,30}")


class Mask(Struct, frozen=True, kw_only=True):
    """What a network masks: ``Network(…, mask=Mask())``. Needs the extra ``masking``.

    Documents, journal, events, logs, notifications and models get placeholders such as ``⟨email-k3f9x2m7qa⟩``. The
    true values are kept sealed. A tool gets them when the model puts the placeholder into a call's arguments, and undo
    puts them back.

    Attributes:
        kinds: What is looked for: e-mail addresses, phone numbers, card numbers, keys and tokens.
        patterns: More of it: regular expressions by a name of your own, such as ``{"employee": r"E-[0-9]{6}"}``.
        regions: Countries, such as ``JP``, whose phone numbers are known without ``+``.
        keep: What stays as it is, such as ``*@example.com``, in small letters.
        reveal_to: Tools that are given true values, by patterns such as ``crm.*``; all of them by default. A call of
            another tool with a placeholder in its arguments is refused.
        key: Secret with the sealing keys: base64 of 32 bytes each, the newest first, divided by commas.

    Raises:
        ConfigurationError: A pattern or a name that cannot be used.
    """

    kinds: tuple[Kind, ...] = ALL_KINDS
    patterns: Mapping[str, str] = {}
    regions: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    reveal_to: tuple[str, ...] = ("*",)
    key: Secret = DEFAULT_KEY

    def __post_init__(self) -> None:
        if unknown := [kind for kind in self.kinds if kind not in ALL_KINDS]:
            raise ConfigurationError(f"There is nothing called {unknown[0]!r} to mask; known: {', '.join(ALL_KINDS)}.")
        for name, pattern in self.patterns.items():
            if not _NAME.fullmatch(name) or name in (*ALL_KINDS, "text"):
                raise ConfigurationError(
                    f"A pattern cannot be called {name!r}.",
                    remedy=f"Small letters, digits and _, and none of {', '.join((*ALL_KINDS, 'text'))}.",
                )
            try:
                re.compile(pattern)
            except re.error as error:
                raise ConfigurationError(f"The pattern {name!r} is no regular expression: {error}.") from None
