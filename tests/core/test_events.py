"""Events for journal, observers and streams (events.py)."""

from msgspec.structs import asdict

from entracte.core.documents.journal import Entry
from entracte.core.events import events_of, parents_of, record
from entracte.core.modelling import Usage
from entracte.core.payload import MAX_BYTES, MAX_DEPTH
from tests.core.builders import NOW


def test_the_frames_around_a_frame_are_in_its_id():
    """Outermost first."""
    assert parents_of("run") == ()
    assert parents_of("run.2.0") == ("run",)
    assert parents_of("run.2.0.11.3") == ("run", "run.2.0")


def test_the_usage_of_a_move_is_on_its_last_event_only():
    """So that adding up the events gives what was used."""
    entry = Entry(
        id="r.1.0.2.plan",
        run="r",
        frame="r.1.0",
        owner="ada",
        agent="desk",
        step=2,
        phase="plan",
        at=NOW,
        duration_ms=7,
        usage=Usage(prompt_tokens=5),
        events=(record("thought", text="hm"), record("plan.ready", calls=[])),
    )
    assert [event.as_json() for event in events_of(entry)] == [
        {
            "v": 1,
            "type": kind,
            "run_id": "r",
            "frame_id": "r.1.0",
            "agent": "desk",
            "parents": ["r"],
            "step": 2,
            "phase": "plan",
            "at": "2026-01-01T09:00:00.000+00:00",
            "duration_ms": 7,
            "usage": asdict(usage),
            "data": data,
        }
        for kind, usage, data in [
            ("thought", Usage(), {"text": "hm"}),
            ("plan.ready", Usage(prompt_tokens=5), {"calls": []}),
        ]
    ]


def test_an_event_whose_parts_do_not_fit_together_says_what_it_left_out():
    """A result that can be kept by itself must not be lost because its event would be too large or too deep."""
    deep: object = 1
    for _ in range(MAX_DEPTH):
        deep = [deep]
    for result in ("x" * (MAX_BYTES - 10), deep):
        event = record("tool.result", action="r.1.0", status="applied", result=result)
        left_out = event.data.value.pop("left_out") if isinstance(event.data.value, dict) else None
        assert event.data.value.keys() >= {"action", "status", "left_out"}
        assert left_out == ["result"]


def test_a_move_that_says_nothing_tells_what_it_used():
    """A reply that was dropped, an evaluation that kept nothing: it was paid for all the same."""
    silent = Entry(id="r.1.plan", run="r", frame="r", owner="ada", agent="desk", step=1, phase="plan", at=NOW)
    assert events_of(silent) == ()
    (event,) = events_of(silent.evolve(usage=Usage(prompt_tokens=5)))
    assert (event.type, event.data, event.usage) == ("thought", {"text": ""}, Usage(prompt_tokens=5))
