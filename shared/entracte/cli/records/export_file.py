"""What is exported goes into a file, and to standard output where JSON is wanted there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from entracte.cli.failures import reason
from entracte.cli.invocation import Invocation


def write_export(called: Invocation, found: Mapping[str, Any], file: str, *, default: str) -> str:
    """Write it where it is wanted. Gives the name of the file.

    Args:
        file: As it was named; empty if it was not. Then ``--json`` writes none.
        default: Name of a file that was not named.

    Raises:
        InvalidInput: The file cannot be written.
    """
    from entracte.errors import InvalidInput

    name = file or ("" if called.options.as_json else default)
    try:
        if name:
            Path(name).write_text(json.dumps(found, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise InvalidInput(f"{name} cannot be written: {reason(error)}.") from None
    if called.options.as_json:
        called.screen.json(found)
    return name
