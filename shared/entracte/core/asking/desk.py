"""Active artifacts in a request: small ones whole, of others the beginning, all within a bound."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from entracte.core.artifacts.record import summary_of
from entracte.core.blueprint import AgentSpec
from entracte.core.documents.artifact import Artifact

WHOLE_CHARS = 1_200
"""Contents up to this length go in whole."""

DESK_CHARS = 20_000
"""All contents and beginnings together."""

READING_CHARS = 60_000
"""The same for an agent without tools, which cannot fetch what it is not shown."""

_SHOWN = ("id", "type", "title", "tags", "shared", "chars")


def is_reader(agent: AgentSpec) -> bool:
    """Whether an agent has no tools: it is shown all active artifacts whole, as far as they fit."""
    return not agent.tools and not agent.agents


def wanted_whole(agent: AgentSpec, artifacts: Sequence[Artifact]) -> tuple[Artifact, ...]:
    """Those whose content the agent is to be shown.

    Args:
        artifacts: Active ones, in the order in which they are shown.
    """
    if not is_reader(agent):
        return tuple(a for a in artifacts if a.chars <= WHOLE_CHARS)
    wanted, room = [], READING_CHARS
    for artifact in artifacts:
        if artifact.chars <= room:
            wanted.append(artifact)
            room -= artifact.chars
    return tuple(wanted)


def desk_text(agent: AgentSpec, artifacts: Sequence[Artifact]) -> str:
    """The index as text; empty when nothing is active."""
    if not artifacts:
        return ""
    reader = is_reader(agent)
    whole = {a.id for a in wanted_whole(agent, artifacts) if a.is_whole}
    shown = list(_within(READING_CHARS if reader else DESK_CHARS, artifacts, whole))
    more = len(artifacts) - len(shown)
    lines = [json.dumps(item, ensure_ascii=False) for item in shown]
    if "get_artifact" in agent.tools:
        lines.insert(0, "Papers on the desk. Where there is a snippet, get_artifact gives the whole.")
    if more:
        lines.append(f"{more} more are active and not shown here.")
    return "\n".join(lines)


def _within(room: int, artifacts: Sequence[Artifact], whole: set[str]) -> Iterator[dict[str, Any]]:
    """As many as there is room for."""
    for artifact in artifacts:
        summary = summary_of(artifact)
        name, text = ("content", artifact.text) if artifact.id in whole else ("snippet", artifact.snippet)
        item = {key: summary[key] for key in _SHOWN} | {name: text}
        room -= len(text) + len(artifact.title)
        if room < 0:
            return
        yield item
