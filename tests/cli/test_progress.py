"""What is shown while a run goes on (progress.py, logs.py)."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import asdict

from entracte.cli.logs import retries_told, set_up_log
from entracte.cli.runs.progress import Progress
from entracte.cli.terminal.screen import Screen
from entracte.core.messages import Message
from entracte.core.modelling import Usage
from entracte.errors import ModelUnavailable
from entracte.runtime.local.local_bus import LocalBus


def an_event(
    type: str, *, run: str = "r", frame: str = "r", agent: str = "desk", step: int = 1, phase: str = "plan", **data: Any
) -> dict[str, Any]:
    """An event as JSON, without usage."""
    parts = frame.split(".")
    parents = [".".join(parts[:length]) for length in range(1, len(parts), 2)]
    return {
        "type": type, "run_id": run, "frame_id": frame, "agent": agent, "parents": parents, "step": step,
        "phase": phase, "usage": asdict(Usage()), "data": data,
    }  # fmt: skip


def state(text: str) -> dict[str, Any]:
    """Data of a change of state."""
    return {"applied": [{"scope": "global", "key": "facts", "id": "F_001", "text": text}], "refused": []}


def shown(events: list[dict[str, Any]], capfd: pytest.CaptureFixture[str]) -> list[str]:
    """Lines that a run of these events is shown with."""
    progress = Progress(Screen())
    with progress.following():
        for event in [an_event("run.started", step=0, session="s"), *events]:
            progress.on_event(event)
    return [line.rstrip() for line in capfd.readouterr().err.splitlines()[1:]]


def test_every_line_names_its_phase(capfd: pytest.CaptureFixture[str]):
    """And the step, where the phase belongs to one."""
    call = {"action": "r.1.0", "tool": "look", "arguments": {}}
    events = [
        an_event("state.updated", **state("before")),
        an_event("plan.ready", calls=[call]),
        an_event("tool.called", phase="execute", attempt=1, **call),
        an_event("tool.result", phase="execute", action="r.1.0", tool="look", status="applied", result=[1]),
        an_event("state.updated", phase="evaluate", **state("after")),
        an_event("thought", step=2, text="next"),
        an_event("run.undone", step=0, phase="undo", action="r.1.0", tool="look", how="reverted", note="", status=""),
    ]
    assert shown(events, capfd) == [
        "desk               plan 1      facts F_001  before",
        "desk               plan 1      → look()",
        "desk               execute 1   ✓ look  [1]",
        "desk               evaluate 1  facts F_001  after",
        "desk               plan 2      · next",
        "desk               undo        ↶ look reverted",
    ]


def test_what_a_model_writes_moves_in_the_last_line_and_is_no_line_of_its_own(capfd: pytest.CaptureFixture[str]):
    """The end of it, kind by kind, until something has happened."""
    pieces = [("thought", "Let me "), ("thought", "see."), ("text", "The " + "very " * 20), ("text", "end\nof it")]
    progress = Progress(Screen())
    lines = []
    with progress.following():
        progress.on_event(an_event("run.started", step=0, session="s"))
        for kind, text in pieces:
            progress.on_event(an_event("model.delta", kind=kind, text=text))
            lines.append(str(progress._last_line().text).split(" · ")[0])
        progress.on_event(an_event("state.updated", **state("blue")))
    assert lines[:2] == ["desk thinks: …Let me", "desk thinks: …Let me see."]
    assert lines[3].startswith("desk writes: …")
    assert lines[3].endswith("very end of it")
    assert len(lines[3]) < 80
    assert len(capfd.readouterr().err.splitlines()) == 2


def test_an_initial_tool_and_a_second_attempt_are_shown_as_they_are_called(capfd: pytest.CaptureFixture[str]):
    """No plan has announced them."""
    call = {"tool": "look", "arguments": {"at": "sky"}}
    events = [
        an_event("tool.called", step=0, phase="execute", action="r.0.0", attempt=1, **call),
        an_event("state.updated", step=0, phase="evaluate", **state("blue")),
        an_event("tool.called", phase="execute", action="r.1.0", attempt=2, **call),
    ]
    assert shown(events, capfd) == [
        'desk               execute 0   → look(at="sky")',
        "desk               evaluate 0  facts F_001  blue",
        'desk               execute 1   → look(at="sky")  (attempt 2)',
    ]


def test_sub_agents_are_indented_by_their_depth_and_other_runs_are_not_shown(capfd: pytest.CaptureFixture[str]):
    """A process also goes on with runs that another one has left behind."""
    events = [
        an_event("thought", frame="r.1.0", agent="records", text="mine"),
        an_event("thought", frame="r.1.0.2.0", agent="archive", text="mine"),
        an_event("run.started", run="other", frame="other", session="s"),
        an_event("thought", run="other", frame="other", text="not mine"),
    ]
    assert shown(events, capfd) == [
        "  records          plan 1      · mine",
        "    archive        plan 1      · mine",
    ]


def test_an_unknown_event_is_shown_by_its_name(capfd: pytest.CaptureFixture[str]):
    """So that a newer deployment can be watched."""
    assert shown([an_event("planet.found", id=7)], capfd) == ['desk               plan 1      planet.found {"id": 7}']


def test_what_is_kept_and_remembered_is_shown_by_its_words(capfd: pytest.CaptureFixture[str]):
    """Nothing is remembered in secret."""
    kept = an_event("artifact.saved", artifact="a_1", title="search: letters", chars=9)
    remembered = an_event("memory.saved", memory="m_1", text="Ada takes tea.", category="preference", tags=[])
    assert shown([kept, remembered], capfd) == [
        "desk               plan 1      kept on the desk: search: letters",
        "desk               plan 1      remembered: Ada takes tea.",
    ]


def test_the_same_trouble_is_told_once(capfd: pytest.CaptureFixture[str]):
    """Not at the first retry, which mends most; not at each; and not again by the event that ends them."""
    progress, bus = Progress(Screen()), LocalBus(threads=1)
    failures = iter([ModelUnavailable("No answer.")] * 3)

    def handle(message: Message) -> None:
        if (failure := next(failures, None)) is not None:
            raise failure

    bus.attach(handle, lambda message, error: None)
    set_up_log(Screen(), "warning")
    with progress.following(), retries_told(progress.on_retry):
        progress.on_event(an_event("run.started", step=0, session="s"))
        bus.publish([Message(kind="plan", run="r")])
        assert bus.wait_idle(10)
        progress.on_event(an_event("error", message="No answer."))
    bus.close()
    assert capfd.readouterr().err.splitlines()[1:] == [
        "! plan is tried again: No answer. It goes on by itself; Ctrl-C leaves it."
    ]


def test_a_fault_of_an_authors_code_that_is_tried_again_is_told_with_its_place(capfd: pytest.CaptureFixture[str]):
    """As a hook around models may have."""
    progress, bus, tries = Progress(Screen()), LocalBus(threads=1), iter(range(2))

    def handle(message: Message) -> None:
        for _ in tries:
            raise KeyError("tenant")

    bus.attach(handle, lambda message, error: None)
    set_up_log(Screen(), "warning")
    with progress.following(), retries_told(progress.on_retry):
        bus.publish([Message(kind="plan", run="r")])
        assert bus.wait_idle(10)
    bus.close()
    place = f"{Path(__file__).name}:{handle.__code__.co_firstlineno + 2}"
    assert capfd.readouterr().err.splitlines() == [
        f"! plan is tried again: KeyError ({place}): 'tenant'. It goes on by itself; Ctrl-C leaves it."
    ]
