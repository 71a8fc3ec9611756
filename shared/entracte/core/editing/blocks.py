"""Search/replace blocks: edits as text, for models that fail at JSON.

<<<<<<< SEARCH
what stands there
=======
what shall stand there
>>>>>>> REPLACE
"""

from __future__ import annotations

import re

from entracte.core.editing.edit import Edit
from entracte.core.editing.lines import lines_of
from entracte.errors import InvalidInput

_SEARCH = re.compile(r"\s*(<{5,}) ?SEARCH\s*")
_DIVIDER = re.compile(r"(={5,})\s*")
_REPLACE = re.compile(r"\s*>{5,} ?REPLACE\s*")


def read_blocks(text: str) -> tuple[Edit, ...]:
    """The edits of a text. What stands outside of blocks, such as words or a code fence, is passed over.

    Raises:
        InvalidInput: No block, or one without its end, or of which it is not clear what divides it: headings are
            underlined with such lines, too. Says which (code ``bad_blocks``).
    """
    edits: list[Edit] = []
    block: list[str] | None = None
    marks = 0
    for line in lines_of(text):
        if block is None:
            if begun := _SEARCH.fullmatch(line):
                block, marks = [], len(begun[1])
        elif _REPLACE.fullmatch(line):
            edits.append(_divided(block, marks, len(edits) + 1))
            block = None
        else:
            block.append(line)
    if block is not None:
        lacks = "'>>>>>>> REPLACE'" if any(map(_DIVIDER.fullmatch, block)) else "'=======' and '>>>>>>> REPLACE'"
        raise InvalidInput(f"Block {len(edits) + 1} has no {lacks}.", code="bad_blocks")
    if not edits:
        raise InvalidInput("There is no block that begins with '<<<<<<< SEARCH'.", code="bad_blocks")
    return tuple(edits)


def _divided(block: list[str], marks: int, number: int) -> Edit:
    """The block at its divider: the only one, or the only one that is as long as the mark at its beginning."""
    found = {index: len(line[1]) for index, line in enumerate(map(_DIVIDER.fullmatch, block)) if line is not None}
    match [index for index, length in found.items() if length == marks] or list(found):
        case [index]:
            return Edit("".join(block[:index]), "".join(block[index + 1 :]))
        case []:
            raise InvalidInput(f"Block {number} has no '======='.", code="bad_blocks")
        case several:
            told = f"Block {number} has {len(several)} lines '=======', so that it is not clear which divides it."
            raise InvalidInput(told, remedy='Give [{"search": "…", "replace": "…"}].', code="bad_blocks")
