"""Who sends a request (runtime/doors/signing_in.py), and what is taken from each issuer's tokens."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from entracte.adapters.gcp.signatures import PublishedKeys
from entracte.core.identity.identity import Identity
from entracte.core.identity.issuers import IAP_HEADER, Kind, issuer_of
from entracte.errors import ConfigurationError, Forbidden
from entracte.runtime.doors.signing_in import KEYS_KEPT_S, SignIn
from entracte.runtime.opening_sign_in import open_sign_in
from entracte.runtime.settings import read_settings
from entracte.testing.clock import FakeClock
from tests.identity.issuer import AUDIENCE, PROJECT, Issuer, elliptic_token, public_pem

KEY = "entracte_" + "k" * 40
LINE = f"nightly sha256:{sha256(KEY.encode()).hexdigest()}"


class Door:
    """A sign-in for Google, Firebase and keys, at a time that stands still."""

    def __init__(self, *, users: tuple[str, ...] = ("*",), keys: str = LINE) -> None:
        self.clock = FakeClock()
        self.issuer = Issuer(now_s=self.clock.now().timestamp())
        self.listed = keys
        kinds: tuple[Kind, ...] = ("google", "firebase")
        trusted = [issuer_of(kind, audiences=(AUDIENCE,), project=PROJECT) for kind in kinds]
        self.sign_in = SignIn(
            [(one, PublishedKeys(one.certs_url, one.algorithm, fetch=self.issuer.keys)) for one in trusted],
            clock=self.clock,
            read_keys=self._read,
            users=users,
            operators=("ops@example.com",),
        )

    def _read(self) -> str:
        if not self.listed:
            raise ConfigurationError("There is no secret.")
        return self.listed

    def who(self, secret: str) -> Identity | str:
        """Whoever sends it as a bearer token; or the code of the refusal."""
        try:
            return self.sign_in.identify({"authorization": f"Bearer {secret}"} if secret else {})
        except Forbidden as error:
            return error.code


@pytest.fixture
def door() -> Door:
    """Open to everybody with a token or a key."""
    return Door()


def test_a_google_token_is_its_verified_address(door: Door):
    """In small letters, whatever the token has."""
    assert door.who(door.issuer.token("Ada@Example.com")) == Identity("ada@example.com")


@pytest.mark.parametrize(
    ("email", "known"),
    [("\u212aate@example.com", False), ("\u00c5sa@example.com", False), ("\u00e5sa@example.com", True)],
)
def test_no_two_addresses_are_one_name(door: Door, email: str, known: bool):
    """The Kelvin sign becomes a small k: whoever has such an address would be Kate."""
    assert door.who(door.issuer.token(email)) == (Identity(email) if known else "email_not_verified")


def test_a_firebase_token_is_its_verified_address_or_its_user(door: Door):
    """An address that was not verified is anybody's, and is not used."""
    issuer = door.issuer
    claimed = {"email": "ada@example.com", "email_verified": False}
    assert door.who(issuer.of_app("u1", email="ada@example.com", email_verified=True)) == Identity("ada@example.com")
    assert door.who(issuer.of_app("u1", **claimed)) == Identity("u1")


@pytest.mark.parametrize("uid", ["ada@example.com", "a/b", "", "key:nightly", "x" * 129])
def test_a_user_id_is_nothing_else(door: Door, uid: str):
    """Neither an address, nor a path, nor the holder of a key."""
    assert door.who(door.issuer.of_app(uid)) == "email_not_verified"


@pytest.mark.parametrize(
    ("claims", "code"),
    [
        ({"aud": "https://other.example"}, "wrong_audience"),
        ({"aud": None}, "wrong_audience"),
        ({"iss": "https://evil.example"}, "wrong_issuer"),
        ({"exp": 1}, "token_expired"),
        ({"iat": 9_999_999_999}, "bad_token"),
        ({"email_verified": False}, "email_not_verified"),
        ({"email_verified": "true"}, "email_not_verified"),
        ({"email": "a/b@example.com"}, "email_not_verified"),
        ({"signed_with": "somebody's"}, "bad_signature"),
        ({"iss": f"https://securetoken.google.com/{PROJECT}"}, "wrong_audience"),
        ({"iss": "https://securetoken.google.com/another-project", "aud": "another-project"}, "wrong_issuer"),
    ],
    ids=str,
)
def test_a_google_token_that_does_not_hold_is_refused(door: Door, claims: dict[str, Any], code: str):
    """Each claim for itself, under a true signature but where that is the point."""
    assert door.who(door.issuer.token(**{"email": "ada@example.com", "email_verified": True} | claims)) == code


