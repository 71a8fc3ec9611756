"""What tools sign in to Google Cloud with.

    bigquery.Client(credentials=google_credentials())

In a deployment these are the credentials of the tools' account (``terraform output tools_account``), to which you grant
what your tools need; on your own machine they are yours. Without them a tool would act as the function that runs it,
which may read and write every run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from entracte.runtime.settings import read_settings

if TYPE_CHECKING:
    from entracte.adapters.gcp.tool_credentials import Credentials

CLOUD_PLATFORM = "https://www.googleapis.com/auth/cloud-platform"


def google_credentials(scopes: Sequence[str] = (CLOUD_PLATFORM,)) -> Credentials:
    """Credentials for Google's clients, good for as long as they are used."""
    from entracte.adapters.gcp.tool_credentials import tool_credentials

    return tool_credentials(read_settings().tools_account, scopes)
