"""Documents and their stored shape (documents/)."""

import pytest

from entracte.core.addresses import KINDS
from entracte.core.documents.artifact import Artifact
from entracte.core.documents.frame import Exchange, Frame
from entracte.core.documents.gate import Gate, GateFacts, Vote
from entracte.core.documents.journal import Entry
from entracte.core.documents.latest_call import LatestCall
from entracte.core.documents.letter import Letter
from entracte.core.documents.line import EXCERPT_CHARS, Line
from entracte.core.documents.live import Live
from entracte.core.documents.memory_item import DayCount, MemoryIndex, MemoryItem
from entracte.core.documents.payload_fields import payload_fields
from entracte.core.documents.run import Undo
from entracte.core.documents.session import TURN_CHARS, Turn
from entracte.core.documents.spending import OpenRun, Spending
from entracte.core.events import record
from entracte.core.modelling import Usage
from entracte.core.payload import Payload, digest
from entracte.core.state import Drawer, Item
from entracte.core.vector import Vector
from entracte.errors import CorruptDocument, NewerSchema
from tests.core.builders import NOW, a_frame, a_lease, a_run, a_session, an_action

UNDO = Undo(id="u", by="ada", surveyed=True, order=("r.1.0",), next=1, taken_back=("write(id=1)",), left=("send()",))

DOCUMENTS = {
    "runs/r": a_run(output=Payload.of("x"), metadata={"ticket": "T-7"}, usage=Usage(prompt_tokens=3), undo=UNDO),
    "runs/r/frames/r": a_frame(
        local={"goals": Drawer((Item("G_001", "g"),), given=2)},
        exchanges=(Exchange(calls="c", results="r"),),
        feedback=("told",),
        repeats={"a": 2},
    ),
    "runs/r/actions/r.1.0": an_action(status="started", lease=a_lease(), result=Payload.of([1.0, None])),
    "runs/r/journal/r.1.plan": Entry(
        id="r.1.plan",
        run="r",
        frame="r",
        owner="ada",
        agent="desk",
        step=1,
        phase="plan",
        at=NOW,
        events=(record("thought", text="hm"),),
    ),
    "runs/r/live/r": Live(
        run="r", frame="r", owner="ada", agent="desk", step=1, phase="plan", reply="d", text="He", text_chars=2, at=NOW
    ),
    "gates/r.1.0.1": Gate(
        run="r",
        created=NOW,
        votes=(Vote(id="v", by="ada", via="cli", decision="approve", at=NOW),),
        z=GateFacts(
            kind="approval",
            action="r.1.0",
            frame="r",
            session="s",
            owner="ada",
            agent="desk",
            tool="change",
            number=1,
            digest=digest({"a": 1}),
            arguments=Payload.of({"a": 1}),
        ),
    ),
    "latest_calls/k": LatestCall(key="k", owner="ada", run="r", action="r.1.0", told=True, at=NOW),
    "sessions/s/artifacts/a_1": Artifact.of(
        id="a_1", owner="ada", session="s", title="Outline", tags=["plot"], text="One.\nTwo.", now=NOW, active=False
    ),
    "spending/k": Spending(
        owner="ada", day="2026-01-01", settled_micro_usd=7, open=(OpenRun(run="r", reserved_micro_usd=5),)
    ),
    "memories/k": MemoryIndex(owner="ada", days=(DayCount(persona="", day="2026-01-01", count=1),)),
    "memories/k/items/m_0123456789ab": MemoryItem.of(
        id="m_0123456789ab",
        owner="ada",
        text="Ada likes tea.",
        category="preference",
        tags=["tea"],
        day="2026-01-01",
        run="r",
        embedding=Vector.fitted([3, 4]),
        embedder="openai/embed",
        created=NOW,
    ),
    "letters/abc": Letter(source="plan", reason="no JSON", body="{", size_bytes=1, first=NOW, last=NOW, expires=NOW),
    "sessions/s": a_session(
        window=(Line(role="user", text="Go."), Line(role="assistant", text="Done.", did=("look({}) → ok",))),
        opening=(Line(role="user", text="Hello."),),
        summary="They said hello.",
    ),
    "sessions/s/turns/000001": Turn(session="s", run="r", number=1, role="user", text="Go.", did=("x",), at=NOW),
    "sessions/s/turns/000002": Turn(session="s", run="r", number=2, role="system", text="Taken back: …", at=NOW),
}


