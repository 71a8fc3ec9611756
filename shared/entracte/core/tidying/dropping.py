"""What leaves first when state outgrows its room: tasks that are done or dropped."""

from __future__ import annotations

import re
from typing import Any

from entracte.core.documents.frame import Frame

_OVER = re.compile(r"\W*(done|dropped)\b", re.IGNORECASE)

FINISHED = "State has outgrown its room: tasks that are done or dropped leave it."


def finished_tasks(frame: Frame) -> dict[str, Any]:
    """The diff that removes them; empty where there are none."""
    tasks = frame.local.get("tasks")
    over = [item.id for item in tasks.items if _OVER.match(item.text)] if tasks is not None else []
    return {"tasks": [{"id": id, "text": ""} for id in over]} if over else {}
