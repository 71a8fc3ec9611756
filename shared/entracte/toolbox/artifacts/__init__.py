"""Tools that work with artifacts: the papers of a session, which people and agents share.

``Agent(tools=[*artifact_tools, …])`` gives them all. Each brings its rule along: looking is free, making and filing can
be undone, and what changes or removes a text waits at a gate that shows what it would change.
"""

from entracte.toolbox.artifacts.creating import create_artifact
from entracte.toolbox.artifacts.deleting import delete_artifact
from entracte.toolbox.artifacts.editing import edit_artifact
from entracte.toolbox.artifacts.looking import get_artifact, list_artifacts
from entracte.toolbox.artifacts.updating import update_artifact

artifact_tools = (create_artifact, get_artifact, list_artifacts, update_artifact, delete_artifact, edit_artifact)

__all__ = [
    "artifact_tools",
    "create_artifact",
    "delete_artifact",
    "edit_artifact",
    "get_artifact",
    "list_artifacts",
    "update_artifact",
]
