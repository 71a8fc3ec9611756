"""Shapes of undos in answers, for the API's description. `entracte.runtime.services.rendering` makes the values."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from entracte.api.answers.shape import Answer
from entracte.runtime.services.dry_run import Fate


class UndoAnswer(Answer):
    """The last undo of a run. Calls are named by the ids of their actions."""

    by: str = Field(description="Who asked for it.")
    to: str = Field(description="Action at which it ends, inclusive; empty for the whole run.")
    replan: bool
    reverted: list[str] = Field(description="Taken back, or found as before.")
    unverified: list[str] = Field(description="Those of them where nothing could be read to see that it worked.")
    permanent: list[str] = Field(description="Cannot be taken back.")
    kept: list[str] = Field(description="Before `to`, and left as they are.")
    stopped: str = Field(description="Where it stopped; empty if it did not.")
    reason: str = Field(description="Why it stopped, in words.")


class CallAnswer(Answer):
    """A call of a tool."""

    tool: str
    arguments: Any


class DifferenceAnswer(Answer):
    """Values of a record that somebody has changed since."""

    before: Any
    expected: Any = Field(description="As the run left it.")
    found: Any


class UndoStepAnswer(Answer):
    """What an undo would do with one action."""

    action: str
    tool: str
    arguments: Any
    fate: Fate = Field(
        description="`revert` takes it back, `unverified` does so without a way to see that it worked, `already` finds "
        "it as before, `permanent` steps over it, `stop` ends the undo there, `kept` is not reached."
    )
    inverse: CallAnswer | None = Field(description="The call that takes it back; null where there is none.")
    note: str = Field(description="Why.")
    shown: DifferenceAnswer | None = Field(description="Values that differ; null where none do.")


class UndoPlanAnswer(Answer):
    """What an undo would do, newest effect first."""

    run: str
    whole: bool = Field(description="Everything would be as before.")
    steps: list[UndoStepAnswer]
