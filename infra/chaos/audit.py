"""What is true when everything is over: nothing lost, nothing twice, every gate decided once."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from customers import Customers
from people import OVER, wants_undo

from entracte.core.documents.action import Action
from entracte.core.documents.frame import Frame
from entracte.core.documents.gate import Gate
from entracte.core.documents.journal import Entry
from entracte.core.documents.run import Run, Undo
from entracte.ports.store import Query
from entracte.runtime.engine.repository import Repository

ACTED = frozenset({"applied", "reverting", "reverted", "unrecoverable"})
"""Status of actions that have changed something outside."""

PAGE = 1000


@dataclass(slots=True)
class Found:
    """What an audit has found.

    Attributes:
        violations: In words; empty when everything held.
        counts: Of documents and requests.
        statuses: Runs by status.
    """

    violations: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    statuses: Counter[str] = field(default_factory=Counter)


def audit(repository: Repository, customers: Customers, numbers: Mapping[str, int]) -> Found:
    """Compare the documents of the runs with what was done outside."""
    found = Found()
    acted = Counter(request.key for request in customers.requests() if request.acted)
    found.counts["requests to change something"] = len(customers.requests())
    found.counts["changes made"] = acted.total()
    _nothing_twice(acted, found)
    known: set[str] = set()
    places = _places(repository)
    for path, document in _documents(repository, "runs"):
        if isinstance(document, Run) and document.id in numbers:
            _of_run(document, numbers[document.id], customers, found, "; ".join(places[document.id]))
        elif isinstance(document, Run):
            found.violations.append(f"{path} was started though nobody asked for it")
    if found.statuses.total() != len(numbers):
        found.violations.append(f"{len(numbers) - found.statuses.total()} runs are not in the store")
    for _, document in _documents(repository, "actions"):
        if isinstance(document, Action) and document.kind == "tool" and document.effect == "changing":
            known |= _of_action(document, acted, found)
    found.violations += [f"{key}: a change that no action tells of" for key in acted if key not in known]
    _gates(repository, found)
    return found


def _nothing_twice(acted: Counter[str], found: Found) -> None:
    found.violations += [f"{key}: done {times} times" for key, times in acted.items() if times > 1]


def _places(repository: Repository) -> Mapping[str, list[str]]:
    """Where the frames of each run stand, and its calls."""
    places: defaultdict[str, list[str]] = defaultdict(list)
    for _, document in (*_documents(repository, "frames"), *_documents(repository, "actions")):
        match document:
            case Frame():
                where = f"{document.cursor.step}.{document.cursor.phase}, due {document.due}, swept {document.sweeps}"
                places[document.run].append(f"{document.id} at {where}")
            case Action():
                places[document.run].append(f"{document.id} {document.tool} {document.status}, due {document.due}")
            case _:
                pass
    return places


def _of_run(run: Run, number: int, customers: Customers, found: Found, where: str) -> None:
    """It is over; what was undone is gone outside."""
    found.statuses[run.status] += 1
    if run.status not in OVER or (wants_undo(number) and run.status not in ("undone", "partial")):
        found.violations.append(f"run {run.id} is lost: {run.status}; {where}")
    if run.status == "failed":
        found.violations.append(f"run {run.id} has failed: {run.error}")
    left = customers.left(run.id)
    if run.undo is not None and run.undo.stopped:
        found.violations.append(f"undo of run {run.id} stopped: {run.undo.reason} {run.undo}; {where}")
    elif run.undo is not None and not _is_taken_back(run.undo, left):
        found.violations.append(f"run {run.id} was undone, and left {left}")


def _is_taken_back(undo: Undo, left: Mapping[str, Any]) -> bool:
    """What is left is permanent: mails, and notes of which a person said that they happened: their numbers are lost."""
    return left["plan"] == "Free" and len(left["notes"]) + len(left["mails"]) == len(undo.permanent)


def _of_action(action: Action, acted: Counter[str], found: Found) -> set[str]:
    """The keys that its requests had. It says that it was done exactly if it was."""
    found.counts["calls that change something"] += 1
    if bool(acted[action.id]) != (action.status in ACTED):
        found.violations.append(f"{action.id} {action.tool} is {action.status}, and was done {acted[action.id]} times")
    reversals = {key for key in acted if key.startswith(f"{action.id}.undo")}
    if action.reversal is not None:
        reversals.add(action.reversal.key)
    if (undone := sum(acted[key] for key in reversals)) > 1:
        found.violations.append(f"{action.id} {action.tool} was taken back {undone} times")
    if action.status == "reverted" and undone != 1:
        found.violations.append(f"{action.id} {action.tool} is reverted, and was taken back {undone} times")
    return {action.id, *reversals}


def _gates(repository: Repository, found: Found) -> None:
    """Each was decided once, as its document says."""
    decided: Counter[str] = Counter()
    for _, document in _documents(repository, "journal"):
        if isinstance(document, Entry):
            for event in document.events:
                if event.type == "gate.decided" and not (told := event.data.value)["refused"]:
                    decided[told["gate"]] += 1
    for _, document in _documents(repository, "gates"):
        if not isinstance(document, Gate):
            continue
        found.counts["gates"] += 1
        counted = [vote.decision for vote in document.votes if not vote.refused]
        found.counts["answers that came second"] += len(document.votes) - len(counted)
        if document.waiting:
            found.violations.append(f"gate {document.id} still waits")
        if document.status != "cancelled" and (len(counted), decided[document.id]) != (1, 1):
            found.violations.append(
                f"gate {document.id} is {document.status}: votes {counted}, decided {decided[document.id]} times"
            )


def _documents(repository: Repository, collection: str) -> Iterator[tuple[str, Any]]:
    """All of a collection, in the order of their paths."""
    after = None
    while True:
        page = repository.query(Query(collection=collection, after=after, limit=PAGE))
        yield from page.documents.items()
        if len(page.documents) < PAGE:
            return
        after = (None, list(page.documents)[-1])
