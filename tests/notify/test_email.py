"""Notices by e-mail (adapters/notify/email.py)."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest

from entracte.adapters.notify.email import EmailNotifier, mail_server
from entracte.errors import ConfigurationError, RetryableError, TerminalError
from tests.notify.certificates import contexts
from tests.notify.mail_server import MailServer
from tests.notify.notices import a_notice


def a_notifier(server: MailServer, *, user: str = "", to: str = "ops@example.com", **rest: Any) -> EmailNotifier:
    """A notifier that hands its mail to this server."""
    url = f"smtp://{user}@{server.address}" if user else f"smtp://{server.address}"
    return EmailNotifier(mail_server(url, "desk@example.com"), to=to, password=lambda: "s3cret", **rest)


def test_a_mail_says_what_is_asked_and_how_to_decide():
    """Plain text: title, preview, link, command."""
    with MailServer() as server:
        a_notifier(server).notify(a_notice(link="https://desk.example/g", title="Mail Ада?"))
    ((mail, _),) = server.received
    assert (mail["From"], mail["To"], mail["Subject"]) == ("desk@example.com", "ops@example.com", "Mail Ада?")
    assert mail.get_content().splitlines() == [
        *("Mail Ада?", "", "Send e-mail", "- to: ada", "", "https://desk.example/g", "", "entracte approve r.1.0.1")
    ]


def test_a_title_of_many_lines_begins_no_header_of_its_own():
    """An agent has a say in it."""
    with MailServer() as server:
        a_notifier(server).notify(a_notice(title="Mail?\r\nBcc: everybody@example.com"))
    ((mail, _),) = server.received
    assert (mail["Subject"], mail["Bcc"]) == ("Mail? Bcc: everybody@example.com", None)


def test_the_same_notice_keeps_its_message_id():
    """So that whoever is told twice can see that it is one notice."""
    with MailServer() as server:
        for notice in (a_notice(), a_notice(), a_notice(kind="gate.reminder"), a_notice(link="https://new")):
            a_notifier(server).notify(notice)
    first, again, reminder, new_link = (mail["Message-ID"] for mail, _ in server.received)
    assert first == again
    assert len({first, reminder, new_link}) == 3


@pytest.mark.parametrize(
    ("to", "name", "alone"),
    [
        ("", "ada@example.com", True),
        ("", "ada", False),
        ("ops@example.com", "Ops@example.com", True),
        ("ops@example.com", "ada@example.com", False),
        ("ops@example.com", "ada", False),
    ],
)
def test_a_mail_is_for_one_person_where_it_goes_to_their_own_address(to: str, name: str, alone: bool):
    """A mailbox that was chosen for all notices is read by whoever reads it."""
    notifier = EmailNotifier(mail_server("smtp://localhost"), to=to, password=lambda: "")
    assert notifier.reaches_only(name) is alone


def test_without_an_address_those_who_may_decide_are_told():
    """As far as they are named by e-mail."""
    with MailServer() as server:
        a_notifier(server, to="").notify(a_notice(to=("ada@example.com", "uid-7", "grace@example.com")))
        assert server.received[0][0]["To"] == "ada@example.com, grace@example.com"
        with pytest.raises(TerminalError, match="named by e-mail"):
            a_notifier(server, to="").notify(a_notice(to=("uid-7",)))


def test_mail_and_password_are_encrypted_where_the_server_offers_it(tmp_path: Path):
    """STARTTLS is taken up, and the certificate checked."""
    tls, trust = contexts(tmp_path)
    with MailServer(tls=tls) as server:
        a_notifier(server, user="desk", trust=trust).notify(a_notice())
    assert [encrypted for _, encrypted in server.received] == [True]
    assert server.logins == [(base64.b64encode(b"\0desk\0s3cret").decode(), True)]


def test_a_server_with_a_wrong_certificate_gets_nothing(tmp_path: Path):
    """It could be anybody's."""
    tls, _ = contexts(tmp_path)
    with MailServer(tls=tls) as server, pytest.raises(RetryableError, match="certificate"):
        a_notifier(server, user="desk").notify(a_notice())
    assert (server.received, server.logins) == ([], [])


def test_a_password_is_never_sent_in_the_clear():
    """Rather no notice."""
    with MailServer() as server, pytest.raises(TerminalError, match="no encryption"):
        a_notifier(server, user="desk").notify(a_notice())
    assert (server.received, server.logins) == ([], [])


@pytest.mark.parametrize(
    ("replies", "error"),
    [
        ({"MAIL": "451 later"}, RetryableError),
        ({"MAIL": "550 never"}, TerminalError),
        ({"RCPT": "450 later"}, RetryableError),
        ({"RCPT": "550 nobody"}, TerminalError),
        ({"DATA": "554 no"}, TerminalError),
    ],
)
def test_the_server_says_whether_another_try_is_worth_it(replies: dict[str, str], error: type[Exception]):
    """Codes from 400 are for a time, from 500 for good (RFC 5321, 4.2.1)."""
    with MailServer(**replies) as server, pytest.raises(error, match="mail server localhost"):
        a_notifier(server).notify(a_notice())


def test_a_server_that_is_down_is_tried_again_later():
    """It may come back."""
    with MailServer() as server:
        notifier = a_notifier(server)
    with pytest.raises(RetryableError, match="cannot be used"):
        notifier.notify(a_notice())


@pytest.mark.parametrize("url", ["", "mail.example.com", "https://mail.example.com", "smtp://", "smtp://u:pw@host"])
def test_a_mail_server_that_cannot_be_used_stops_the_start(url: str):
    """A password in the address among them: it would lie open among the settings."""
    with pytest.raises(ConfigurationError, match="ENTRACTE_SMTP must be"):
        mail_server(url)


def test_ports_and_sender_have_their_usual_values():
    """587 to hand in mail as a user, 25 without, 465 encrypted from the start."""
    servers = [mail_server(url) for url in ("smtp://host.example", "smtp://me@host.example", "smtps://host.example")]
    assert [(server.port, server.tls, server.user, server.sender) for server in servers] == [
        (25, False, "", "entracte@host.example"),
        (587, False, "me", "entracte@host.example"),
        (465, True, "", "entracte@host.example"),
    ]
