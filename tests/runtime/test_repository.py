"""Typed documents over a store: field masks, revisions, payloads too large to lie inline (repository.py)."""

import json

import pytest
from msgspec.structs import asdict, replace

from entracte.adapters.memory.store import MemoryStore
from entracte.adapters.sqlite.store import SqliteStore
from entracte.agents import tool
from entracte.core.outcome import Put
from entracte.core.payload import INLINE_BYTES, Payload
from entracte.errors import CorruptDocument, NewerSchema, StaleWrite
from entracte.ports.store import Create, Query, Update, Where
from entracte.runtime.engine.repository import Loaded, Repository
from entracte.runtime.services.rendering import action_json, entry_json
from entracte.testing.crashing import Crash, CrashingStore, Fuse
from entracte.testing.world import World
from tests.core.builders import NOW, a_frame, a_run, an_action
from tests.runtime.scenes import a_world, events, the_action, value
from tests.runtime.script import Script, calls, results

RUN, FRAME = "runs/r", "runs/r/frames/r"


class RecordingStore(MemoryStore):
    """Keeps the writes of each commit."""

    def __init__(self):
        super().__init__()
        self.commits = []

    def commit(self, writes):
        self.commits.append(list(writes))
        return super().commit(writes)


@pytest.fixture(params=["memory", "sqlite"])
def store(request, tmp_path):
    """Each store that needs nothing but this process."""
    if request.param == "memory":
        yield RecordingStore()
        return
    store = SqliteStore(tmp_path / "store.db")
    yield store
    store.close()


def stored(store, path, document):
    """The document written, and loaded again."""
    Repository(store).commit(Loaded(), [Put(path, document)])
    return Repository(store).load([path])


def by_hand(store, path, **fields):
    """Change fields as a newer version or a person would."""
    store.commit([Update(path, fields, store.load([path])[path].version)])


def test_a_field_that_this_version_does_not_know_survives_its_writes(store):
    """Changes are additive: what a newer version has put there is still there after an older one wrote."""
    stored(store, RUN, a_run())
    by_hand(store, RUN, mood="good", plans={"next": [1, {"a": 2}]})
    repository = Repository(store)
    loaded = repository.load([RUN])
    repository.commit(loaded, [Put(RUN, loaded.documents[RUN].evolve(status="waiting"))])
    fields = store.load([RUN])[RUN].fields
    assert (fields["mood"], fields["plans"], fields["status"]) == ("good", {"next": [1, {"a": 2}]}, "waiting")


def test_a_write_names_only_what_changed():
    """And the revision, which every write raises, so that a write always changes something."""
    store = RecordingStore()
    loaded = stored(store, RUN, a_run())
    Repository(store).commit(loaded, [Put(RUN, loaded.documents[RUN].evolve(status="waiting"))])
    ((update,),) = store.commits[1:]
    assert update.fields == {"status": "waiting", "rev": 2}


def test_a_page_ends_where_its_payloads_become_too_many(store):
    """Two hundred documents of some megabytes each would not fit into an instance. The next page goes on behind it."""
    large = Payload.of("x" * 300_000)
    for n in range(5):
        stored(store, f"runs/r{n}", a_run(id=f"r{n}", input=large if n else Payload.of("x" * 900_000)))
    query, pages = Query(collection="runs", limit=10), []
    while len(pages) < 9:
        page = Repository(store).query(query, max_bytes=650_000)
        pages.append([run.id for run in page.documents.values() if run.input.value])
        if page.end is None:
            break
        query = replace(query, after=page.end)
    assert pages == [["r0"], ["r1", "r2"], ["r3", "r4"]]


def test_every_write_raises_the_revision(store):
    """Also one that changes nothing else: on some stores it would keep its update time otherwise."""
    loaded = stored(store, RUN, a_run())
    for rev in (2, 3, 4):
        Repository(store).commit(loaded, [Put(RUN, loaded.documents[RUN])])
        assert Repository(store).load([RUN]).documents[RUN].rev == rev


