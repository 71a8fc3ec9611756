"""Google credentials that tools act with: those of an account that may do what tools may, and nothing with runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from google.auth.credentials import Credentials as Credentials  # also for those who may not import Google's

LIFE_S = 3600


def tool_credentials(account: str, scopes: Sequence[str]) -> Credentials:
    """Credentials of the account, borrowed by those of this process; the latter themselves for no account.

    The process's own account needs ``roles/iam.serviceAccountTokenCreator`` on it.
    https://cloud.google.com/iam/docs/service-account-impersonation
    """
    import google.auth
    from google.auth import impersonated_credentials

    own, _ = google.auth.default(scopes=["https://www.googleapis.com/auth/cloud-platform"] if account else scopes)
    if not account:
        return own
    return impersonated_credentials.Credentials(own, account, list(scopes), lifetime=LIFE_S)
