"""What phases see and what they give back: the vocabulary of decide and conclude."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from datetime import datetime, timedelta
from typing import Any, TypeVar

from msgspec import Struct, field

from entracte.core import addresses
from entracte.core.blueprint import AgentSpec, Blueprint
from entracte.core.calls import Call, Prepared, Record, ToolOutcome
from entracte.core.documents.action import Action
from entracte.core.documents.artifact import Artifact
from entracte.core.documents.base import Document
from entracte.core.documents.frame import Frame
from entracte.core.documents.gate import Gate
from entracte.core.documents.journal import Entry
from entracte.core.documents.latest_call import LatestCall
from entracte.core.documents.run import Run
from entracte.core.documents.session import Session
from entracte.core.messages import Message
from entracte.core.modelling import ModelReply, ModelRequest
from entracte.core.policy.rule import SnapshotRule
from entracte.core.pricing import Prices
from entracte.core.vector import Vector
from entracte.errors import TerminalError

D = TypeVar("D", bound=Document)


class Docs(Struct, frozen=True):
    """Documents by path, as they were loaded or as the last commit of this delivery left them.

    Attributes:
        asked: Every path that was read. One that is not among the documents does not exist.
    """

    by_path: Mapping[str, Document] = {}
    asked: Set[str] = frozenset()

    def unread(self, paths: Iterable[str]) -> tuple[str, ...]:
        """Those of the paths that have not been looked at yet."""
        return tuple(path for path in paths if path not in self.asked)

    def find(self, path: str, kind: type[D]) -> D | None:
        found = self.by_path.get(path)
        return found if isinstance(found, kind) else None

    def run(self, run: str) -> Run | None:
        return self.find(addresses.run_path(run), Run)

    def frame(self, run: str, frame: str) -> Frame | None:
        return self.find(addresses.frame_path(run, frame), Frame)

    def action(self, run: str, action: str) -> Action | None:
        return self.find(addresses.action_path(run, action), Action)

    def gate(self, gate: str) -> Gate | None:
        return self.find(addresses.gate_path(gate), Gate)

    def latest_call(self, key: str) -> LatestCall | None:
        return self.find(addresses.latest_call_path(key), LatestCall)

    def active_artifacts(self, shelves: Iterable[str]) -> tuple[tuple[str, Artifact], ...]:
        """Path and document of what was read of the shelves' active artifacts, the one changed last first."""
        beginnings = tuple(f"{shelf}/artifacts/" for shelf in shelves)
        found = [(path, doc) for path, doc in self.by_path.items() if isinstance(doc, Artifact)]
        there = (pair for pair in found if pair[0].startswith(beginnings))
        return tuple(sorted(there, key=lambda pair: (pair[1].updated, pair[0]), reverse=True))

    def session(self, session: str) -> Session | None:
        return self.find(addresses.session_path(session), Session)

    def actions(self, run: str, ids: Iterable[str]) -> tuple[Action, ...]:
        """Those of the actions that are there, in the order asked."""
        return tuple(action for id in ids if (action := self.action(run, id)) is not None)


class Situation(Struct, frozen=True, kw_only=True):
    """Everything a decision may depend on.

    Attributes:
        now: Time of the decision, from the Clock port.
        delivery: Random id of this delivery of the message; holds the lease of a call that it starts.
        worker: Process that handles it.
        lease_s: Length of a lease: the function's timeout and a minute.
        committed: This delivery has committed before: what has moved was moved by itself.
        kept_until: When what closes now is deleted, as far as it belongs to a run; None for never.
        call_deadline: Latest time at which a tool call of this delivery may still run.
        attended: The MCP client that asked for the call waits for its end.
        prices: What models cost.
    """

    docs: Docs
    now: datetime
    blueprint: Blueprint
    delivery: str
    worker: str
    lease_s: int
    kept_until: datetime | None
    call_deadline: datetime
    committed: bool = False
    attended: bool = False
    prices: Prices = field(default_factory=Prices)

    @property
    def lease_expires(self) -> datetime:
        """End of a lease taken now."""
        return self.now + timedelta(seconds=self.lease_s)

    def agent(self, name: str) -> AgentSpec | None:
        return self.blueprint.agents.get(name)


