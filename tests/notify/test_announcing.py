"""Announcing gates in every way that was chosen (runtime/announcing.py)."""

from __future__ import annotations

import logging

import pytest

from entracte.errors import ConfigurationError, RetryableError, TerminalError
from entracte.ports.notifier import Notice
from entracte.runtime.announcing import Announcer, notice_of
from tests.notify.notices import a_gate


class Told:
    """Notifier port that keeps what it is told, or fails."""

    def __init__(self, name: str, *faults: Exception | None) -> None:
        self.name = name
        self.faults = list(faults)
        self.notices: list[Notice] = []

    def notify(self, notice: Notice) -> None:
        if self.faults and (fault := self.faults.pop(0)) is not None:
            raise fault
        self.notices.append(notice)


def test_a_notice_says_what_the_gate_shows():
    """The preview as it stands there, who may decide, the command as it is typed, and a link where there is a page."""
    gate = a_gate(facts={"approvers": ("ops@example.com",)})
    assert notice_of(gate, reminder=False, public_url="https://desk.example") == Notice(
        kind="gate.opened",
        run="r",
        gate="r.1.0.1",
        to=("ops@example.com",),
        title="Send this mail to ada?",
        lines=("Send e-mail", "- to: ada"),
        link="https://desk.example/gates/r.1.0.1",
        how="entracte approve r.1.0.1",
    )


def test_a_reminder_says_so():
    """And without approvers it is the run's owner who decides; without a page there is no link."""
    notice = notice_of(a_gate(), reminder=True)
    said = (notice.kind, notice.title, notice.to, notice.link)
    assert said == ("gate.reminder", "Reminder: Send this mail to ada?", ("ada",), "")


@pytest.mark.parametrize(
    ("kind", "command"),
    [
        ("absence", "entracte approve r.1.0.1"),
        ("in_doubt", "entracte answer r.1.0.1 give_up  # or happened, retry"),
        ("question", "entracte answer r.1.0.1 'YOUR ANSWER'"),
    ],
)
def test_the_command_fits_what_is_asked(kind: str, command: str):
    """A question cannot be approved."""
    assert notice_of(a_gate(facts={"kind": kind}), reminder=False).how == command


def test_a_notice_is_short_however_long_the_gate_is():
    """Chats and mails have limits; the gate shows the whole."""
    notice = notice_of(a_gate(question="q" * 5000, preview=("p" * 5000,)), reminder=False)
    assert (len(notice.title), [len(line) for line in notice.lines]) == (500, [500])


def test_everybody_is_told(caplog: pytest.LogCaptureFixture):
    """In every way, and the log says which."""
    first, second = Told("first"), Told("second")
    assert Announcer([first, second])(a_gate(), False) == "told by first, second"
    assert first.notices == second.notices == [notice_of(a_gate(), reminder=False)]


@pytest.mark.parametrize("fault", [TerminalError("no such channel"), ConfigurationError("no secret")])
def test_one_way_that_never_works_keeps_no_other_from_being_told(fault: Exception, caplog: pytest.LogCaptureFixture):
    """It is logged as an error, since somebody has to see to it."""
    works = Told("works")
    with caplog.at_level(logging.ERROR, logger="entracte"):
        assert Announcer([Told("broken", fault), works])(a_gate(), False) == "told by works"
    assert len(works.notices) == 1
    assert caplog.messages == [f"notice_failed gate=r.1.0.1 by='broken' {fault}"]


def test_one_way_that_may_work_later_has_the_message_come_again():
    """The others are told first, and then once more: twice is better than not at all."""
    late, works = Told("late", RetryableError("busy")), Told("works")
    announce = Announcer([late, works])
    with pytest.raises(RetryableError, match="busy"):
        announce(a_gate(), False)
    assert announce(a_gate(), False) == "told by late, works"
    assert (len(late.notices), len(works.notices)) == (1, 2)
