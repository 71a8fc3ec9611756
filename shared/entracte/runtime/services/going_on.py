"""Letting runs go on that have stopped: a stalled one, and a failed one."""

from __future__ import annotations

from entracte.core.addresses import frame_path, run_path, session_path
from entracte.core.documents.action import Action
from entracte.core.documents.run import Run
from entracte.core.outcome import Outcome
from entracte.core.runs.resuming import calls_wanted, frames_wanted, gates_wanted, resume_run
from entracte.core.runs.retrying import retry_paths, retry_run
from entracte.core.situation import Docs, Situation
from entracte.errors import CorruptDocument, NotFound
from entracte.runtime.engine.engine import Engine
from entracte.runtime.services.spending import open_run

MAX_COMMITS = 100
"""Commits that bring one run forward; each takes twenty frames."""


def resume(engine: Engine, run: Run, *, by: str) -> Run:
    """Bring every frame of a stalled run forward again. Gives the run as it is then.

    Raises:
        Conflict: It is not stalled, or another network's.
    """
    engine.process.check_own(run)
    run_id = run.id
    for _ in range(MAX_COMMITS):
        engine.apply(_around_stalled(engine, run), lambda s: resume_run(s, _found(s, run_id), by=by))
        run = _again(engine, run)
        if run.status != "stalled":
            break
    return run


def retry(engine: Engine, run: Run, *, by: str) -> Run:
    """Make the move again that a run has failed at; what was done before stays done. Gives the run as it is then.

    Raises:
        Conflict: It has not failed, its budget is used up, or it is another network's.
    """
    engine.process.check_own(run)
    root = Docs(engine.repository.load((frame_path(run.id, run.id),)).documents).frame(run.id, run.id)
    if root is None:
        raise NotFound(f"Run {run.id} has lost its root frame.", code="run_not_found")

    def decide(s: Situation) -> Outcome:
        frame, session = s.docs.frame(run.id, run.id), s.docs.session(run.session)
        if frame is None or session is None:
            raise CorruptDocument(f"Run {run.id} has lost its root frame or {session_path(run.session)}.")
        return retry_run(s, _found(s, run.id), frame, session, by=by)

    open_run(engine, run.owner, retry_paths(run, root), decide)
    return _again(engine, run)


def _around_stalled(engine: Engine, run: Run) -> tuple[str, ...]:
    """Every document that resuming the next frames is decided by."""
    frames = frames_wanted(run)
    docs = Docs(engine.repository.load(frames).documents)
    calls = calls_wanted(frame for id in run.stalled if (frame := docs.frame(run.id, id)) is not None)
    docs = Docs(engine.repository.load(calls).documents)
    gates = gates_wanted(action for path in calls if (action := docs.find(path, Action)) is not None)
    return (*frames, *calls, *gates)


def _found(s: Situation, run: str) -> Run:
    found = s.docs.run(run)
    if found is None:
        raise NotFound(f"There is no run {run!r}.", code="run_not_found")
    return found


def _again(engine: Engine, run: Run) -> Run:
    found = Docs(engine.repository.load((run_path(run.id),)).documents).run(run.id)
    return found or run
