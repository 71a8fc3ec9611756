"""The live document: what a model is writing in a frame just now. Gone when it has been written."""

from __future__ import annotations

from entracte.core.documents.base import AwareDatetime, Document


class Live(Document, frozen=True, kw_only=True):
    """Text that is being written.

    Attributes:
        reply: When the reply was begun, which tells it from others of the frame.
        thought, text: What has been written so far; of long ones the end.
        thought_chars, text_chars: How long they are, with what was left out at their beginnings.
    """

    run: str
    frame: str
    owner: str
    agent: str
    step: int
    phase: str
    reply: str
    thought: str = ""
    text: str = ""
    thought_chars: int = 0
    text_chars: int = 0
    at: AwareDatetime
    expires: AwareDatetime | None = None
