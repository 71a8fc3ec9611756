"""Forking a run from a step of its root frame."""

from __future__ import annotations

from hashlib import sha256

from msgspec.structs import replace

from entracte.core.addresses import frame_path, run_path
from entracte.core.documents.journal import Entry
from entracte.core.documents.run import Run
from entracte.core.documents.session import Turn
from entracte.core.outcome import Outcome
from entracte.core.runs.boundary import Boundary, boundary_paths, read_boundary
from entracte.core.runs.forking import ForkRequest, fork_run, turns_wanted
from entracte.core.situation import Docs, Situation
from entracte.errors import InvalidInput, NotFound
from entracte.runtime.engine.engine import Engine
from entracte.runtime.services.spending import open_run


def fork(engine: Engine, source: Run, request: ForkRequest, *, idempotency_key: str = "") -> Run:
    """Start a new run at a step of another one; with a key that was used before, find the run that it started.

    Raises:
        NotFound: That step was never reached, or what it began with is gone.
        InvalidInput: The diff does not fit the state, or the key was used with another request.
    """
    request = replace(request, state=engine.withholding.mask(source.owner, dict(request.state)))
    boundary = _boundary(engine, source, request.at)
    wanted = turns_wanted(source, boundary)
    found = engine.repository.load(wanted).documents
    turns = tuple(turn for path in wanted if isinstance(turn := found.get(path), Turn))
    run_id = engine.process.new_token()[:20]
    if idempotency_key:
        run_id = sha256("\0".join((source.owner, "fork", idempotency_key)).encode()).hexdigest()[:20]

    def decide(s: Situation) -> Outcome:
        if s.docs.run(run_id) is not None:
            return Outcome(note="forked before")
        return fork_run(s, request, source, boundary, turns, run_id=run_id)

    open_run(engine, source.owner, (run_path(run_id),), decide)
    run = Docs(engine.repository.load((run_path(run_id),)).documents).run(run_id)
    if run is None:
        raise NotFound(f"Run {run_id} was deleted as soon as it was started.", code="run_not_found")
    if run.request_digest != request.digest:
        raise InvalidInput(
            "This Idempotency-Key was used with another request.",
            remedy="Send a new key with a new request.",
            code="idempotency_key_reused",
        )
    return run


def _boundary(engine: Engine, source: Run, step: int) -> Boundary:
    """What that step of the run's root frame began with."""
    root = Docs(engine.repository.load((frame_path(source.id, source.id),)).documents).frame(source.id, source.id)
    last = root.cursor.step if root is not None else 0
    first = source.forked_at or 1
    if root is None or not first <= step <= last:
        raise NotFound(
            f"Run {source.id} has no step {step} to begin at.",
            remedy=f"Its steps are {first} to {last}." if last >= first else "It has not reached its first step.",
            code="step_not_found",
        )
    paths = boundary_paths(root, step)
    found = engine.repository.load(paths).documents
    entries = (entry for path in reversed(paths) if isinstance(entry := found.get(path), Entry))
    boundary = next((kept for entry in entries if (kept := read_boundary(entry, step)) is not None), None)
    if boundary is None:
        raise NotFound(
            f"What step {step} of run {source.id} began with was not kept.",
            remedy="Fork it at another step.",
            code="step_not_found",
        )
    return boundary
