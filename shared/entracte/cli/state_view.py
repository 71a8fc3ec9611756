"""State as text: a line for each item, under its key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.text import Text

from entracte.cli.plain_text import one_line, plain


def state_view(state: Mapping[str, Any]) -> list[Text]:
    """Keys and their items."""
    lines: list[Text] = []
    for key, items in state.items():
        if items:
            lines.append(Text(one_line(key), "bold"))
            lines += [Text.assemble("  ", (item["id"], "magenta"), f"  {plain(item['text'])}") for item in items]
    return lines or [Text("The state is empty.", "dim")]
