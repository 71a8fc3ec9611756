"""memorize: after an answer, decides whether something of it is to be remembered, and writes it down.

A judge says whether, a writer says how, then the embedding model says what it means. Each is a turn of its own with a
commit of its own, so that a delivery which dies goes on where it was. Ids come from the run: nothing is kept twice.
"""

from __future__ import annotations

from typing import Any

from entracte.core.addresses import entry_path, frame_path, memory_index_path, memory_path, run_path
from entracte.core.asking.memory import MAX_KEPT, judge_request, refine_request
from entracte.core.asking.reply_notes import fault_in
from entracte.core.documents.frame import Frame
from entracte.core.documents.journal import Entry, EventRecord
from entracte.core.documents.memory_item import MemoryIndex, MemoryItem
from entracte.core.documents.run import Run
from entracte.core.effects import AskModel, Embed, Embedded, Fetch
from entracte.core.entry import run_entry
from entracte.core.events import record
from entracte.core.frames.budget_check import affordable_after
from entracte.core.local_time import local_time
from entracte.core.memory.naming import memory_id
from entracte.core.memory.spec import MemorySpec
from entracte.core.messages import Message
from entracte.core.modelling import ModelReply, Usage
from entracte.core.outcome import Outcome, Put, nothing
from entracte.core.situation import Situation
from entracte.errors import InvalidInput, TerminalError

Standing = tuple[Run, Frame, MemorySpec]


def paths(message: Message) -> tuple[str, ...]:
    """The run, its root frame, and how far it has come with remembering it."""
    run = message.run
    return run_path(run), frame_path(run, run), *(entry_path(run, _move(run, name)) for name in ("judged", "kept"))


def decide(s: Situation, message: Message) -> AskModel | Embed | Fetch | Outcome:
    """Ask whether anything is to be remembered, then in which words, then what these mean."""
    match _standing(s, message):
        case Outcome() as found:
            return found
        case run, root, memory:
            pass
    if (kept := _entry(s, run, "kept")) is not None:
        return _embed(s, run, kept)
    if missing := s.docs.unread(_places(run)):
        return Fetch(missing)
    today = _today(s, run)
    if (judged := _entry(s, run, "judged")) is not None:
        what = judged.events[0].data.value["keep"]
        request = refine_request(s.blueprint, memory, run, root, today=today, what=what)
    else:
        request = judge_request(s.blueprint, memory, run, root, today=today)
    if not isinstance(asked := affordable_after(s, run, request), str):
        return AskModel(asked)
    told = record("thought", text=f"Nothing is remembered, since the budget has no room for it: {asked}")
    return _done(s, run, "kept", (told,))


def conclude(
    s: Situation, message: Message, effect: AskModel | Embed, result: ModelReply | Embedded | TerminalError
) -> Outcome | Fetch:
    """Record the verdict, the memories, or their meaning."""
    match _standing(s, message):
        case Outcome() as found:
            return found
        case run, _, memory:
            pass
    if missing := s.docs.unread(_places(run)):
        return Fetch(missing)
    kept = _entry(s, run, "kept")
    if isinstance(effect, Embed):
        return _embedded(s, run, effect, result) if kept is not None else nothing("nothing was kept")
    if kept is not None or (_entry(s, run, "judged") is not None) != (effect.request.purpose == "refine"):
        return nothing("another delivery has done it")
    assert not isinstance(result, Embedded)
    if isinstance(result, TerminalError) or (fault := fault_in(effect.request, result)):
        why = str(result) if isinstance(result, TerminalError) else fault
        usage = Usage() if isinstance(result, TerminalError) else result.usage
        told = record("thought", text=f"Nothing is remembered, since the model could not be used: {why}")
        return _done(s, run, "kept", (told,), usage=usage)
    if effect.request.purpose == "judge":
        return _judged(s, run, result)
    return _written(s, run, memory, result)


def _judged(s: Situation, run: Run, reply: ModelReply) -> Outcome:
    verdict: Any = reply.value
    what = str(verdict["what"]).strip() if verdict["keep"] else ""
    if not what:
        told = record("thought", text=f"Nothing to remember: {verdict['why']}")
        return _done(s, run, "kept", (told,), usage=reply.usage, served=reply.served)
    told = record("thought", text=f"To be remembered: {verdict['why']}", keep=what)
    entry = run_entry(s, run, "memory.judged", phase="memorize", events=(told,), usage=reply.usage, served=reply.served)
    return Outcome(puts=_counted(s, run, reply.usage), entry=entry, more=True)


