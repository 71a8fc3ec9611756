"""Words as people look for them (words.py)."""

import pytest

from crm.words import matches, words


def test_case_and_accents_fall_away():
    """Also for letters that Unicode does not take apart, such as the Polish ł and the Turkish dotless ı."""
    assert words("Łukasz MÜLLER-Weiß, Kıvanç Þór Østergård") == [
        "lukasz",
        "muller",
        "weiss",
        "kivanc",
        "thor",
        "ostergard",
    ]


@pytest.mark.parametrize("form", ["Jos\u00e9", "Jose\u0301"], ids=["composed", "decomposed"])
def test_both_spellings_of_an_accent_are_one(form: str):
    """Keyboards and files differ in how they write é."""
    assert matches("José Núñez", form)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("ada love", True),
        ("lovelace ADA", True),
        ("ada@analytical-engines.example", True),
        ("lace", False),
        ("ada turing", False),
    ],
)
def test_every_word_of_the_query_begins_some_word(query: str, found: bool):
    """In any order; a part from within a word is no match."""
    assert matches("Ada Lovelace ada@analytical-engines.example", query) is found


def test_a_search_for_ada_is_not_about_canada():
    """A short name is no part of a longer word."""
    assert not matches("Owen Tremblay, Canada", "Ada")
