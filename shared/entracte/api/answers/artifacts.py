"""Shapes of artifacts in answers, for the API's description."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from entracte.api.answers.shape import Answer
from entracte.core.documents.artifact import ArtifactType


class ArtifactSummary(Answer):
    """An artifact without its content."""

    id: str
    type: ArtifactType
    title: str
    tags: list[str]
    active: bool = Field(description="Agents are shown it.")
    shared: bool = Field(description="All sessions of its owner see it.")
    chars: int = Field(description="Length of the content.")
    version: str = Field(description="Equal for equal artifacts: another one means that it has changed.")
    created: datetime
    updated: datetime


class ArtifactAnswer(ArtifactSummary):
    """An artifact."""

    content: str


class ArtifactList(Answer):
    """Artifacts that a session sees."""

    items: list[ArtifactSummary]
