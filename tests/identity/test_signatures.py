"""Signatures by published keys (adapters/gcp/signatures.py)."""

from __future__ import annotations

import json
from base64 import urlsafe_b64encode
from collections.abc import Callable

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from entracte.adapters.gcp.signatures import ASK_AGAIN_S, MAX_KEPT_S, MIN_KEPT_S, RETRY_S, PublishedKeys
from entracte.core.identity.jwt import parse_jwt
from entracte.errors import StoreUnavailable, Unauthenticated
from tests.identity.issuer import Issuer, elliptic_token, public_pem


class Time:
    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def issuer() -> Issuer:
    """Signs with its first key."""
    return Issuer()


@pytest.fixture
def time() -> Time:
    """Stands still until it is moved."""
    return Time()


@pytest.fixture
def keys(issuer: Issuer, time: Time) -> PublishedKeys:
    """The issuer's keys."""
    return PublishedKeys("https://issuer.example", "RS256", fetch=issuer.keys, now_s=time)


def holds(keys: PublishedKeys, token: str) -> bool:
    """Whether its signature is the issuer's."""
    try:
        keys.check(parse_jwt(token))
    except Unauthenticated:
        return False
    return True


def test_what_the_issuer_signed_holds(keys: PublishedKeys, issuer: Issuer):
    """And its keys are asked for once."""
    assert [holds(keys, issuer.token("ada@example.com")) for _ in "123"] == [True] * 3
    assert issuer.fetched == 1


def unsigned(issuer: Issuer) -> str:
    """``alg: none``, with something where the signature was."""
    header = urlsafe_b64encode(json.dumps({"alg": "none", "kid": "first"}).encode()).decode().rstrip("=")
    return f"{header}.{issuer.token('ada@example.com').split('.')[1]}.AAAA"


def symmetric(issuer: Issuer) -> str:
    """``alg: HS256``: the public key taken for a password."""
    import hmac
    from hashlib import sha256

    header = urlsafe_b64encode(json.dumps({"alg": "HS256", "kid": "first"}).encode()).decode().rstrip("=")
    signed = f"{header}.{issuer.token('ada@example.com').split('.')[1]}"
    key = issuer.keys()[0]["first"].encode()
    mac = urlsafe_b64encode(hmac.digest(key, signed.encode(), sha256)).decode().rstrip("=")
    return f"{signed}.{mac}"


def altered(issuer: Issuer) -> str:
    """Other claims under a true signature."""
    one, other = issuer.token("ada@example.com").split("."), issuer.token("eve@example.com").split(".")
    return f"{one[0]}.{other[1]}.{one[2]}"


@pytest.mark.parametrize(
    "forged",
    [
        unsigned,
        symmetric,
        altered,
        lambda issuer: issuer.token("ada@example.com", signed_with="somebody's"),
        lambda issuer: issuer.token("ada@example.com", kid="unknown"),
        lambda issuer: issuer.stripped("ada@example.com"),
        lambda issuer: issuer.token("ada@example.com")[:-8],
    ],
    ids=["none", "HS256", "altered", "other key", "unknown key", "stripped", "cut"],
)
def test_a_forged_token_does_not(keys: PublishedKeys, issuer: Issuer, forged: Callable[[Issuer], str]):
    """Whatever it says of its algorithm and key."""
    assert not holds(keys, forged(issuer))


def test_new_keys_are_found_and_old_ones_forgotten(keys: PublishedKeys, issuer: Issuer, time: Time):
    """An issuer changes its keys now and then."""
    old = issuer.token("ada@example.com")
    assert holds(keys, old)
    issuer.key, time.now_s = "second", ASK_AGAIN_S
    assert (holds(keys, issuer.token("ada@example.com")), holds(keys, old)) == (True, False)


def test_made_up_keys_do_not_have_them_asked_for_each_time(keys: PublishedKeys, issuer: Issuer, time: Time):
    """Once a minute at most."""
    for second in range(ASK_AGAIN_S * 2):
        time.now_s = second
        assert not holds(keys, issuer.token("ada@example.com", kid=f"made-up-{second}"))
    assert issuer.fetched == 2


@pytest.mark.parametrize(
    ("control", "kept_s"),
    [("max-age=3600", 3600), ("max-age=0", MIN_KEPT_S), ("", MIN_KEPT_S), ("max-age=999999999", MAX_KEPT_S)],
)
def test_keys_are_kept_as_their_server_says_within_bounds(issuer: Issuer, time: Time, control: str, kept_s: int):
    """A key that is taken back is refused from then on."""
    keys = PublishedKeys("u", "RS256", fetch=lambda url: (issuer.keys()[0], control), now_s=time)
    for time.now_s in (0, kept_s - 1, kept_s):
        holds(keys, issuer.token("ada@example.com"))
    assert issuer.fetched == 2


def test_without_keys_nobody_can_be_told_apart_for_now(issuer: Issuer, time: Time):
    """A failure is remembered for some seconds, so that requests do not queue for an answer."""
    asked: list[str] = []

    def fetch(url: str) -> tuple[dict[str, str], str]:
        asked.append(url)
        raise StoreUnavailable("The network is down.")

    keys = PublishedKeys("u", "RS256", fetch=fetch, now_s=time)
    for time.now_s in (0, 1, RETRY_S):
        with pytest.raises(StoreUnavailable):
            keys.check(parse_jwt(issuer.token("ada@example.com")))
    assert len(asked) == 2


def test_keys_come_over_http(issuer: Issuer):
    """From where the issuer has them; where there are none, that is told."""
    with issuer.served() as url:
        assert holds(PublishedKeys(url, "RS256"), issuer.token("ada@example.com"))
    with pytest.raises(StoreUnavailable):
        PublishedKeys(url, "RS256").check(parse_jwt(issuer.token("ada@example.com")))


def test_iap_signs_with_an_elliptic_curve():
    """And its keys take nothing that says RS256."""
    key = ec.generate_private_key(ec.SECP256R1())
    token = elliptic_token(key, sub="1")
    published = {"iap": public_pem(key)}
    found = [
        holds(PublishedKeys("u", algorithm, fetch=lambda url: (published, "")), token)
        for algorithm in ("ES256", "RS256")
    ]
    assert found == [True, False]
