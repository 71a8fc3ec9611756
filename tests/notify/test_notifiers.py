"""What each way of telling people sends (adapters/notify)."""

from __future__ import annotations

import hashlib
import hmac
import json
import logging

import pytest

from entracte.adapters.notify.chat import ChatNotifier, google_chat_message, slack_message
from entracte.adapters.notify.console import ConsoleNotifier
from entracte.adapters.notify.posting import Post
from entracte.adapters.notify.webhook import WebhookNotifier
from entracte.testing.clock import FakeClock
from tests.notify.notices import a_notice
from tests.notify.web_server import WebServer


def test_the_log_says_how_to_decide_and_not_what_is_asked(caplog: pytest.LogCaptureFixture):
    """Logs hold no arguments, and a question may."""
    with caplog.at_level(logging.INFO, logger="entracte"):
        ConsoleNotifier().notify(a_notice(link="https://desk.example/gates/r.1.0.1"))
    assert caplog.messages == [
        "gate_opened run_id=r gate=r.1.0.1 how='entracte approve r.1.0.1' link=https://desk.example/gates/r.1.0.1"
    ]


def test_a_webhook_gets_the_notice_signed_with_the_shared_secret():
    """Whoever knows the secret can tell that it is from us, and from when."""
    clock = FakeClock()
    with WebServer() as server:
        webhook = WebhookNotifier(Post(server.url, loopback=True), secret=lambda: "s3cret", clock=clock)
        webhook.notify(a_notice(title="Grüße?"))
    (posted,) = server.received
    at = int(clock.now().timestamp())
    expected = hmac.new(b"s3cret", b"%d." % at + posted.body, hashlib.sha256).hexdigest()
    assert posted.headers["Entracte-Signature"] == f"t={at},v1={expected}"
    assert json.loads(posted.body) == {
        "v": 1,
        "type": "gate.opened",
        "run": "r",
        "gate": "r.1.0.1",
        "to": ["ops@example.com"],
        "title": "Grüße?",
        "lines": ["Send e-mail", "- to: ada"],
        "link": "",
        "how": "entracte approve r.1.0.1",
    }


def test_slack_gets_blocks_of_plain_text():
    """A preview can mention nobody and dress up no link: such text is not read as markup."""
    with WebServer() as server:
        ChatNotifier("slack", Post(server.url, loopback=True), slack_message).notify(
            a_notice(title="Mail <!channel>?", lines=("a" * 4000,), link="https://desk.example/g")
        )
    sent = json.loads(server.received[0].body)
    button = {"type": "button", "text": {"type": "plain_text", "text": "Open"}, "url": "https://desk.example/g"}
    texts = ["Mail <!channel>?", "a" * 2899 + "…", "entracte approve r.1.0.1"]
    assert sent == {
        "text": "Mail &lt;!channel&gt;?",
        "blocks": [
            *({"type": "section", "text": {"type": "plain_text", "text": text}} for text in texts),
            {"type": "actions", "elements": [button]},
        ],
    }


def test_google_chat_gets_a_card_whose_text_is_escaped():
    """Its paragraphs take HTML, and a preview may hold some."""
    with WebServer() as server:
        ChatNotifier("gchat", Post(server.url, loopback=True), google_chat_message).notify(
            a_notice(title="<a href='https://x'>ok</a> & <users/all>", link="https://desk.example/g")
        )
    (card,) = json.loads(server.received[0].body)["cardsV2"]
    assert card["cardId"] == "r.1.0.1"
    assert card["card"]["sections"] == [
        {
            "widgets": [
                {"textParagraph": {"text": "&lt;a href='https://x'&gt;ok&lt;/a&gt; &amp; &lt;users/all&gt;"}},
                {"textParagraph": {"text": "Send e-mail<br>- to: ada"}},
                {"textParagraph": {"text": "entracte approve r.1.0.1"}},
                {
                    "buttonList": {
                        "buttons": [{"text": "Open", "onClick": {"openLink": {"url": "https://desk.example/g"}}}]
                    }
                },
            ]
        }
    ]
