"""Parameters that several routes have."""

from __future__ import annotations

from typing import Annotated

from fastapi import Header, Query

from entracte.api.requests.cursors import MAX_CHARS
from entracte.api.waiting import MAX_WAIT_S

Wait = Annotated[
    float,
    Query(ge=0, le=MAX_WAIT_S, description="Seconds to wait for the run to end, or to need a person."),
]
Cursor = Annotated[str | None, Query(max_length=MAX_CHARS, description="`next_cursor` of the page before.")]
Limit = Annotated[int, Query(ge=1, le=200, description="Most items of a page.")]
IdempotencyKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        pattern=r"^[ -~]{1,255}$",
        description="Any text that is new for each request. The same request with the same text does nothing twice.",
    ),
]
