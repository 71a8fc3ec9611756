"""Where values come in and go out: between a network's own side and its tools, models and people."""

from __future__ import annotations

from collections.abc import Callable

from entracte.core.calls import Call, ToolOutcome
from entracte.core.modelling import ModelReply, Question, Usage
from entracte.ports.model import Model
from entracte.ports.shelf import Shelf
from entracte.runtime.engine.delivery import Perform
from entracte.runtime.engine.withholding import Unmasked, Withholding

AskForTool = Callable[[Call, Question, Usage], ModelReply]
"""Asks a model what a call's tool wants to know, which has used so much before."""


class Edges:
    """Everything passes as it is. `entracte.runtime.masking.edges` is the other kind.

    Attributes:
        withholding: What is taken out of values that come in at the doors.
        streams: What models write may be told while they write it.
    """

    withholding: Withholding = Unmasked()
    streams = True

    def models(self, open_model: Callable[[str], Model]) -> Callable[[str], Model]:
        """How models are asked."""
        return open_model

    def effects(self, perform: Perform) -> Perform:
        """How effects are done."""
        return perform

    def ended(self, call: Call, outcome: ToolOutcome) -> ToolOutcome:
        """The end of a call that nobody waited for."""
        return outcome

    def asking(self, ask: AskForTool) -> AskForTool:
        """How tools ask models."""
        return ask

    def shelf(self, shelf: Shelf, owner: str, *, opens: bool) -> Shelf:
        """The artifacts that an owner's session sees.

        Args:
            opens: For tools, which see what is withheld from people.
        """
        return shelf
