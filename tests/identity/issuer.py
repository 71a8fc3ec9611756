"""An issuer of tokens with keys of its own, which it publishes as Google does."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from google.auth import crypt, jwt
from google.auth.crypt.es256 import ES256Signer

GOOGLE, PROJECT = "https://accounts.google.com", "demo-identity"
FIREBASE = f"https://securetoken.google.com/{PROJECT}"
AUDIENCE = "https://api.example"

PrivateKey = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey


@cache
def a_key(name: str) -> rsa.RSAPrivateKey:
    """A key, always the same for a name: making one takes a tenth of a second."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@cache
def a_signer(name: str, kid: str) -> crypt.RSASigner:
    """What signs with a key."""
    return crypt.RSASigner.from_string(private_pem(a_key(name)), key_id=kid)


def public_pem(key: PrivateKey) -> str:
    """What is published of a key."""
    public = key.public_key()
    return public.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo).decode()


def private_pem(key: PrivateKey) -> bytes:
    """The key itself."""
    kind, plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    return key.private_bytes(serialization.Encoding.PEM, kind, plain)


@dataclass
class Issuer:
    """Signs what it is told.

    Attributes:
        key: Name of the key that it signs with.
        now_s: Unix time that tokens are made at.
        fetched: How often its keys were asked for.
    """

    key: str = "first"
    now_s: float = field(default_factory=time.time)
    fetched: int = 0

    def keys(self, url: str = "") -> tuple[Mapping[str, str], str]:
        """What it publishes."""
        self.fetched += 1
        return {self.key: public_pem(a_key(self.key))}, "public, max-age=3600"

    def token(self, email: str = "", *, signed_with: str = "", kid: str = "", **claims: Any) -> str:
        """A token for a verified e-mail, or with whatever claims; None leaves one out.

        Args:
            signed_with: Name of another key.
            kid: Another key's name as the token has it.
        """
        times = {"iat": int(self.now_s), "exp": int(self.now_s) + 3600}
        proof = {"email": email, "email_verified": True} if email else {}
        all_claims = {"iss": GOOGLE, "aud": AUDIENCE, "sub": "1", **times, **proof, **claims}
        said = {name: value for name, value in all_claims.items() if value is not None}
        return jwt.encode(a_signer(signed_with or self.key, kid or self.key), said).decode()

    def of_app(self, uid: str, **claims: Any) -> str:
        """A token of Firebase."""
        return self.token(iss=FIREBASE, aud=PROJECT, sub=uid, **claims)

    def stripped(self, email: str = "", **claims: Any) -> str:
        """A token as Cloud Run passes it on."""
        return self.token(email, **claims).rpartition(".")[0] + ".SIGNATURE_REMOVED_BY_GOOGLE"

    @contextmanager
    def served(self) -> Iterator[str]:
        """The address of its keys on this machine, until the end of the block."""
        issuer = self

        class Keys(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                found, control = issuer.keys()
                self.send_response(200)
                self.send_header("Cache-Control", control)
                self.end_headers()
                self.wfile.write(json.dumps(found).encode())

            def log_message(self, *args: object) -> None:
                """Say nothing."""

        with ThreadingHTTPServer(("127.0.0.1", 0), Keys) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            try:
                yield "http://{}:{}/certs".format(*server.server_address)
            finally:
                server.shutdown()


def elliptic_token(key: ec.EllipticCurvePrivateKey, **claims: Any) -> str:
    """A token signed with ES256, as IAP signs."""
    return jwt.encode(ES256Signer.from_string(private_pem(key), key_id="iap"), claims).decode()
