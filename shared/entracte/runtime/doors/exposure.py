"""Whether a process may answer requests that prove nothing: only where nobody else can send any."""

from __future__ import annotations

from ipaddress import ip_address

from entracte.errors import ConfigurationError
from entracte.runtime.settings import Settings


def refuse_open_api(settings: Settings) -> None:
    """Stop the start of an API that takes everybody for the same person, unless only this machine reaches it.

    Raises:
        ConfigurationError: Others might reach it.
    """
    if "loopback" in settings.auth and not _is_local(settings):
        raise ConfigurationError(
            f"ENTRACTE_AUTH is loopback, but the API listens on {_where(settings)}: it would answer everybody.",
            remedy="Set ENTRACTE_AUTH to google, firebase, iap or keys; on this machine, set HOST to 127.0.0.1.",
            code="open_to_all",
        )


def refuse_open_phase(settings: Settings) -> None:
    """Stop the start of a function that takes anybody's messages, unless only this machine reaches it.

    Raises:
        ConfigurationError: Others might reach it, or it does not know whose messages to take.
    """
    if settings.behind_iam:
        if not settings.push_account:
            raise ConfigurationError(
                "ENTRACTE_BEHIND_IAM is true, and ENTRACTE_PUSH_ACCOUNT does not say who calls.",
                remedy="Set it to the e-mail of the service account in whose name subscriptions push.",
            )
        return
    if settings.auth != ("loopback",) or not _is_local(settings):
        raise ConfigurationError(
            f"The function would take anybody's messages: it does not stand behind Cloud Run's IAM check, and "
            f"ENTRACTE_AUTH is {','.join(settings.auth)}, listening on {_where(settings)}.",
            remedy="Behind IAM, set ENTRACTE_BEHIND_IAM=true; on this machine, ENTRACTE_AUTH=loopback, HOST=127.0.0.1.",
            code="open_to_all",
        )


def _is_local(settings: Settings) -> bool:
    """Only this machine reaches it. Cloud Run has its proxy on the same machine."""
    if settings.on_cloud_run:
        return False
    try:
        return settings.host == "localhost" or ip_address(settings.host).is_loopback
    except ValueError:
        return False


def _where(settings: Settings) -> str:
    return "Cloud Run" if settings.on_cloud_run else f"{settings.host} (HOST)"