class Fetch(Struct, frozen=True):
    """Effect: read more documents, as they are now.

    Attributes:
        shelves: Paths of sessions and shelves whose active artifacts are read, without contents that lie in chunks.
    """

    paths: tuple[str, ...] = ()
    shelves: tuple[str, ...] = ()


class AskModel(Struct, frozen=True):
    """Effect: ask a model. Its result is a `ModelReply` or the `TerminalError` that the model port raised.

    Attributes:
        closing: Nothing is left for more: the reply is the frame's answer.
        watched: Somebody watches the run: what the model writes is shown while it writes.
    """

    request: ModelRequest
    closing: bool = False
    watched: bool = False


class PrepareCall(Struct, frozen=True):
    """Effect: run hooks, check arguments, and read what the call will change. Its result is a `Prepared`."""

    call: Call
    snapshot: SnapshotRule | None = None


class MakeCall(Struct, frozen=True):
    """Effect: call a tool, and read afterwards what it changed. Its result is a `ToolOutcome`.

    Attributes:
        about: Arguments that the snapshot rule refers to; None for those of the call.
        hooks: Run the network's hooks; not for the calls that Entracte makes by itself.
    """

    call: Call
    snapshot: SnapshotRule | None = None
    about: Mapping[str, Any] | None = None
    hooks: bool = True


class ReadRecord(Struct, frozen=True):
    """Effect: read what a call changes, as it is now. Its result is a `Record`."""

    call: Call
    snapshot: SnapshotRule


class Announce(Struct, frozen=True):
    """Effect: tell those who may decide a gate that it waits. Its result says by which ways they were told."""

    gate: Gate
    reminder: bool = False


class Survey(Struct, frozen=True):
    """Effect: find what a run has done. Its result is a `Surveyed`."""

    run: str


class Surveyed(Struct, frozen=True):
    """The actions of a run that have changed something or may have, in the order of their effects, oldest first.

    Those that were taken back keep their place.
    """

    actions: tuple[Action, ...]


class Recall(Struct, frozen=True, kw_only=True):
    """Effect: look up what is remembered of an owner and may matter. Its result is a `Recalled`.

    Attributes:
        text: What it may matter for.
    """

    owner: str
    text: str


class Recalled(Struct, frozen=True):
    """What was found, a line each, and why not more could be looked up, if so."""

    lines: tuple[str, ...]
    error: str = ""


class Embed(Struct, frozen=True):
    """Effect: ask the embedding model what texts mean. Its result is an `Embedded`, or the model's `TerminalError`."""

    texts: tuple[str, ...]


class Embedded(Struct, frozen=True):
    """A vector for each text; None for one that says nothing."""

    vectors: tuple[Vector | None, ...]


class ShapeStage(Struct, frozen=True):
    """Effect: run the functions that a pipeline's author gave. Its result is a `Shaped` or a `TerminalError`.

    Attributes:
        transform: Stage whose function is applied to the result; None for none.
        task: Stage whose function makes its task of that; None for none.
        result: What the last stage gave.
    """

    pipeline: str
    transform: int | None
    task: int | None
    result: Any


class Shaped(Struct, frozen=True, kw_only=True):
    """What the functions gave: the last stage's result, and the next one's task where it was asked for."""

    result: Any
    task: Any = None


Effect = Fetch | AskModel | PrepareCall | MakeCall | ReadRecord | Announce | Survey | Recall | Embed | ShapeStage
Result = ModelReply | Shaped | Prepared | ToolOutcome | Record | Surveyed | Recalled | Embedded | TerminalError | str


class Put(Struct, frozen=True):
    """Create the document, or bring the loaded one to this state."""

    path: str
    document: Document


class Outcome(Struct, frozen=True, kw_only=True):
    """What one turn does to the documents, all of it or nothing, and what it sends afterwards.

    Attributes:
        puts: Documents to write.
        verifies: Paths that must not have changed since they were loaded.
        entry: Journal entry of the move; None when nothing is written.
        messages: Published after the commit.
        more: The same subject has another turn in this delivery.
        note: Why nothing was done; for the log.
    """

    puts: tuple[Put, ...] = ()
    verifies: tuple[str, ...] = ()
    entry: Entry | None = None
    messages: tuple[Message, ...] = ()
    more: bool = False
    note: str = ""


def nothing(note: str) -> Outcome:
    """The subject has moved on, or never was: acknowledge and change nothing."""
    return Outcome(note=note)
