"""Notices in Slack and Google Chat, through their incoming webhooks.

What the notice says goes where the service takes it as plain text: nobody who has a say in a preview can mention
everybody, or dress a link up as another.
"""

from __future__ import annotations

import html
import json
from collections.abc import Callable
from typing import Any

from entracte.adapters.notify.posting import Post
from entracte.adapters.notify.secret_post import SecretPost
from entracte.ports.notifier import Notice

_SLACK_TEXT = 2900
"""Characters of one block; Slack takes 3000 (https://api.slack.com/reference/block-kit/blocks#section)."""

_CHAT_TEXT = 8000
"""Characters of one paragraph; Google Chat takes 32 kB a message (https://developers.google.com/chat/api/reference)."""


class ChatNotifier:
    """Posts to one room.

    Args:
        message_of: What the room's service takes.
    """

    def __init__(self, name: str, post: Post | SecretPost, message_of: Callable[[Notice], dict[str, Any]]) -> None:
        self.name = name
        self._post, self._message_of = post, message_of

    def reaches_only(self, name: str) -> bool:
        return False

    def notify(self, notice: Notice) -> None:
        self._post(json.dumps(self._message_of(notice), ensure_ascii=False).encode())


def slack_message(notice: Notice) -> dict[str, Any]:
    """https://api.slack.com/messaging/webhooks: blocks, and a text for those who see no blocks."""
    texts = [_shortened(text, _SLACK_TEXT) for text in (notice.title, "\n".join(notice.lines), notice.how) if text]
    blocks: list[dict[str, Any]] = [{"type": "section", "text": {"type": "plain_text", "text": text}} for text in texts]
    if notice.link:
        button = {"type": "button", "text": {"type": "plain_text", "text": "Open"}, "url": notice.link}
        blocks.append({"type": "actions", "elements": [button]})
    return {"text": html.escape(_shortened(notice.title, _SLACK_TEXT), quote=False), "blocks": blocks}


def google_chat_message(notice: Notice) -> dict[str, Any]:
    """https://developers.google.com/chat/api/reference/rest/v1/cards: a card, whose paragraphs are escaped."""
    texts = [_shortened(text, _CHAT_TEXT) for text in (notice.title, "\n".join(notice.lines), notice.how) if text]
    widgets: list[dict[str, Any]] = [
        {"textParagraph": {"text": html.escape(text, quote=False).replace("\n", "<br>")}} for text in texts
    ]
    if notice.link:
        widgets.append({"buttonList": {"buttons": [{"text": "Open", "onClick": {"openLink": {"url": notice.link}}}]}})
    card = {"header": {"title": "Entracte"}, "sections": [{"widgets": widgets}]}
    return {"cardsV2": [{"cardId": notice.gate or notice.run, "card": card}]}


def _shortened(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 1]}…"
