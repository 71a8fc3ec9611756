"""One question put to a model, and what came of it."""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass
from typing import Any

from crm.database import dump
from crm.deps import open_crm
from crm.questions import Question, missing, uncalled
from entracte.agents import Network
from entracte.errors import EntracteError

MAX_GATES = 10
"""Changes that a run may ask for; each waits at a gate of its own."""

Records = dict[tuple[str, Any], dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One question put to the model.

    Attributes:
        answer: What it answered, or an empty string.
        reason: Why the answer is wrong, or an empty string.
        calls: What it called, as ``tool {arguments}``.
        lacking: Calls that are missing (`Question.calls`).
        damaged: Records that are not as they should be, though nobody asked for that.
        replies, unusable: Model replies, and those of them that could not be used.
        tokens: What it took.
    """

    question: Question
    answer: str
    reason: str
    calls: tuple[str, ...]
    lacking: tuple[str, ...]
    damaged: tuple[str, ...]
    replies: int
    unusable: int
    tokens: int
    seconds: float

    @property
    def right(self) -> bool:
        return not self.reason

    @property
    def called(self) -> bool:
        return not self.lacking

    def as_json(self) -> dict[str, Any]:
        """Everything but how the question is judged."""
        return asdict(self) | {"question": self.question.ask, "right": self.right}


def ask(network: Network, question: Question) -> Trial:
    """Ask in a session of its own, agree to every change that is asked for, and judge what came of it.

    A person would refuse what is wrong: what is damaged here is what a gate has to catch.
    """
    records = open_crm().database
    before = _records(dump(records))
    began = time.monotonic()
    run = network.run(question.ask)
    for _ in range(MAX_GATES):
        for gate in run.gates:
            network.decide(gate["id"], "approve")
        if run.status != "waiting":
            break
        run = network.wait(run.id)
    seconds = time.monotonic() - began
    events = [*network.events(run.id)]
    planned = (call for event in events if event["type"] == "plan.ready" for call in event["data"]["calls"])
    calls = tuple(f"{call['tool']} {json.dumps(call['arguments'], ensure_ascii=False)}" for call in planned)
    undone, damaged = _judged(question, before, _records(dump(records)))
    try:
        answer = run.raise_for_status().text
        wrong = [f"says nothing like {pattern}" for pattern in missing(question, answer)]
        if answer.strip().casefold() == question.ask.casefold():
            wrong.append("says the question back")
        if run.error:  # the answer is what had been found, put together without the model
            wrong.append(f"did not come to an end: {run.error}")
    except EntracteError as error:
        answer, wrong = "", [str(error)]
    return Trial(
        question=question,
        answer=answer,
        reason="; ".join([*undone, *(f"changes {record}" for record in damaged), *wrong]),
        calls=calls,
        lacking=tuple(uncalled(question, calls)),
        damaged=tuple(damaged),
        replies=run.usage["model_calls"],
        unusable=sum(1 for event in events if event["type"] == "error" and "fault" in event["data"]),
        tokens=run.usage["tokens"],
        seconds=seconds,
    )


def _judged(question: Question, before: Records, after: Records) -> tuple[list[str], list[str]]:
    """Changes that were asked for and not made, and changes that were made and not asked for."""
    undone, damaged = [], []
    for key in before | after:
        was, found = before.get(key, {}), after.get(key, {})
        asked = question.change.get(key[1], {}) if key[0] == "customers" else {}
        undone += [f"leaves {field} of {key[1]} as it was" for field in asked if found.get(field) == was.get(field)]
        for field in was | found:
            if found.get(field) not in (was.get(field), asked.get(field, was.get(field))):
                damaged.append(f"{field} of {key[0]} {key[1]} to {found.get(field)!r}")
    return undone, damaged


def _records(lines: str) -> Records:
    rows = [json.loads(line) for line in lines.splitlines()]
    return {(row["table"], row.get("id", row.get("number"))): row for row in rows}
