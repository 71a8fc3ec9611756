"""Announcing gates in every way that was chosen (runtime/services/announcing.py)."""

from __future__ import annotations

import logging

import pytest

from entracte.adapters.system.secrets import EnvironmentSecrets
from entracte.errors import ConfigurationError, RetryableError, TerminalError
from entracte.ports.notifier import Notice
from entracte.runtime.services.announcing import Announcer, notice_of
from entracte.runtime.services.links import KEY, Links
from entracte.testing.clock import FakeClock
from tests.notify.notices import a_gate


class Told:
    """Notifier port that keeps what it is told, or fails.

    Args:
        alone: Whom it can reach without anybody else seeing it.
    """

    def __init__(self, name: str, *faults: Exception | None, alone: tuple[str, ...] = ()) -> None:
        self.name = name
        self.faults = list(faults)
        self.alone = alone
        self.notices: list[Notice] = []

    def reaches_only(self, name: str) -> bool:
        return name in self.alone

    def notify(self, notice: Notice) -> None:
        if self.faults and (fault := self.faults.pop(0)) is not None:
            raise fault
        self.notices.append(notice)


def test_a_notice_says_what_the_gate_shows():
    """The preview as it stands there, who may decide, the command as it is typed."""
    gate = a_gate(facts={"approvers": ("ops@example.com",)})
    assert notice_of(gate, reminder=False) == Notice(
        kind="gate.opened",
        run="r",
        gate="r.1.0.1",
        to=("ops@example.com",),
        title="Send this mail to ada?",
        lines=("Send e-mail", "- to: ada"),
        how="entracte approve r.1.0.1",
    )


def test_a_reminder_says_so():
    """And without approvers it is the run's owner who decides."""
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
    """The others are told first, and are not bothered by each further try, but by one in another process.

    Once all are told, nothing is remembered: whoever asks again wants them told again.
    """
    late, works = Told("late", *[RetryableError("busy")] * 3), Told("works")
    announce = Announcer([late, works])
    for _ in range(2):
        with pytest.raises(RetryableError, match="busy"):
            announce(a_gate(), False)
    assert (len(late.notices), len(works.notices)) == (0, 1)
    with pytest.raises(RetryableError, match="busy"):
        Announcer([late, works])(a_gate(), False)
    assert announce(a_gate(), False) == "told by late, works"
    assert (len(late.notices), len(works.notices)) == (1, 2)
    assert announce(a_gate(), False) == "told by late, works"
    assert (len(late.notices), len(works.notices)) == (2, 3)


OPS, SEC = "ops@example.com", "sec@example.com"


def links(clock: FakeClock, *, key: str = "k" * 32, public_url: str = "https://desk.example/") -> Links:
    """Links that are signed with this key."""
    return Links(EnvironmentSecrets({KEY: key}), clock, public_url=public_url)


def test_only_what_nobody_else_sees_has_a_link_that_decides():
    """Each approver gets one of their own by mail; a chat room gets the address of a page that shows nothing."""
    mail, chat, signing = Told("mail", alone=(OPS, SEC)), Told("chat"), links(FakeClock())
    gate = a_gate(facts={"approvers": (OPS, SEC, "carol")})
    Announcer([mail, chat], signing)(gate, False)
    assert [(notice.to, notice.link) for notice in chat.notices] == [
        ((OPS, SEC, "carol"), "https://desk.example/gates/r.1.0.1")
    ]
    tokens = {notice.to: notice.link.removeprefix("https://desk.example/gates/r.1.0.1#t=") for notice in mail.notices}
    claims = {to: signing.read(token) for to, token in tokens.items()}
    assert {to: (claim.gate, claim.digest, claim.approver) for to, claim in claims.items()} == {
        (name,): ("r.1.0.1", "sha256:1", name) for name in (OPS, SEC)
    }


def test_one_person_who_cannot_be_reached_keeps_no_other_from_being_told():
    """Each has a mail of their own."""
    mail = Told("mail", TerminalError("no such mailbox"), alone=(OPS, SEC))
    assert Announcer([mail], links(FakeClock()))(a_gate(facts={"approvers": (OPS, SEC)}), False) == "told by mail"
    assert [notice.to for notice in mail.notices] == [(SEC,)]


def test_a_notice_that_is_sent_again_has_the_same_link():
    """So that mail programs see that it is the same mail."""
    clock = FakeClock()
    mail = Told("mail", alone=(OPS,))
    announce = Announcer([mail], links(clock))
    gate = a_gate(facts={"approvers": (OPS,)})
    announce(gate, False)
    clock.advance(minutes=10)
    announce(gate, False)
    assert mail.notices[0] == mail.notices[1]


def test_without_a_key_links_do_not_decide_and_the_log_says_so(caplog: pytest.LogCaptureFixture):
    """Nor with one that could be guessed. People are told all the same."""
    mail = Told("mail", alone=(OPS,))
    gate = a_gate(facts={"approvers": (OPS,)})
    with caplog.at_level(logging.INFO, logger="entracte"):
        for key in ("", "short"):
            Announcer([mail], links(FakeClock(), key=key))(gate, False)
    assert [notice.link for notice in mail.notices] == ["https://desk.example/gates/r.1.0.1"] * 2
    assert ["off. There is no secret" in caplog.messages[0], "less than 32" in caplog.messages[1]] == [True, True]


def test_without_an_address_there_is_no_link():
    """And no page that it could lead to."""
    mail = Told("mail", alone=(OPS,))
    Announcer([mail], links(FakeClock(), public_url=""))(a_gate(facts={"approvers": (OPS,)}), False)
    assert [notice.link for notice in mail.notices] == [""]


def test_a_new_link_goes_to_one_person_only():
    """Not to the other approvers, and into no room; it is another link than the one before."""
    mail, chat, clock = Told("mail", alone=(OPS, SEC)), Told("chat"), FakeClock()
    announce = Announcer([mail, chat], links(clock))
    gate = a_gate(facts={"approvers": (OPS, SEC)})
    announce(gate, False)
    clock.advance(minutes=1)
    announce.send_link(gate, OPS)
    new = mail.notices[-1]
    assert (new.to, new.title, len(mail.notices), len(chat.notices)) == (
        (OPS,),
        "New link: Send this mail to ada?",
        3,
        1,
    )
    assert new.link not in [notice.link for notice in mail.notices[:-1]]
