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

_SEARCH = re.compile(r"\s*<{5,} ?SEARCH\s*")
_DIVIDER = re.compile(r"={5,}\s*")
_REPLACE = re.compile(r"\s*>{5,} ?REPLACE\s*")


def read_blocks(text: str) -> tuple[Edit, ...]:
    """The edits of a text. What stands outside of blocks, such as words or a code fence, is passed over.

    Raises:
        InvalidInput: No block, or one without its divider or end; says which (code ``bad_blocks``).
    """
    edits: list[Edit] = []
    search: list[str] | None = None
    replace: list[str] | None = None
    for line in lines_of(text):
        match search, replace:
            case None, _:
                search = [] if _SEARCH.fullmatch(line) else None
            case list() as wanted, None:
                if _DIVIDER.fullmatch(line):
                    replace = []
                else:
                    wanted.append(line)
            case list() as wanted, list() as new:
                if _REPLACE.fullmatch(line):
                    edits.append(Edit("".join(wanted), "".join(new)))
                    search = replace = None
                else:
                    new.append(line)
    if search is not None:
        lacks = "'=======' and '>>>>>>> REPLACE'" if replace is None else "'>>>>>>> REPLACE'"
        raise InvalidInput(f"Block {len(edits) + 1} has no {lacks}.", code="bad_blocks")
    if not edits:
        raise InvalidInput("There is no block that begins with '<<<<<<< SEARCH'.", code="bad_blocks")
    return tuple(edits)
