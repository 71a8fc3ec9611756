"""What an edit of a gate's document means: an answer to the gate, by whoever the event names. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from urllib.parse import unquote

from msgspec import Struct

from entracte.core.answer import UNCONFIRMED, Answer, Author

_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")


class Edit(Struct, frozen=True, kw_only=True):
    """One edit of a gate's document, as its event tells it.

    Attributes:
        id: Of the event; the same for every delivery of it.
        decision_before: What stood in `decision`.
        decision, reason, edited_arguments: What stands there now.
        author_kind: ``user``, ``service_account``, ``app_user``, ``api_key``, ``system``, ``unauthenticated``,
            ``unknown``, or empty.
        author_id: Who made it, in a form that depends on the kind.
    """

    id: str
    gate: str
    decision_before: str
    decision: str
    reason: str = ""
    edited_arguments: str = ""
    author_kind: str = ""
    author_id: str = ""


def answer_of(edit: Edit, *, tested: bool, own_accounts: Sequence[str]) -> Answer | None:
    """The answer; None for an edit that leaves `decision` alone or clears it, as the approve phase does.

    Args:
        tested: A test edit has shown that events carry their author.
        own_accounts: E-mails of this deployment's service accounts; ``*`` stands for any text.
    """
    if not edit.decision.strip() or edit.decision == edit.decision_before:
        return None
    by, author = _author(edit, tested=tested, own_accounts=own_accounts)
    return Answer(
        id=edit.id,
        by=by,
        author=author,
        via="console",
        decision=edit.decision,
        operator=True,  # whoever may edit one document in the console may edit any
        reason=edit.reason,
        edited_arguments=edit.edited_arguments,
    )


def _author(edit: Edit, *, tested: bool, own_accounts: Sequence[str]) -> tuple[str, Author]:
    match edit.author_kind:
        case "api_key" | "system" | "unauthenticated" | "":
            email = ""
        case "app_user":
            email = _verified_email(edit.author_id)
        case _:
            email = edit.author_id if _EMAIL.fullmatch(edit.author_id) else ""
    if not email:
        return UNCONFIRMED, "unknown"
    if any(fnmatchcase(email.lower(), pattern.lower()) for pattern in own_accounts):
        return email, "machine"
    return email, "proved" if tested else "untested"


def _verified_email(author_id: str) -> str:
    """E-mail of an app's user, if the event shows that it was verified: anybody can sign up with anybody's address.

    What Google puts there is not documented; a token's claims are taken, and nothing else is.
    """
    try:
        claims = json.loads(unquote(author_id))
    except (ValueError, RecursionError):
        return ""
    match claims.get("token", claims) if isinstance(claims, dict) else None:
        case {"email": str(email), "email_verified": True} if _EMAIL.fullmatch(email):
            return email
        case _:
            return ""
