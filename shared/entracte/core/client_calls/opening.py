"""Opening the run that an MCP client's calls go to: in the client's session, at its first call."""

from __future__ import annotations

from msgspec import Struct

from entracte.core.addresses import frame_path, run_path, session_path
from entracte.core.budget import Share
from entracte.core.client_calls.client import CLIENT, IDLE, MAX_CALLS
from entracte.core.documents.frame import Cursor, Frame
from entracte.core.documents.run import Run
from entracte.core.documents.session import Session
from entracte.core.entry import frame_entry
from entracte.core.events import record
from entracte.core.outcome import Outcome, Put, nothing
from entracte.core.payload import Payload
from entracte.core.situation import Docs, Situation
from entracte.errors import Forbidden


class Client(Struct, frozen=True, kw_only=True):
    """One session of an MCP client.

    Attributes:
        owner: Whose calls they are.
        session: Id of Entracte's session, equal for all calls of this client's session.
        name: What the client calls itself.
    """

    owner: str
    session: str
    name: str = "an MCP client"
    metadata: dict[str, str] = {}


def takes_calls(docs: Docs, run_id: str) -> bool:
    """Whether a client's run is open and has room."""
    run, frame = docs.run(run_id), docs.frame(run_id, run_id)
    return run is not None and frame is not None and not run.closed and frame.cursor.step < MAX_CALLS


def open_run(s: Situation, client: Client, *, run_id: str) -> Outcome:
    """The run, its frame, and the session that names it; nothing when the session names one that takes calls.

    Nor when it names one that was not read: another call of the session has just opened it.

    Raises:
        Forbidden: The session is somebody else's, who would see what the client's tools keep in it.
    """
    session = s.docs.session(client.session)
    if session is not None and session.owner != client.owner:
        raise Forbidden("This client's session is somebody else's.", code="session_of_another")
    named = session.client_run if session is not None else ""
    if named and (takes_calls(s.docs, named) or s.docs.unread((run_path(named),))):
        return nothing("opened before")
    asked = {"message": f"Calls of {client.name}."}
    run = Run(
        id=run_id,
        owner=client.owner,
        session=client.session,
        network=s.blueprint.name,
        network_version=s.blueprint.version,
        agent=CLIENT,
        status="running",
        input=Payload.of(asked),
        limits=s.blueprint.limits,
        metadata=client.metadata,
        created=s.now,
        updated=s.now,
    )
    frame = Frame(
        id=run_id,
        run=run_id,
        session=client.session,
        owner=client.owner,
        agent=CLIENT,
        cursor=Cursor(step=0, phase="plan"),
        input=run.input,
        share=Share(),
        moved=s.now,
        due=s.now + IDLE,
        worker=s.worker,
    )
    new = Session(id=client.session, owner=client.owner, created=s.now, updated=s.now)
    naming = (session or new).evolve(client_run=run_id, updated=s.now, expires=s.kept_until)
    started = record("run.started", agent=CLIENT, input=asked, session=client.session, network=s.blueprint.name)
    return Outcome(
        puts=(
            Put(run_path(run_id), run),
            Put(frame_path(run_id, run_id), frame),
            Put(session_path(client.session), naming),
        ),
        entry=frame_entry(s, frame, "started", phase="start", step=0, events=(started,)),
    )
