"""One thing that was looked at, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct

Verdict = Literal["ok", "wrong", "unknown"]
"""`unknown`: it could not be looked at from here, and may be anything."""

Json = Mapping[str, Any]


class Finding(Struct, frozen=True):
    """What was found.

    Attributes:
        name: What was looked at, such as ``subscription entracte-plan``.
        told: What is wrong with it, or why nobody can tell; else what it is.
        remedy: How to mend it; empty where nothing is wrong.
    """

    verdict: Verdict
    name: str
    told: str = ""
    remedy: str = ""


class Seen(Struct, frozen=True):
    """An answer of one of Google's APIs.

    Attributes:
        status: Of HTTP; 0 when there was no answer.
        body: JSON object; empty when it was refused.
        problem: What was said instead.
    """

    status: int
    body: Json
    problem: str = ""


APPLY = "terraform apply"


def missing_or_hidden(name: str, seen: Seen, remedy: str = APPLY) -> Finding:
    """What is to be said of something that was not answered with itself."""
    match seen.status:
        case 404:
            return Finding("wrong", name, "is not there", remedy)
        case 401 | 403:
            told = f"may not be looked at from here: {seen.problem}"
            return Finding("unknown", name, told, "Grant the account that asks roles/viewer, or switch the API on.")
        case _:
            return Finding("unknown", name, f"could not be looked at: {seen.problem or seen.status}", "Try again.")


def judged(name: str, told: str, faults: list[str], remedy: str = APPLY) -> Finding:
    """One finding about one thing: all that is wrong with it, or what it is."""
    return Finding("wrong", name, "; ".join(faults), remedy) if faults else Finding("ok", name, told)
