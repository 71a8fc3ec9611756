"""Telling people apart by what they are called."""

from __future__ import annotations


def person(name: str) -> str:
    """The name as people are compared by it: an e-mail address whatever its capitals, a user id as it is.

    A quorum must not be reached, nor four eyes be had, by writing one address in two ways.
    """
    return name.lower() if "@" in name else name
