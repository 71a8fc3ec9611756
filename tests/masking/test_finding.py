"""What is found in texts and what is not."""

from __future__ import annotations

import time

import pytest

from entracte.adapters.masking.finder import Finder

ALL = ("card", "email", "key", "phone")


def covered(text: str, **how: object) -> list[tuple[str, str]]:
    """Kind and text of everything that is found."""
    finder = Finder(ALL, **how)  # type: ignore[arg-type]
    return [(found.kind, text[found.start : found.end]) for found in finder.find(text) if not found.literal]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Write to ada@example.com.", [("email", "ada@example.com")]),
        ("<Ada.Lovelace+x@mail.example.co.uk>", [("email", "Ada.Lovelace+x@mail.example.co.uk")]),
        ("宛先はmüller@bücher.exampleです", [("email", "宛先はmüller@bücher.exampleです")]),
        ("https://x.example/?to=ada%40example.com&n=1", [("email", "ada%40example.com")]),
        ("a@b, @handle, ada@localhost", []),
        ("card 4111111111111111 today", [("card", "4111111111111111")]),
        ("4111 1111 1111 1111 and 3782-822463-10005", [("card", "4111 1111 1111 1111"), ("card", "3782-822463-10005")]),
        ("ref 12 4111 1111 1111 1111 123", [("card", "4111 1111 1111 1111")]),
        ("4111111111111112 has a wrong check digit", []),
        ("at 1767225600000 ms, 9007199254740993", []),
        ("sk-" + "a" * 24, [("key", "sk-" + "a" * 24)]),
        ("token=ghp_" + "A1" * 18 + ";", [("key", "ghp_" + "A1" * 18)]),
        ("AKIAIOSFODNN7EXAMPLE", [("key", "AKIAIOSFODNN7EXAMPLE")]),
        ("a task-force and risk-based sk-learn", []),
        (
            "-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\n",
            [("key", "-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----")],
        ),
        ("Call +44 20 7946 0958 or +81-3-1234-5678", [("phone", "+44 20 7946 0958"), ("phone", "+81-3-1234-5678")]),
        ("Call 020 7946 0958", []),
        ("already ⟨email-abcdefghij⟩ and ada@example.com", [("email", "ada@example.com")]),
    ],
)
def test_what_is_found(text: str, found: list[tuple[str, str]]) -> None:
    """Each kind as people and systems write it, and what only looks like it."""
    assert covered(text) == found


def test_regions_know_phone_numbers_without_a_country_code() -> None:
    """Two countries at once."""
    text = "020 7946 0958 (London), 03-3224-9999 (Tokyo)"

    assert covered(text, regions=("GB", "JP")) == [("phone", "020 7946 0958"), ("phone", "03-3224-9999")]


def test_own_patterns_come_first_and_overlaps_are_covered_whole() -> None:
    """One find reaches into another: nothing of either is left."""
    text = "id E-204961@example.com"

    assert covered(text, patterns={"employee": r"E-\d{6}"}) == [("employee", "E-204961@example.com")]
    assert covered("E-204961!", patterns={"employee": r"E-\d{6}"}) == [("employee", "E-204961")]


def test_what_is_to_be_kept_stays() -> None:
    """By pattern, whatever the case."""
    assert covered("Help@Acme.example, ada@example.com", keep=("*@acme.example",)) == [("email", "ada@example.com")]


@pytest.mark.parametrize("text", ["a" * 200_000, "4 " * 20_000, "a@" * 100_000, "sk-" * 60_000, "eyJ" * 60_000])
def test_hostile_texts_take_linear_time(text: str) -> None:
    """Twice the text takes about twice the steps: a budget of process time that no quadratic search would keep."""
    began = time.process_time()

    covered(text)

    assert time.process_time() - began < 10