def test_a_token_that_cloud_run_took_for_its_own_says_so(door: Door):
    """The caller sent one token where two are needed."""
    assert door.who(door.issuer.stripped("ada@example.com")) == "token_stripped"


def test_a_key_is_its_holder(door: Door):
    """And what is no key is nobody."""
    assert [door.who(key) for key in (KEY, KEY + "k", "")] == [Identity("key:nightly"), "bad_token", "unauthenticated"]


def test_a_key_that_is_taken_off_the_list_is_refused_within_a_minute(door: Door):
    """As a new one is taken."""
    assert door.who(KEY) == Identity("key:nightly")
    door.listed = ""
    door.clock.advance(seconds=KEYS_KEPT_S - 1)
    assert door.who(KEY) == Identity("key:nightly")
    door.clock.advance(seconds=1)
    assert door.who(KEY) == "bad_token"


def test_operators_are_those_named_and_those_whose_key_says_so():
    """Whether or not they are among the users."""
    door = Door(users=(), keys=f"{LINE} operator")
    assert door.who(door.issuer.token("Ops@example.com")) == Identity("ops@example.com", operator=True)
    assert door.who(KEY) == Identity("key:nightly", operator=True)


def test_a_deployment_is_for_its_users():
    """By name or by domain; a domain that only looks alike is another."""
    door = Door(users=("*@example.com", "bob@other.example"))
    emails = ("ada@EXAMPLE.com", "bob@other.example", "eve@other.example", "ada@example.com.evil.example")
    found = [door.who(door.issuer.token(email)) for email in emails]
    assert found == [Identity("ada@example.com"), Identity("bob@other.example"), "not_a_user", "not_a_user"]


def test_iap_says_who_signed_in_to_it():
    """In a header of its own, with keys of its own; a bearer token proves nothing there."""
    clock, key = FakeClock(), ec.generate_private_key(ec.SECP256R1())
    issuer = issuer_of("iap", audiences=("/projects/1/locations/l/services/api",), project="")
    published = {"iap": public_pem(key)}
    keys = PublishedKeys(issuer.certs_url, issuer.algorithm, fetch=lambda url: (published, ""))
    door = SignIn([(issuer, keys)], clock=clock, users=("*",))
    now_s = int(clock.now().timestamp())
    claims = {"iss": "https://cloud.google.com/iap", "aud": "/projects/1/locations/l/services/api", "iat": now_s}
    token = elliptic_token(key, **claims, exp=now_s + 600, email="Ada@example.com", sub="1")
    assert door.identify({IAP_HEADER: token}) == Identity("ada@example.com")
    for headers in ({"authorization": f"Bearer {token}"}, {IAP_HEADER: token[:-4]}, {IAP_HEADER: ""}, {}):
        with pytest.raises(Forbidden):
            door.identify(headers)


@pytest.mark.parametrize(
    ("more", "missing"),
    [
        ({"ENTRACTE_AUTH": "google", "ENTRACTE_AUDIENCE": "a"}, "ENTRACTE_USERS"),
        ({"ENTRACTE_AUTH": "google", "ENTRACTE_USERS": "*"}, "ENTRACTE_AUDIENCE"),
        ({"ENTRACTE_AUTH": "firebase", "ENTRACTE_USERS": "*"}, "ENTRACTE_PROJECT"),
    ],
)
def test_settings_that_would_let_in_anybody_or_nobody_stop_the_start(more: dict[str, str], missing: str):
    """They name the setting that is missing."""
    settings = read_settings(more)
    with pytest.raises(ConfigurationError, match=missing):
        open_sign_in(settings, None, FakeClock())  # type: ignore[arg-type]  # no secret is read


@pytest.mark.parametrize("auth", ["nobody", "loopback,google", "google,google", ","])
def test_a_way_to_sign_in_is_one_of_those_known(auth: str):
    """A mistyped one must not be left out in silence."""
    with pytest.raises(ConfigurationError, match="ENTRACTE_AUTH"):
        read_settings({"ENTRACTE_AUTH": auth})