def test_there_is_an_example_of_every_kind_of_document():
    """Or the tests below test less than they say."""
    assert {type(document) for document in DOCUMENTS.values()} == set(KINDS.values())


@pytest.mark.parametrize("path", DOCUMENTS)
def test_a_document_reads_back_as_it_was_written(path):
    """Whatever phase reads it next sees what the last one decided."""
    document = DOCUMENTS[path]
    assert type(document).read(path, document.encoded()) == document


@pytest.mark.parametrize("path", DOCUMENTS)
def test_a_document_of_a_newer_schema_is_left_alone(path):
    """An older function must not judge what it does not understand."""
    fields = DOCUMENTS[path].encoded() | {"schema_version": 2, "surprise": [1]}
    with pytest.raises(NewerSchema, match=rf"{path} has schema 2; this version knows 1\. Deploy the newer version"):
        type(DOCUMENTS[path]).read(path, fields)


@pytest.mark.parametrize(
    ("damage", "pointer"),
    [
        ({"cursor": {"step": 1, "phase": "dance"}}, "/cursor/phase"),
        ({"cursor": None}, "/cursor"),
        ({"share": {"actions": "many"}}, "/share/actions"),
        ({"schema_version": "one"}, "/schema_version"),
        ({"moved": "2026-11-30T12:00:00"}, "/moved"),  # a time of no zone compares with none
        ({"calls": 10**12}, "/calls"),  # would be read one by one
        ({"cut_offs": -3}, "/cut_offs"),
        ({"id": "another"}, "/id"),
        ({"local": {"goals": {"items": [{"id": "G_001"}]}}}, "/local/…/items/0"),
    ],
)
def test_a_corrupt_document_says_which_field(damage, pointer):
    """Whoever mends it finds it."""
    with pytest.raises(CorruptDocument) as caught:
        Frame.read("runs/r/frames/r", a_frame().encoded() | damage)
    assert caught.value.pointer == pointer
    assert caught.value.message.startswith(f"runs/r/frames/r{pointer}: ")


def test_a_field_that_is_missing_is_corrupt_too():
    """Only fields with a default may be absent, since older versions did not have them."""
    fields = a_frame().encoded()
    del fields["cursor"]
    with pytest.raises(CorruptDocument, match="missing required field `cursor`"):
        Frame.read("runs/r/frames/r", fields)


def test_only_fields_that_changed_are_written():
    """A write of the others would undo what somebody else has made of them."""
    before = a_frame()
    after = before.evolve(calls=2, feedback=("told",), rev=7)
    assert {**after.changed_from(before)}.keys() == {"calls", "feedback", "rev"}


def test_the_window_of_a_session_is_bounded():
    """A conversation of years still fits into its document."""
    session = a_session()
    for number in range(500):
        session = session.with_turn("user", f"{number:03} " + "x" * 5000, NOW)
    assert (session.turns, len(session.opening)) == (500, 5)
    assert len(session.window) <= 45
    assert session.window[-1].text.startswith("499 xxx")
    assert session.window[-1].text.endswith("… (5,004 characters)")
    assert max(len(line.text) for line in session.window) < EXCERPT_CHARS + 50
    assert len(str(session.encoded())) < 250_000


def test_a_turn_of_any_length_fits_into_a_document():
    """Its whole is the run's input or output, which may lie in chunks."""
    turn = Turn.of(a_session(turns=3), run="r", role="assistant", text="漢" * 1_000_000, now=NOW)
    assert turn.number == 3
    assert turn.text == "漢" * TURN_CHARS + " … (1,000,000 characters)"
    assert Turn.of(a_session(), run="r", role="user", text="x" * TURN_CHARS, now=NOW).text == "x" * TURN_CHARS


def test_the_fields_that_can_hold_payloads_are_known_by_their_types():
    """Only they are searched for large payloads; a field forgotten here would be written whole."""
    found = {name: payload_fields(kind) for name, kind in KINDS.items()}
    assert {name: fields for name, fields in found.items() if fields} == {
        "runs": ("input", "output"),
        "frames": ("input", "carried", "planned", "output"),
        "actions": ("arguments", "effective", "snapshot", "after", "inverse", "result", "directives"),
        "journal": ("events", "boundary"),
        "gates": ("z",),
        "artifacts": ("content",),
    }
