"""What phases see: the documents, and all else that a decision may depend on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from datetime import datetime, timedelta
from typing import TypeVar

from msgspec import Struct, field

from entracte.core import addresses
from entracte.core.blueprint import AgentSpec, Blueprint
from entracte.core.documents.action import Action
from entracte.core.documents.artifact import Artifact
from entracte.core.documents.base import Document
from entracte.core.documents.frame import Frame
from entracte.core.documents.gate import Gate
from entracte.core.documents.latest_call import LatestCall
from entracte.core.documents.run import Run
from entracte.core.documents.session import Session
from entracte.core.pricing import Prices

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