def _written(s: Situation, run: Run, memory: MemorySpec, reply: ModelReply) -> Outcome:
    """The memories, as many as there is room for, each with its event."""
    value: Any = reply.value
    place = memory_index_path(run.owner)
    index = s.docs.find(place, MemoryIndex) or MemoryIndex(owner=run.owner)
    puts: list[Put] = []
    events: list[EventRecord] = []
    for number, said in enumerate(value["memories"][:MAX_KEPT]):
        path = memory_path(run.owner, memory_id(f"{run.id}/{number}"))
        if index.count >= memory.max_items:
            events.append(record("thought", text=f"Not remembered: {memory.max_items:,} memories are the most."))
            break
        try:
            item = MemoryItem.of(
                id=memory_id(f"{run.id}/{number}"),
                owner=run.owner,
                persona=memory.persona,
                text=said["text"],
                category=said["category"],
                tags=[tag for tag in said["tags"] if tag.strip()],
                day=_today(s, run),
                run=run.id,
                created=s.now,
            )
        except InvalidInput as error:
            events.append(record("thought", text=f"Not remembered: {error}"))
            continue
        index = index.plus(item, 1)
        puts.append(Put(path, item))
        events.append(
            record("memory.saved", memory=item.id, text=item.text, category=item.category, tags=list(item.tags))
        )
    if puts:
        puts.append(Put(place, index))
    means = bool(puts) and bool(s.blueprint.roles.embed)
    return _done(s, run, "kept", tuple(events), tuple(puts), usage=reply.usage, served=reply.served, more=means)


def _embed(s: Situation, run: Run, kept: Entry) -> Embed | Fetch | Outcome:
    """What has no meaning yet is given one; otherwise all is done."""
    if not any(event.type == "memory.saved" for event in kept.events) or not s.blueprint.roles.embed:
        return nothing("it was decided before")
    if missing := s.docs.unread(_places(run)):
        return Fetch(missing)
    items = [item for item in _items(s, run) if item.embedding is None]
    return Embed(tuple(item.text for item in items)) if items else nothing("it was decided before")


def _embedded(s: Situation, run: Run, effect: Embed, result: Any) -> Outcome:
    if not isinstance(result, Embedded):
        told = record("thought", text=f"Memories are found by their words only: {result}")
        return _done(s, run, "meant", (told,))
    meanings = dict(zip(effect.texts, result.vectors, strict=True))
    items = [
        item.evolve(embedding=meanings[item.text], embedder=s.blueprint.roles.embed)
        for item in _items(s, run)
        if item.embedding is None and meanings.get(item.text) is not None
    ]
    return _done(s, run, "meant", (), tuple(Put(memory_path(run.owner, item.id), item) for item in items))


def _standing(s: Situation, message: Message) -> Standing | Outcome:
    run, root = s.docs.run(message.run), s.docs.frame(message.run, message.run)
    if run is None or root is None:
        return nothing("no such run")
    if s.blueprint.memory is None:
        return nothing("the network remembers nothing")
    if run.status != "succeeded" or run.output is None:
        return nothing(f"the run is {run.status}")
    return run, root, s.blueprint.memory


def _done(
    s: Situation,
    run: Run,
    move: str,
    events: tuple[EventRecord, ...],
    puts: tuple[Put, ...] = (),
    *,
    usage: Usage | None = None,
    served: str = "",
    more: bool = False,
) -> Outcome:
    """A move after which sweep need not look at the run any more, unless there is `more` to do."""
    counted = run.evolve(usage=run.usage + (usage or Usage()), due=run.due if more else None, sweeps=0)
    entry = run_entry(s, run, f"memory.{move}", phase="memorize", events=events, usage=usage, served=served)
    return Outcome(puts=(Put(run_path(run.id), counted), *puts), entry=entry, more=more)


def _counted(s: Situation, run: Run, usage: Usage) -> tuple[Put, ...]:
    return (Put(run_path(run.id), run.evolve(usage=run.usage + usage)),)


def _entry(s: Situation, run: Run, move: str) -> Entry | None:
    return s.docs.find(entry_path(run.id, _move(run.id, move)), Entry)


def _items(s: Situation, run: Run) -> list[MemoryItem]:
    found = (s.docs.find(path, MemoryItem) for path in _places(run)[1:])
    return [item for item in found if item is not None]


def _places(run: Run) -> tuple[str, ...]:
    """Where the index lies, and the memories that this run may leave."""
    ids = (memory_id(f"{run.id}/{number}") for number in range(MAX_KEPT))
    return memory_index_path(run.owner), *(memory_path(run.owner, id) for id in ids)


def _move(run: str, name: str) -> str:
    return f"{run}.memory.{name}"


def _today(s: Situation, run: Run) -> str:
    return f"{local_time(s.now, run.time_zone):%Y-%m-%d}"