def test_after_a_commit_the_documents_in_hand_are_those_stored(store):
    """A delivery's next turn goes on from them without reading again."""
    repository = Repository(store)
    loaded = Loaded()
    repository.commit(loaded, [Put(RUN, a_run()), Put(FRAME, a_frame())])
    again = repository.load([RUN, FRAME])
    assert (loaded.documents, loaded.asked) == (again.documents, again.asked)
    assert loaded.versions == again.versions


def test_a_commit_is_refused_when_anything_it_writes_or_relies_on_has_moved(store):
    """Then nothing of it is written."""
    repository = Repository(store)
    repository.commit(Loaded(), [Put(RUN, a_run()), Put(FRAME, a_frame())])
    loaded = repository.load([RUN, FRAME])
    by_hand(store, RUN, mood="good")
    frame = loaded.documents[FRAME].evolve(calls=3)
    for verifies in ([RUN], ["runs/gone"]):
        with pytest.raises(StaleWrite):
            repository.commit(loaded, [Put(FRAME, frame)], verifies)
    with pytest.raises(StaleWrite):
        repository.commit(Loaded(), [Put(FRAME, frame)])
    assert repository.load([FRAME]).documents[FRAME].calls == 0


def test_a_document_of_a_newer_schema_cannot_be_loaded(store):
    """It says who can read it."""
    stored(store, RUN, a_run())
    by_hand(store, RUN, schema_version=2)
    with pytest.raises(NewerSchema, match=r"runs/r has schema 2"):
        Repository(store).load([RUN])


def test_a_query_can_pass_over_what_cannot_be_read(store):
    """One damaged document must not hide all others from sweep; what was passed over is said."""
    for name in ("a", "b", "c"):
        stored(store, f"runs/{name}", a_run(id=name, due=NOW))
    by_hand(store, "runs/a", schema_version=2)
    by_hand(store, "runs/b", status="dancing")
    query = Query(collection="runs", where=(Where("due", "<=", NOW),))
    unreadable: list = []
    found = Repository(store).query(query, unreadable=unreadable)
    assert list(found.documents) == ["runs/c"]
    assert [type(error) for error in unreadable] == [NewerSchema, CorruptDocument]
    with pytest.raises(NewerSchema):
        Repository(store).query(query)


LARGE = {"rows": ["漢字🜁" * 10] * 30_000}  # 3.1 MB
SMALL = "x" * (INLINE_BYTES - 2)


def test_a_large_payload_comes_back_as_it_was(store):
    """Wherever in a document it lies; the document itself stays small."""
    action = an_action(arguments=Payload.of(LARGE), result=Payload.of([LARGE["rows"][:20_000]]))
    loaded = stored(store, "runs/r/actions/r.1.0", action)
    assert loaded.documents["runs/r/actions/r.1.0"].evolve(rev=0) == action
    (kept,) = store.load(["runs/r/actions/r.1.0"]).values()
    assert (kept.fields["arguments"]["text"], kept.fields["arguments"]["chunks"]) == ("", 6)
    assert len(store.query(Query(collection="chunks", parent="runs/r"))) == 6 + 4


def test_a_payload_at_the_limit_lies_inline(store):
    """It costs no second round trip."""
    stored(store, RUN, a_run(input=Payload.of(SMALL)))
    assert store.query(Query(collection="chunks")) == []


def test_the_same_payload_is_kept_once(store):
    """Chunks are named by their hash: the journal's copy and the action's are the same."""
    for name in ("r.1.0", "r.1.1"):
        stored(store, f"runs/r/actions/{name}", an_action(id=name, result=Payload.of(LARGE)))
    assert len(store.query(Query(collection="chunks"))) == 6


def test_a_large_payload_is_not_written_again_with_the_next_change():
    """The change names only what it changes."""
    store = RecordingStore()
    loaded = stored(store, RUN, a_run(input=Payload.of(LARGE)))
    before = len(store.commits)
    Repository(store).commit(loaded, [Put(RUN, loaded.documents[RUN].evolve(status="waiting"))])
    assert len(store.commits) == before + 1
    assert Repository(store).load([RUN]).documents[RUN].input.value == LARGE


