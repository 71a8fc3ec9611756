"""Results of tools marked `persist` become artifacts, in the commit that records them."""

from __future__ import annotations

import json
from typing import Any

from msgspec import Struct

from entracte.core.addresses import artifact_path, session_path
from entracte.core.artifacts.naming import artifact_id
from entracte.core.documents.action import Action
from entracte.core.documents.artifact import MAX_TITLE_CHARS, Artifact
from entracte.core.documents.journal import EventRecord
from entracte.core.events import record
from entracte.core.outcome import Put
from entracte.core.situation import Situation
from entracte.errors import InvalidInput


class Kept(Struct, frozen=True):
    """What keeping a result writes and tells. If it fails, the call has been made all the same: a warning says why."""

    puts: tuple[Put, ...] = ()
    events: tuple[EventRecord, ...] = ()
    warnings: tuple[str, ...] = ()


def keep_result(s: Situation, ended: Action) -> Kept:
    """The result of an applied call as an artifact of its session, if its tool persists and it says anything."""
    tool = s.blueprint.tools.get(ended.tool)
    if tool is None or not tool.persist or ended.status != "applied" or ended.result is None:
        return Kept()
    result = ended.result.value
    if result in (None, "", [], {}):
        return Kept()
    try:
        artifact = Artifact.of(
            id=artifact_id(ended.id),
            owner=ended.owner,
            session=ended.session,
            type=tool.persist,
            title=title_of(ended.tool, ended.called_with.value),
            tags=(ended.tool,),
            text=result if isinstance(result, str) else json.dumps(result, ensure_ascii=False, indent=2),
            now=s.now,
            written_by=ended.id,
        )
    except InvalidInput as error:
        return Kept(warnings=(f"Its result was not saved as an artifact: {error}",))
    saved = record(
        "artifact.saved",
        action=ended.id,
        artifact=artifact.id,
        title=artifact.title,
        artifact_type=artifact.type,
        chars=artifact.chars,
    )
    return Kept((Put(artifact_path(session_path(ended.session), artifact.id), artifact),), (saved,))


def title_of(tool: str, arguments: Any) -> str:
    """A readable title: the tool, and the words that it was called with."""
    given = arguments.values() if isinstance(arguments, dict) else ()
    words = " · ".join(" ".join(value.split()) for value in given if isinstance(value, str) and value.strip())
    said = words or (json.dumps(arguments, ensure_ascii=False) if arguments else "")
    title = f"{tool}: {said}" if said else tool
    return title if len(title) <= MAX_TITLE_CHARS // 2 else f"{title[: MAX_TITLE_CHARS // 2 - 1]}…"
