"""What a network is given: lists of things of the right kind, whose methods have names that something calls."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches
from types import FunctionType
from typing import Any

from entracte.adapters.python.hooks import Hook
from entracte.errors import ConfigurationError

HOOKED = tuple(name for name in vars(Hook) if not name.startswith("_"))
"""Methods of a hook that are called."""

OBSERVED = ("on_event",)
"""Methods of an observer that are called."""

_ALIKE = 0.8  # above it a name is taken for a slip: befor_tool, beforeTool, before_tool_call; not before_lunch


def check_list(given: Any, where: str, wanted: str, *kinds: type) -> None:
    """Raise ConfigurationError for what is no list, and for what in it is not of these kinds."""
    if not isinstance(given, Collection) or isinstance(given, str):
        raise ConfigurationError(f"{where} is {_named(given)}.", remedy=f"Give a list: each is {wanted}.")
    for one in given:
        check_kind(one, f"{where} has", wanted, *kinds)


def check_kind(one: Any, whose: str, wanted: str, *kinds: type) -> None:
    """Raise ConfigurationError for what is not of these kinds, such as a class in place of its instance.

    Args:
        whose: Begins the sentence: ``entry is``.
    """
    if isinstance(one, type):
        raise ConfigurationError(f"{whose} {_named(one)}.", remedy=f"Give an instance: {one.__name__}(…).")
    if not isinstance(one, kinds):
        raise ConfigurationError(f"{whose} {_named(one)}; expected {wanted}.")


def check_hooks(hooks: Collection[Any]) -> None:
    """Raise ConfigurationError for what is no hook, or has a method that would never run."""
    check_list(hooks, "harness", "an instance of a subclass of Hook", Hook)
    for hook in hooks:
        _check_methods(hook, "Hook", HOOKED)


def check_observers(observers: Collection[Any]) -> None:
    """Raise ConfigurationError for what is no observer, or has a method that would never run."""
    check_list(observers, "observers", "an object with on_event(event)", object)
    for observer in observers:
        _check_methods(observer, "Observer", OBSERVED)
        if not callable(getattr(observer, "on_event", None)):
            raise ConfigurationError(f"observers has {_named(observer)}; expected an object with on_event(event).")


def _check_methods(one: object, role: str, called: Collection[str]) -> None:
    """A misspelt guard would be silently off."""
    for name in dir(type(one)):
        if name.startswith("_") or name in called or not callable(getattr(type(one), name)):
            continue
        if close := get_close_matches(name, called, n=1, cutoff=_ALIKE):
            raise ConfigurationError(
                f"{role} {type(one).__name__} has a method {name!r}, which nothing calls: did you mean {close[0]!r}?",
                remedy="Begin the names of its own methods with an underscore.",
            )


def _named(one: Any) -> str:
    if isinstance(one, type):
        return f"the class {one.__name__}"
    if isinstance(one, FunctionType):
        return f"the function {one.__name__}"
    return f"{one!r:.60} ({type(one).__name__})"
