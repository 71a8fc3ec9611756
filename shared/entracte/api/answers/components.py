"""Every shape that routes refer to by its name."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel

from entracte.api.answers.artifacts import ArtifactAnswer, ArtifactList
from entracte.api.answers.erasures import ErasureAnswer
from entracte.api.answers.gates import GateAnswer, GatePage, LinkAnswer, OutcomesAnswer, RenewalAnswer
from entracte.api.answers.journal import EntryPage, EventAnswer
from entracte.api.answers.letters import LetterAnswer, LetterPage
from entracte.api.answers.memories import Forgotten, MemoryAnswer, MemoryExport, MemoryPage
from entracte.api.answers.network import NetworkAnswer
from entracte.api.answers.runs import RunAnswer, RunPage
from entracte.api.answers.sessions import SessionAnswer, SessionExport, StateAnswer, TurnPage
from entracte.api.answers.shape import Answer
from entracte.api.answers.undo import UndoPlanAnswer


class HealthAnswer(Answer):
    """The API is up."""

    status: Literal["ok"]


COMPONENTS: tuple[type[BaseModel], ...] = (
    ArtifactAnswer,
    ArtifactList,
    MemoryAnswer,
    MemoryPage,
    MemoryExport,
    Forgotten,
    SessionExport,
    EntryPage,
    ErasureAnswer,
    EventAnswer,
    GateAnswer,
    GatePage,
    HealthAnswer,
    LetterAnswer,
    LetterPage,
    LinkAnswer,
    NetworkAnswer,
    OutcomesAnswer,
    RenewalAnswer,
    RunAnswer,
    RunPage,
    SessionAnswer,
    StateAnswer,
    TurnPage,
    UndoPlanAnswer,
)
"""What routes refer to by name."""
