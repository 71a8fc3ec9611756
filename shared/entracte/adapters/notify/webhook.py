"""A notice as signed JSON to an address of the reader's choice.

    {"v": 1, "type": "gate.opened", "run", "gate", "to": […], "title", "lines": […], "link", "how"}

The header ``Entracte-Signature: t=UNIX_SECONDS,v1=HEX`` holds the HMAC-SHA256, under the shared secret, of the time, a
point and the body: ``b"1760000000." + body``. Whoever receives it computes it again and refuses old times.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Callable

from msgspec import to_builtins

from entracte.adapters.notify.posting import Post
from entracte.adapters.notify.secret_post import SecretPost
from entracte.ports.clock import Clock
from entracte.ports.notifier import Notice


class WebhookNotifier:
    """Posts notices.

    Args:
        secret: Gives the shared secret when it is needed.
    """

    def __init__(self, post: Post | SecretPost, *, secret: Callable[[], str], clock: Clock) -> None:
        self.name = f"webhook {post.host}"
        self._post, self._secret, self._clock = post, secret, clock

    def reaches_only(self, name: str) -> bool:
        return False

    def notify(self, notice: Notice) -> None:
        fields = to_builtins(notice)
        body = json.dumps({"v": 1, "type": fields.pop("kind"), **fields}, ensure_ascii=False).encode()
        at = int(self._clock.now().timestamp())
        self._post(body, {"Entracte-Signature": signature(self._secret(), body, at=at)})


def signature(secret: str, body: bytes, *, at: int) -> str:
    """The header's value.

    Args:
        at: Unix time in seconds.
    """
    signed = hmac.new(secret.encode(), f"{at}.".encode() + body, hashlib.sha256)
    return f"t={at},v1={signed.hexdigest()}"
