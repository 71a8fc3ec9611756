"""Asking a model on behalf of a frame."""

from __future__ import annotations

from entracte.core.documents.run import Run
from entracte.core.effects import AskModel
from entracte.core.modelling import ModelRequest
from entracte.core.situation import Situation


def ask(s: Situation, run: Run, request: ModelRequest, *, closing: bool = False) -> AskModel:
    """The effect: what the model writes is shown while somebody watches the run."""
    watched = run.watched_until is not None and run.watched_until > s.now
    return AskModel(request, closing=closing, watched=watched)
