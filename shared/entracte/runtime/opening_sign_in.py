"""What tells callers apart, composed as the settings have it. Part of the composition; see compose.py."""

from __future__ import annotations

from typing import get_args

from entracte.adapters.gcp.signatures import PublishedKeys
from entracte.core.identity.issuers import Kind, issuer_of
from entracte.errors import ConfigurationError
from entracte.ports.clock import Clock
from entracte.ports.secrets import Secrets
from entracte.runtime.doors.callers import Identify, LoopbackUser, SignedIn
from entracte.runtime.doors.signing_in import API_KEYS, SignIn
from entracte.runtime.settings import Settings


def open_identify(settings: Settings, secrets_port: Secrets, clock: Clock) -> Identify:
    """What says who is calling: a proof that the request carries, or that it comes from this machine.

    Raises:
        ConfigurationError: As `open_sign_in` does.
    """
    if settings.auth == ("loopback",):
        return LoopbackUser(settings.user, settings.operators)
    return SignedIn(open_sign_in(settings, secrets_port, clock))


def open_sign_in(settings: Settings, secrets_port: Secrets, clock: Clock) -> SignIn:
    """What tells callers apart.

    Raises:
        ConfigurationError: They would let in nobody, or do not say whom.
    """
    known: tuple[Kind, ...] = get_args(Kind)
    kinds = [kind for kind in known if kind in settings.auth]
    if kinds and not (settings.users or settings.operators):
        raise ConfigurationError(
            f"ENTRACTE_AUTH is {','.join(settings.auth)}, and ENTRACTE_USERS does not say whom to let in.",
            remedy="Name them, or set * for everybody who has a token for this deployment.",
        )
    if not settings.audience and {"google", "iap"} & {*kinds}:
        raise ConfigurationError(
            "ENTRACTE_AUDIENCE is empty: tokens made for any other service would be taken.",
            remedy="Set it to the API's address, and to the client ids of your apps.",
        )
    if not settings.project and "firebase" in kinds:
        raise ConfigurationError("Firebase's tokens are for a project: set ENTRACTE_PROJECT.")
    issuers = [
        issuer_of(kind, audiences=settings.audience, project=settings.project, certs_url=settings.certs_url)
        for kind in kinds
    ]
    return SignIn(
        [(issuer, PublishedKeys(issuer.certs_url, issuer.algorithm)) for issuer in issuers],
        clock=clock,
        read_keys=(lambda: secrets_port.get(API_KEYS)) if "keys" in settings.auth else None,
        users=settings.users,
        operators=settings.operators,
    )
