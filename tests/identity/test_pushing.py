"""Tokens of pushes behind Cloud Run's IAM check (core/identity/pushing.py)."""

from datetime import UTC, datetime

import pytest

from entracte.core.identity.pushing import check_push
from entracte.errors import Forbidden, Unauthenticated
from tests.identity.issuer import Issuer

PUSH, HOST = "entracte-push@demo.iam.gserviceaccount.com", "entracte-plan-x-ew.a.run.app"
ISSUER = Issuer(now_s=1_800_000_000)
OURS = {"email": PUSH, "aud": f"https://{HOST}"}


def refusal(authorization: str, host: str = HOST, at_s: float = 0) -> str:
    """The code that a request is refused with; empty for none."""
    try:
        check_push(authorization, host=host, account=PUSH, now=datetime.fromtimestamp(ISSUER.now_s + at_s, UTC))
    except Forbidden as error:
        return error.code
    return ""


def test_a_token_whose_signature_was_taken_away_is_taken():
    """Also one whose audience names a path, as that of a trigger may."""
    longer = OURS | {"aud": f"https://{HOST}/?mode=event"}
    assert [refusal(f"Bearer {ISSUER.stripped(**claims)}") for claims in (OURS, longer)] == ["", ""]


@pytest.mark.parametrize(
    ("claims", "code"),
    [
        ({"email": "other@demo.iam.gserviceaccount.com"}, "wrong_account"),
        ({"email_verified": False}, "wrong_account"),
        ({"email": None}, "wrong_account"),
        ({"aud": "https://entracte-undo-x-ew.a.run.app"}, "wrong_audience"),
        ({"aud": f"http://{HOST}"}, "wrong_audience"),
        ({"aud": f"https://{HOST}.evil.example"}, "wrong_audience"),
        ({"aud": [f"https://{HOST}"]}, "wrong_audience"),
        ({"aud": None}, "wrong_audience"),
        ({"iss": "https://evil.example"}, "wrong_issuer"),
        ({"exp": None}, "bad_token"),
        ({"exp": "9999999999"}, "bad_token"),
        ({"exp": float("nan")}, "bad_token"),
        ({"iat": 1_800_000_031}, "bad_token"),
        ({"exp": 1_799_999_970}, "token_expired"),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_each_claim_is_checked(claims: dict[str, object], code: str):
    """Account, audience, issuer, times."""
    assert refusal(f"Bearer {ISSUER.stripped(**OURS | claims)}") == code


def test_a_function_may_have_further_addresses():
    """What Eventarc signs in for is not written anywhere: a setting may name it."""
    token, now = ISSUER.stripped(**OURS | {"aud": "other"}), datetime.fromtimestamp(ISSUER.now_s, UTC)
    check_push(f"Bearer {token}", host=HOST, account=PUSH, now=now, audiences=["other"])
    with pytest.raises(Unauthenticated):
        check_push(f"Bearer {token}", host=HOST, account=PUSH, now=now, audiences=["another"])


def test_a_signed_token_is_refused():
    """Nobody has checked it on the way: the function does not stand where it was told that it stands."""
    assert refusal(f"Bearer {ISSUER.token(**OURS)}") == "not_behind_iam"


@pytest.mark.parametrize(
    "authorization", ["", "Bearer", "Basic YTpi", "Bearer x", "Bearer a.b.SIGNATURE_REMOVED_BY_GOOGLE"]
)
def test_a_request_without_a_token_is_refused(authorization: str):
    """Or with what is none."""
    assert refusal(authorization) in ("unauthenticated", "bad_token")


def test_a_token_is_good_until_its_end():
    """And as long as clocks may differ."""
    assert [refusal(f"Bearer {ISSUER.stripped(**OURS)}", at_s=at) for at in (3629, 3630)] == ["", "token_expired"]


def test_a_request_to_no_host_is_refused():
    """There is nothing that the audience could be."""
    with pytest.raises(Unauthenticated, match="another audience"):
        check_push(
            f"Bearer {ISSUER.stripped(**OURS | {'aud': 'https://'})}",
            host="",
            account=PUSH,
            now=datetime.fromtimestamp(ISSUER.now_s, UTC),
        )
