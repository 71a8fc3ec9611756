"""Whose something is."""

from __future__ import annotations

from collections.abc import Mapping

from entracte.core.addresses import is_id, run_path, session_path
from entracte.core.documents.run import Run
from entracte.core.documents.session import Session
from entracte.runtime.engine.repository import Repository


def owner_of(repository: Repository, ids: Mapping[str, str]) -> str:
    """The owner of a run (``run_id``) or a session (``session_id``); empty where there is none."""
    paths = [
        path(ids[name])
        for name, path in (("run_id", run_path), ("session_id", session_path))
        if is_id(ids.get(name, ""))
    ]
    for found in repository.load(paths).documents.values() if paths else ():
        if isinstance(found, (Run, Session)):
            return found.owner
    return ""
