"""Who issues tokens that people sign in with, and what is taken from these. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Literal, assert_never

from msgspec import Struct

from entracte.core.identity.claims import user_id, verified_email
from entracte.errors import Unauthenticated

Kind = Literal["google", "firebase", "iap"]

IAP_HEADER = "x-goog-iap-jwt-assertion"
GOOGLE_ISSUERS = ("https://accounts.google.com", "accounts.google.com")


class Issuer(Struct, frozen=True, kw_only=True):
    """One that is trusted.

    Attributes:
        names: What its tokens have as ``iss``.
        audiences: Whom its tokens must be for.
        certs_url: Where its public keys are: a JSON object, PEM by key id.
        algorithm: The only one that it signs with.
        header: Where its tokens travel: with ``Bearer`` in ``authorization``, plain elsewhere.
    """

    kind: Kind
    names: Collection[str]
    audiences: Collection[str]
    certs_url: str
    algorithm: Literal["RS256", "ES256"] = "RS256"
    header: str = "authorization"

    def name_in(self, claims: Mapping[str, Any]) -> str:
        """Whom a token of this issuer is about.

        Raises:
            Unauthenticated: It does not prove who.
        """
        match self.kind:
            case "google":
                name = verified_email(claims)
            case "firebase":
                name = verified_email(claims) or user_id(claims)
            case "iap":  # which lets nobody through with an address that is not theirs
                name = verified_email({**claims, "email_verified": "gcip" not in claims})
            case _:
                assert_never(self.kind)
        if not name:
            raise Unauthenticated("The token vouches for no e-mail address.", code="email_not_verified")
        return name


def issuer_of(kind: Kind, *, audiences: Collection[str], project: str, certs_url: str = "") -> Issuer:
    """An issuer as it is known.

    Args:
        project: Whose users Firebase signs in; its tokens are for the project.
        certs_url: In place of the known one.
    """
    match kind:
        case "google":  # https://developers.google.com/identity/sign-in/web/backend-auth
            names, url = GOOGLE_ISSUERS, "https://www.googleapis.com/oauth2/v1/certs"
            return Issuer(kind=kind, names=names, audiences=audiences, certs_url=certs_url or url)
        case "firebase":  # https://firebase.google.com/docs/auth/admin/verify-id-tokens
            name = f"https://securetoken.google.com/{project}"
            url = "https://www.googleapis.com/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com"
            return Issuer(kind=kind, names=(name,), audiences=(project,), certs_url=certs_url or url)
        case "iap":  # https://cloud.google.com/iap/docs/signed-headers-howto
            return Issuer(
                kind=kind,
                names=("https://cloud.google.com/iap",),
                audiences=audiences,
                certs_url=certs_url or "https://www.gstatic.com/iap/verify/public_key",
                algorithm="ES256",
                header=IAP_HEADER,
            )
        case _:
            assert_never(kind)