def test_chunks_are_there_before_the_commit_that_points_to_them():
    """And no commit is larger than a store takes."""
    store = RecordingStore()
    stored(store, RUN, a_run(input=Payload.of(LARGE)))
    kinds = [{write.path.split("/")[-2] for write in commit} for commit in store.commits]
    assert kinds == [{"chunks"}, {"chunks"}, {"runs"}]


def test_a_crash_between_chunks_and_commit_harms_nothing():
    """The next try finds the chunks there and goes on; retention removes what nobody points to."""
    store = MemoryStore()
    fuse = Fuse()
    stored(CrashingStore(store, fuse), RUN, a_run(input=Payload.of(LARGE)))
    assert fuse.points.count("after commit") == 3
    for at in range(len(fuse.points)):
        store = MemoryStore()
        with pytest.raises(Crash):
            stored(CrashingStore(store, Fuse(at)), RUN, a_run(input=Payload.of(LARGE)))
        if not store.load([RUN]):
            stored(store, RUN, a_run(input=Payload.of(LARGE)))
        assert Repository(store).load([RUN]).documents[RUN].input.value == LARGE


@pytest.mark.parametrize(
    "edited", [{"chunks": "7"}, {"chunks": 10**12}, {"chunks": -1}, {"chunks": 1, "sha256": "../x"}], ids=str
)
def test_a_payload_that_somebody_edited_is_a_corrupt_document(store, edited):
    """It is not looked for in a trillion places."""
    stored(store, RUN, a_run())
    by_hand(store, RUN, input=asdict(Payload.of(LARGE)) | {"text": ""} | edited)
    with pytest.raises(CorruptDocument, match="runs/r"):
        Repository(store).load([RUN])


def test_a_missing_chunk_is_a_corrupt_document(store):
    """It is never taken for a shorter value."""
    stored(store, RUN, a_run(input=Payload.of(LARGE)))
    by_hand(store, RUN, input=asdict(Payload.of(LARGE)) | {"text": "", "chunks": 7})
    with pytest.raises(CorruptDocument, match=r"runs/r: a chunk of the payload [0-9a-f]{12}… is missing"):
        Repository(store).load([RUN])


def test_a_result_of_three_megabytes_goes_through_a_run_unchanged(store):
    """Action, journal and what the API gives; the judge is shown the beginning of it."""

    @tool(effect="readonly")
    def dump() -> dict[str, list[str]]:
        """Give everything."""
        return LARGE

    model = Script([calls(("dump", {})), "done"])
    world = World(a_world(model, dump).network, model, store=store)
    run = world.ask("Dump.")
    assert run.status == "succeeded"
    assert value(the_action(world, run).result) == LARGE
    assert action_json(the_action(world, run))["result"] == LARGE
    (result,) = events(world, run, "tool.result")
    assert result.data["result"] == LARGE
    assert any(LARGE in json_values(entry_json(entry)) for entry in world.process.runs.journal(run).items)
    (shown,) = results(model.asked("evaluate")[0])
    assert shown["result"].startswith('{"rows":["漢字🜁')
    assert shown["result"].endswith("more characters are kept, not shown)")


def json_values(journal_entry):
    """Results that an entry tells of, after a trip through JSON."""
    return [event["data"].get("result") for event in json.loads(json.dumps(journal_entry))["events"]]


def test_documents_are_deleted_as_they_were_found():
    """What has changed since stays, with all that was to go with it."""
    store = MemoryStore()
    repository = Repository(store)
    first = store.commit([Create(RUN, {"rev": 1}), Create(FRAME, {"rev": 1})])
    store.commit([Update(RUN, {"rev": 2}, first[RUN])])
    for paths in ([FRAME], [RUN, FRAME]):
        with pytest.raises(StaleWrite):
            repository.delete(paths, unchanged={RUN: first[RUN]})
    assert {*store.load([RUN, FRAME])} == {RUN, FRAME}
    repository.delete([RUN, FRAME], unchanged={RUN: store.load([RUN])[RUN].version})
    assert store.load([RUN, FRAME]) == {}
