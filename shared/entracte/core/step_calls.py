"""How many calls a step may have, as documents and messages say it."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

Calls = Annotated[int, Meta(ge=0, le=1000)]
"""Far more than any budget allows. Calls are read one by one: a number out of nowhere would read for ever."""
