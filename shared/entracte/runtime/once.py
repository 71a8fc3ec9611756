"""What a process makes once, whoever asks first."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from threading import RLock
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def once(make: Callable[P, T]) -> Callable[P, T]:
    """The function with its values kept, by argument. `functools.cache` lets threads that ask at once make two."""
    lock, made = RLock(), cache(make)

    @wraps(make)
    def get(*args: P.args, **kwargs: P.kwargs) -> T:
        with lock:
            return made(*args, **kwargs)  # type: ignore[arg-type]  # what is given is hashable, or cache says so

    return get
