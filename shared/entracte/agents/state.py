"""Declaring state: subclass `State`, add a `Key` an attribute, or set one to None to do without it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, get_args

from entracte.core.state import DEFAULT_KEYS, Key, Scope
from entracte.errors import ConfigurationError


class State:
    """The default keys. ``class MyState(State): cases = Key(scope="global", prefix="C", …)`` adds one.

    Attributes:
        max_tokens: Room of state in a request. What outgrows it is tidied: tasks that are done or dropped leave, then
            the model proposes merges. 0 for no bound.
    """

    max_tokens: ClassVar[int] = 8000

    @classmethod
    def keys(cls) -> Mapping[str, Key]:
        """All keys by name, the defaults first.

        Raises:
            ConfigurationError: Two keys give their items the same prefix; a scope that there is not.
        """
        found: dict[str, Key | None] = dict(DEFAULT_KEYS)
        for klass in reversed(cls.__mro__):
            found |= {
                name: value
                for name, value in vars(klass).items()
                if isinstance(value, Key) or (value is None and name in found)
            }
        keys = {name: key for name, key in found.items() if key is not None}
        prefixes: dict[str, str] = {}
        for name, key in keys.items():
            if key.scope not in get_args(Scope):
                raise ConfigurationError(
                    f"State key {name!r}: scope is {key.scope!r}; it must be one of {', '.join(get_args(Scope))}."
                )
            if key.prefix in prefixes:
                raise ConfigurationError(
                    f"State keys {prefixes[key.prefix]!r} and {name!r} both use the prefix {key.prefix!r}."
                )
            prefixes[key.prefix] = name
        return keys
