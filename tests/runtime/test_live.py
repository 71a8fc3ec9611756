"""What a model writes is told while it writes it (runtime/engine/live_writing.py, live_reading.py)."""

from datetime import timedelta

import pytest

from entracte.agents import Hook
from entracte.core.addresses import live_path, run_path
from entracte.core.modelling import Delta
from entracte.runtime.watching.journal_tail import START
from tests.runtime.scenes import a_world, events
from tests.runtime.script import Script


class Writing(Script):
    """Writes its replies in pieces, and lets half a second pass after each.

    Attributes:
        pieces: What it writes of each answer.
        after_piece: What happens after each piece.
        streams: How often it was asked for a stream.
    """

    def __init__(self, *pieces):
        super().__init__(["".join(piece.text for piece in pieces if piece.kind == "text") or "done"])
        self.pieces = pieces
        self.world = None
        self.after_piece = lambda number: None
        self.streams = 0

    def generate(self, request, *, deadline_s, on_delta=None):
        reply = super().generate(request, deadline_s=deadline_s)
        self.streams += on_delta is not None
        if on_delta is not None and request.purpose == "plan":
            for number, piece in enumerate(self.pieces):
                on_delta(piece)
                self.world.clock.advance(seconds=0.5)
                self.after_piece(number)
        return reply


PIECES = (Delta("thought", "Hm. "), Delta("thought", "Yes."), *(Delta("text", f"word{n} ") for n in range(8)))


class Seeing:
    """Keeps the events."""

    def __init__(self, **attributes):
        self.events = []
        self.__dict__ |= attributes

    def on_event(self, event):
        self.events.append(event)


def writing(*pieces, **network):
    """A world with such a model."""
    model = Writing(*(pieces or PIECES))
    world = model.world = a_world(model, **network)
    return world, model


def watch(world, run):
    """A feed of the run; having looked, it is watched."""
    feed = world.process.events.feed(world.run(run.id), START)
    feed.look()
    return feed


def shown(world, run):
    """The frame's live document, if there is one."""
    loaded = world.process.engine.repository.load((live_path(run.id, run.id),))
    return next(iter(loaded.documents.values()), None)


def test_observers_are_told_each_piece_at_once():
    """With kind and text, in order, before the journal has the whole; none of it is kept."""
    seeing = Seeing()
    world, _ = writing(observers=[seeing])
    run = world.ask("Go.")
    deltas = [event for event in seeing.events if event.type == "model.delta"]
    assert [event.data for event in deltas] == [{"kind": piece.kind, "text": piece.text} for piece in PIECES]
    assert {(e.run_id, e.frame_id, e.agent, e.phase) for e in deltas} == {(run.id, run.id, "desk", "plan")}
    kinds = [event.type for event in seeing.events]
    assert kinds.index("run.ended") > max(n for n, kind in enumerate(kinds) if kind == "model.delta")
    assert events(world, run, "model.delta") == []


def test_nobody_is_told_and_no_stream_is_asked_for_when_nobody_looks():
    """Nor when the only observer wants none."""
    for observers in ([], [Seeing(deltas=False)]):
        world, model = writing(observers=observers)
        run = world.ask("Go.")
        assert (model.streams, shown(world, run)) == (0, None)
        assert [e for o in observers for e in o.events if e.type == "model.delta"] == []


def test_a_watched_run_shows_its_text_at_most_once_a_second_and_only_while_it_is_written():
    """Ten pieces in five seconds are four writes; then the document goes."""
    world, model = writing()
    run = world.start("Go.")
    watch(world, run)
    seen = []
    model.after_piece = lambda number: seen.append(shown(world, run))
    world.settle()
    revs = [live.rev if live is not None else 0 for live in seen]
    assert revs == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    last = seen[-1]
    assert (last.owner, last.agent, last.thought) == ("ada", "desk", "Hm. Yes.")
    assert last.text == "".join(f"word{n} " for n in range(7))
    assert shown(world, run) is None


