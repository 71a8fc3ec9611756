"""Mail to customers (mail.py)."""

import smtplib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP
from pathlib import Path

import pytest

from crm.mail import Outbox
from crm.records import SentEmail
from entracte.errors import ConfigurationError, ToolError
from tests.crm.mail_server import MailServer, Mood


@pytest.fixture
def outbox(tmp_path: Path) -> Outbox:
    """An outbox whose folder is not there yet."""
    return Outbox(tmp_path / "deep" / "outbox")


def no_password() -> str:
    """What a secret that is not there does."""
    raise ConfigurationError("There is no secret CRM_SMTP_PASSWORD.")


def send(
    outbox: Outbox, key: str = "run.2.0", to: str = "ada@a.example", subject: str = "Welcome", body: str = "Dear Ada"
) -> SentEmail:
    """Send one message, of which a test says only what matters to it."""
    return outbox.send(key, to, subject, body, no_password)


def files_of(outbox: Outbox) -> list[str]:
    """Names of the messages in the outbox."""
    return sorted(file.name for file in outbox.folder.iterdir()) if outbox.folder.exists() else []


def read(outbox: Outbox, sent: SentEmail) -> EmailMessage:
    """The message as a mail program reads it."""
    message = message_from_bytes((outbox.folder / sent.file).read_bytes(), policy=SMTP)
    assert isinstance(message, EmailMessage)
    return message


def test_a_message_becomes_one_file_that_mail_programs_read(outbox: Outbox):
    """With the headers that RFC 5322 asks for, CRLF, and text of any script."""
    sent = send(outbox, to="olga@n.example", subject="こんにちは Ольга", body="Grüße\n世界\n")
    message = read(outbox, sent)
    assert files_of(outbox) == [sent.file]
    assert (message["To"], message["Subject"], message["Message-ID"]) == (
        "olga@n.example",
        "こんにちは Ольга",
        sent.message_id,
    )
    assert message["From"] == "Support <support@entracte.example>"
    assert message["Date"].datetime.tzinfo is not None
    assert message.get_content() == "Grüße\n世界\n".replace("\n", "\r\n")
    assert b"\n" not in (outbox.folder / sent.file).read_bytes().replace(b"\r\n", b"")


def test_a_repeated_key_sends_nothing_more(outbox: Outbox):
    """The first message stays as it was, its date included."""
    first = send(outbox)
    before = (outbox.folder / first.file).read_bytes()
    assert send(outbox) == first
    assert files_of(outbox) == [first.file]
    assert (outbox.folder / first.file).read_bytes() == before


def test_another_key_sends_again(outbox: Outbox):
    """Equal words in another call are another message."""
    assert send(outbox, key="run.2.1").message_id != send(outbox).message_id
    assert len(files_of(outbox)) == 2


def test_a_key_that_belongs_to_another_message_is_refused(outbox: Outbox):
    """Saying that this one was sent would be a lie."""
    first = send(outbox)
    with pytest.raises(ToolError, match="belongs to another message"):
        send(outbox, body="Dear Bob")
    assert files_of(outbox) == [first.file]


@pytest.mark.parametrize("key", ["../../etc/passwd", "a/b\\c\x00", "ключ" * 500, ""])
def test_any_key_gives_a_plain_file_name(outbox: Outbox, key: str):
    """Nothing of the key is part of the path."""
    assert files_of(outbox) == [] and [send(outbox, key=key).file] == files_of(outbox)


@pytest.mark.parametrize("field", ["to", "subject"])
def test_a_line_feed_does_not_begin_a_header(outbox: Outbox, field: str):
    """The writer of a subject must not add a recipient."""
    with pytest.raises(ToolError, match="Nothing was sent"):
        send(outbox, **{field: "x@a.example\r\nBcc: eve@e.example"})
    assert files_of(outbox) == []


def test_threads_with_one_key_leave_one_whole_file(outbox: Outbox):
    """And all of them say the same."""
    with ThreadPoolExecutor(6) as threads:
        sent = set(threads.map(lambda _: send(outbox), range(12)))
    assert [message.file for message in sent] == files_of(outbox)


def test_of_two_deliveries_at_once_the_first_copy_stays(outbox: Outbox):
    """Both say the same, whoever was faster."""
    with MailServer() as server:
        server.meanwhile = lambda: send(outbox)
        late = send(replace(outbox, smtp_url=server.url))
    assert files_of(outbox) == [late.file]
    assert send(outbox) == late


def test_a_configured_server_gets_the_message_and_the_outbox_a_copy(outbox: Outbox):
    """Once, for a repeated key too."""
    with MailServer() as server:
        sent = [send(replace(outbox, smtp_url=server.url), subject="Grüße") for _ in range(2)]
    assert [(message["To"], message["Subject"]) for message in server.received] == [("ada@a.example", "Grüße")]
    assert read(outbox, sent[0])["Message-ID"] == server.received[0]["Message-ID"] == sent[1].message_id


def test_a_refused_message_was_not_sent(outbox: Outbox):
    """The server said so, so there is no doubt and no copy."""
    with MailServer("refuses") as server, pytest.raises(ToolError, match=r"refused the message.*Nothing was sent"):
        send(replace(outbox, smtp_url=server.url))
    assert files_of(outbox) == []


def test_a_connection_that_is_cut_leaves_a_doubt(outbox: Outbox):
    """The server may have taken the message: anything but a ToolError."""
    mood: Mood = "hangs up"
    with MailServer(mood) as server, pytest.raises(smtplib.SMTPServerDisconnected):
        send(replace(outbox, smtp_url=server.url))
    assert files_of(outbox) == []


def test_an_unreachable_server_was_sent_nothing(outbox: Outbox):
    """A closed port is no doubt."""
    with MailServer() as server:
        closed = server.url
    with pytest.raises(ToolError, match="cannot be used"):
        send(replace(outbox, smtp_url=closed))


def test_a_missing_password_stops_before_the_connection(outbox: Outbox):
    """It is a fault of the settings, and nothing was sent."""
    with pytest.raises(ToolError, match="no secret CRM_SMTP_PASSWORD"):
        send(replace(outbox, smtp_url="smtp://desk@127.0.0.1:9"))
