"""Edits as models write them (core/editing/reading.py, blocks.py)."""

import json

import pytest

from entracte.core.editing.edit import Edit
from entracte.core.editing.reading import read_edits
from entracte.errors import InvalidInput

BLOCK = "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"
STRUCTURED = [{"search": "a", "replace": "b"}]


@pytest.mark.parametrize(
    ("given", "edits"),
    [
        (STRUCTURED, [("a", "b")]),
        (STRUCTURED[0], [("a", "b")]),
        (json.dumps(STRUCTURED), [("a", "b")]),
        (json.dumps(STRUCTURED[0]), [("a", "b")]),
        (BLOCK, [("a\n", "b\n")]),
        (BLOCK * 2, [("a\n", "b\n")] * 2),
        (f"Sure! Here it is:\n```\n{BLOCK}```\nDone.", [("a\n", "b\n")]),
        (BLOCK.rstrip("\n"), [("a\n", "b\n")]),
        (BLOCK.replace("\n", "\r\n"), [("a\r\n", "b\r\n")]),
        (BLOCK.replace("b\n", ""), [("a\n", "")]),
        (BLOCK.replace("a\n", ""), [("", "b\n")]),
        (BLOCK.replace("a\n", "A\n=====\n").replace("b\n", "B\n=====\n"), [("A\n=====\n", "B\n=====\n")]),
        (BLOCK.replace("<<<<<<< ", "<<<<<").replace("=======", "=========="), [("a\n", "b\n")]),
        ("<<<<<<< SEARCH\n1 <<<<<<< 2\n=======\n>>>>>>> x\n>>>>>>> REPLACE", [("1 <<<<<<< 2\n", ">>>>>>> x\n")]),
    ],
)
def test_edits_are_read(given, edits):
    """Structured, as JSON text, or as search/replace blocks with whatever stands around them."""
    assert read_edits(given) == tuple(Edit(*edit) for edit in edits)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ([{"search": "a"}], "Edit 1 is not an object of two texts."),
        ([*STRUCTURED, {"search": "a", "replace": None}], "Edit 2 is not an object of two texts."),
        ([{"search": "a", "replace": "b", "count": 2}], "Edit 1 is not an object of two texts."),
        (["a"], "Edit 1 is not an object of two texts."),
        ('{"old": "a", "new": "b"}', "Edit 1 is not an object of two texts."),
        ("Replace a by b.", "There is no block that begins with '<<<<<<< SEARCH'."),
        ("", "There is no block that begins with '<<<<<<< SEARCH'."),
        ("[" * 100_000, "There is no block that begins with '<<<<<<< SEARCH'."),
        (BLOCK + "<<<<<<< SEARCH\na\n", "Block 2 has no '=======' and '>>>>>>> REPLACE'."),
        (BLOCK.replace(">>>>>>> REPLACE", ""), "Block 1 has no '>>>>>>> REPLACE'."),
        (BLOCK.replace("=======\n", ""), "Block 1 has no '======='."),
        (
            BLOCK.replace("a\n", "Changes\n=======\n"),
            "Block 1 has 2 lines '=======', so that it is not clear which divides it.",
        ),
        (
            BLOCK.replace(">>>>>>> REPLACE\n", "") + BLOCK,
            "Block 1 has 2 lines '=======', so that it is not clear which divides it.",
        ),
        (17, "int is no list of edits."),
    ],
)
def test_what_is_no_edit_is_refused(given, told):
    """With what is wrong with it, so that the model can write it again."""
    with pytest.raises(InvalidInput) as error:
        read_edits(given)
    assert error.value.message == told
