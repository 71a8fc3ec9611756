"""Changes that are made once, however often they are asked for: the `calls` table, by idempotency key."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel

from crm.database import reading, writing
from entracte.errors import ToolError

Result = TypeVar("Result", bound=BaseModel)


def once(
    path: Path,
    key: str,
    tool: str,
    arguments: Mapping[str, Any],
    change: Callable[[sqlite3.Connection], Result],
    kind: type[Result],
) -> Result:
    """Make a change and keep its result under the key, in one transaction; with a known key, give that result again.

    A change that raises is not kept: it did nothing, so it may be tried again.

    Args:
        kind: Of the result, as which it is read again.

    Raises:
        ToolError: The change's own, or the key belongs to another call.
    """
    asked = json.dumps(arguments, ensure_ascii=False, sort_keys=True)
    with writing(path) as connection:
        known = connection.execute("SELECT tool, arguments, result FROM calls WHERE key = ?", (key,)).fetchone()
        if known is None:
            result = change(connection)
            connection.execute(
                "INSERT INTO calls (key, tool, arguments, result) VALUES (?, ?, ?, ?)",
                (key, tool, asked, result.model_dump_json()),
            )
            return result
        if (known["tool"], known["arguments"]) != (tool, asked):
            raise ToolError(
                f"The idempotency key {key!r} belongs to another call: {known['tool']} with {known['arguments']}.",
                remedy="Give each call a key of its own.",
            )
        connection.execute("UPDATE calls SET times = times + 1 WHERE key = ?", (key,))
        return kind.model_validate_json(known["result"])


def times_asked(path: Path) -> dict[str, int]:
    """How often each change was asked for, by idempotency key. Each was made once."""
    with reading(path) as connection:
        return {row["key"]: row["times"] for row in connection.execute("SELECT key, times FROM calls ORDER BY key")}
