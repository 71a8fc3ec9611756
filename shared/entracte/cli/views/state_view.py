"""State as text: a line for each item, under its key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.text import Text

from entracte.cli.terminal.hanging import Hanging
from entracte.cli.terminal.plain_text import one_line, plain


def state_view(state: Mapping[str, Any]) -> list[Text | Hanging]:
    """Keys and their items."""
    lines: list[Text | Hanging] = []
    for key, items in state.items():
        if items:
            lines.append(Text(one_line(key), "bold"))
            lines += [
                Hanging(Text.assemble("  ", (item["id"], "magenta"), "  "), Text(plain(item["text"]))) for item in items
            ]
    return lines or [Text("The state is empty.", "dim")]