def test_watchers_read_each_piece_once():
    """Looks between the pieces put together what was written so far, without ids; the journal's events follow."""
    world, model = writing()
    run = world.start("Go.")
    feed = watch(world, run)
    told = []
    model.after_piece = lambda number: told.extend(feed.look().told)
    world.settle()
    while not (news := feed.look()).is_over:
        told += news.told
    texts = {"thought": "", "text": ""}
    for one in told:
        if one.event["type"] == "model.delta":
            assert one.place is None
            texts[one.event["data"]["kind"]] += one.event["data"]["text"]
    assert texts == {"thought": "Hm. Yes.", "text": "".join(f"word{n} " for n in range(7))}
    assert [one.event["type"] for one in told if one.place is not None][-1] == "run.ended"


def test_the_mark_of_being_watched_runs_out():
    """Whoever stopped looking a minute ago is not written for."""
    world, model = writing()
    run = world.start("Go.")
    watch(world, run)
    world.clock.advance(seconds=61)
    world.settle()
    assert model.streams == 0
    assert world.run(run.id).status == "succeeded"


def test_a_run_that_is_cancelled_cuts_the_stream():
    """Within a second: the rest is not read, and nothing comes of it."""
    world, model = writing(observers=[Seeing()])
    run = world.start("Go.")
    pieces = []

    def cancel(number):
        pieces.append(number)
        if number == 3:
            world.process.runs.cancel(run.id, owner="ada")

    model.after_piece = cancel
    world.settle()
    assert pieces == [0, 1, 2, 3]
    ended = world.run(run.id)
    assert (ended.status, ended.output) == ("cancelled", None)
    assert [e.data["status"] for e in events(world, run, "run.ended")] == ["cancelled"]


def test_nothing_is_told_that_a_hook_may_still_change():
    """A masker sees the whole reply, too late for what was told in pieces."""

    class Masking(Hook):
        def after_model(self, request, reply):
            return reply

    seeing = Seeing()
    world, model = writing(observers=[seeing], harness=[Masking()])
    run = world.start("Go.")
    watch(world, run)
    world.settle()
    assert (model.streams, [e for e in seeing.events if e.type == "model.delta"]) == (0, [])


@pytest.mark.parametrize("failing", ["load", "commit"])
def test_a_store_that_cannot_be_reached_does_not_disturb_the_model(failing):
    """Live text is worth no more than a try."""
    from entracte.errors import StoreUnavailable

    world, model = writing()
    run = world.start("Go.")
    watch(world, run)

    class Failing:
        def __init__(self, store):
            self.store, self.down = store, False

        def __getattr__(self, name):
            return getattr(self.store, name)

        def load(self, paths):
            if self.down and failing == "load":
                raise StoreUnavailable("Down.")
            return self.store.load(paths)

        def commit(self, writes):
            if self.down and failing == "commit":
                raise StoreUnavailable("Down.")
            return self.store.commit(writes)

    stores = []
    world.process = world.new_process(store=lambda store: stores.append(Failing(store)) or stores[-1])

    def fail(number):
        stores[0].down = number < len(PIECES) - 1

    model.after_piece = fail
    world.settle()
    assert world.run(run.id).status == "succeeded"


def test_a_long_text_keeps_its_end():
    """The document stays small; those who look often enough miss nothing."""
    from entracte.runtime.engine.live_writing import KEPT_CHARS

    world, model = writing(*(Delta("text", f"{n:05d}" * 1000) for n in range(10)))
    run = world.start("Go.")
    watch(world, run)
    seen = []
    model.after_piece = lambda number: seen.append(shown(world, run))
    world.settle()
    last = seen[-1]
    assert (len(last.text), last.text_chars) == (KEPT_CHARS, 45_000)
    assert last.text.endswith("00008")


def test_watching_writes_the_run_seldom():
    """At half the time of the mark, not with each look: phases rely on the run document."""
    world, _ = writing()
    run = world.start("Go.")
    feed = watch(world, run)
    for _ in range(29):
        world.clock.advance(seconds=1)
        feed.look()
    assert world.run(run.id).rev == 2
    world.clock.advance(seconds=2)
    feed.look()
    marked = world.process.engine.repository.load((run_path(run.id),)).documents[run_path(run.id)]
    assert (marked.rev, marked.watched_until) == (3, world.clock.now() + timedelta(seconds=60))
