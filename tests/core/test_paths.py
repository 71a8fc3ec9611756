"""Paths of documents (paths.py). Which are refused stands in the contract of stores."""

from __future__ import annotations

import pytest

from entracte.core.paths import check_collection, check_document, order, split
from entracte.errors import InvalidInput


def test_a_path_is_split_into_parent_collection_and_id():
    """A document at the top has no parent."""
    assert split("runs/r/frames/f") == ("runs/r", "frames", "f")
    assert split("runs/r") == ("", "runs", "r")


def test_paths_sort_part_by_part():
    """The slash is no character of a part, so what begins alike stays together."""
    paths = ["runs/r.1/frames/a", "runs/r-1/frames/a", "runs/r/frames/b", "runs/r/frames/a"]
    assert sorted(paths, key=order) == paths[::-1]
    assert sorted(paths) != paths[::-1]


@pytest.mark.parametrize(
    "path", ["a/" + "x" * 1501, "a/" + "é" * 751, "/".join(["x" * 1000] * 8), "a/\ud800", "a/b\x7f"]
)
def test_a_path_keeps_to_the_limits_of_firestore(path: str):
    """1,500 bytes a part, 6 KiB in all, no lone surrogates; and no control characters."""
    with pytest.raises(InvalidInput, match="path of a document"):
        check_document(path)


@pytest.mark.parametrize("name", ["", "a/b", "__a__", ".", "a\n"])
def test_a_collection_is_one_part(name: str):
    """Of the same kind as any other."""
    with pytest.raises(InvalidInput, match="name of a collection"):
        check_collection(name)


def test_a_refusal_says_what_to_do():
    """In full, since the rules are not obvious."""
    with pytest.raises(InvalidInput) as refused:
        check_document("runs")
    assert str(refused.value) == (
        "'runs' is not the path of a document: expected collection and id in turn, such as runs/r1/frames/f1. "
        "Parts may not be empty, '.', '..' or '__…__', hold control characters, or exceed 1,500 bytes."
    )
