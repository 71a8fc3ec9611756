"""Runs that older versions have recorded: every later version reads, goes on with and undoes them."""

from __future__ import annotations

import pytest

from entracte.core.addresses import KINDS, kind_of
from entracte.core.documents.run import Status
from entracte.core.messages import Message
from entracte.errors import NewerSchema
from entracte.runtime.services.rendering import action_json, entry_json, frame_json, gate_json, run_json
from tests.journal.recording import FOLDER, Recording
from tests.journal.stories import STORIES, Play

NAMES = sorted(STORIES)


def recording(name: str) -> Recording:
    """The recording of a story."""
    return Recording.read(FOLDER / f"{name}.json")


def test_every_story_is_recorded_and_every_recording_has_its_story():
    """`python -m tests.journal.record` records what is missing."""
    assert sorted(path.stem for path in FOLDER.glob("*.json")) == NAMES


def test_runs_of_every_kind_are_recorded():
    """Or some status would never be read back; a queued run has done nothing yet."""
    statuses = {run["status"] for name in NAMES for _, path, run in recording(name).documents if path.count("/") == 1
                if path.startswith("runs/")}  # fmt: skip
    assert statuses == set(Status.__args__) - {"queued"}  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", NAMES)
def test_a_recorded_run_is_read(name: str):
    """Each of its documents, and everything that is shown of it."""
    recorded = recording(name)
    for _, path, fields in recorded.documents:
        assert kind_of(path).read(path, fields).encoded().keys() >= fields.keys() - {"due"}
    play = Play.of(recorded)
    runs = play.world.process.runs
    run = play.world.run(recorded.run)
    gates = play.world.process.gates.of_run(run.id)
    assert run_json(run, gates)["status"] == STORIES[name].status
    assert frame_json(runs.frames(run)[0])["id"] == run.id
    assert all(entry_json(entry)["id"] for entry in runs.journal(run).items)
    assert [action_json(action)["id"] for action in runs.actions(run)]
    assert [gate_json(gate)["run"] for gate in gates] == [run.id] * len(gates)


@pytest.mark.parametrize("name", [name for name in NAMES if STORIES[name].go_on is not None])
def test_a_recorded_run_goes_on(name: str):
    """As it would have then; nothing of it that was done is done again."""
    play = Play.of(recording(name))
    go_on, status = STORIES[name].go_on or (lambda play: play, "")
    go_on(play)
    assert play.status == status
    assert all(times == 1 for times in play.shop.keys.values())


@pytest.mark.parametrize("name", NAMES)
def test_a_recorded_run_is_undone(name: str):
    """In the order in which its effects were committed then; what it could not take back then it reports."""
    recorded, story = recording(name), STORIES[name]
    play = Play.of(recorded)
    if story.go_on is not None:
        story.go_on[0](play)
    if play.status != "undone":
        play.undo()
    assert play.status == story.undone
    if name not in ("drifted", "forked"):
        assert play.shop.plans() == {id: record["plan"] for id, record in recorded.before.items()}


def test_an_undo_of_a_recorded_fork_leaves_what_the_run_before_it_did():
    """The record that the first run has added stays."""
    recorded = recording("forked")
    play = Play.of(recorded).undo()
    added = set(recorded.records) - set(recorded.before)
    assert set(play.shop.records) == {*recorded.before, *added}
    assert len(added) == 1


@pytest.mark.parametrize("name", NAMES)
def test_a_run_of_a_newer_version_is_refused_clearly_and_left_as_it_is(name: str):
    """Acknowledged, unchanged, and still due: the version that can read it will go on with it."""
    recorded = recording(name)
    play = Play.of(recorded)
    play.world = play.world.again(store=recorded.store(schema_version=2))
    before = play.world.documents()
    with pytest.raises(NewerSchema, match=f"runs/{recorded.run} has schema 2; this version knows 1. Deploy the newer"):
        play.world.process.engine.handle(
            Message(kind="plan", run=recorded.run, session="session", frame=recorded.run, step=1)
        )
    with pytest.raises(NewerSchema):
        play.world.run(recorded.run)
    play.world.clock.advance(days=365)
    play.world.sweep()
    assert play.world.documents() == before
    assert play.world.bus.published == []


def test_the_documents_of_a_recording_are_those_that_this_version_knows():
    """A kind of document that is dropped would orphan what older versions have written."""
    kinds = {path.rsplit("/", 2)[-2] for name in NAMES for _, path, _ in recording(name).documents}
    assert kinds <= set(KINDS)
