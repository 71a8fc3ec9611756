"""What a frame's agent is shown of the active artifacts."""

from __future__ import annotations

from entracte.core.addresses import session_path, shelf_path
from entracte.core.documents.frame import Frame
from entracte.core.documents.run import Run
from entracte.core.effects import Fetch
from entracte.core.situation import Situation


def desk_of(s: Situation, run: Run, frame: Frame) -> Fetch | str:
    """The index as text, or what has to be read for it. Nothing is read in a network that asks for no artifacts."""
    if not s.blueprint.artifacts:
        return ""
    from entracte.core.asking.desk import desk_text, wanted_whole  # only for networks that ask for artifacts

    shelves = (session_path(run.session), shelf_path(run.owner))
    if missing := tuple(shelf for shelf in shelves if s.docs.unread((f"{shelf}/artifacts",))):
        return Fetch(shelves=missing)
    agent = s.blueprint.agents[frame.agent]
    found = s.docs.active_artifacts(shelves)
    paths = {artifact.id: path for path, artifact in found}
    artifacts = [artifact for _, artifact in found]
    if unread := s.docs.unread(paths[a.id] for a in wanted_whole(agent, artifacts) if not a.is_whole):
        return Fetch(unread)
    return desk_text(agent, artifacts)
