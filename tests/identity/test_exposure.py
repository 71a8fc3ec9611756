"""What starts, and where (runtime/doors/exposure.py): nothing that is open to others."""

from __future__ import annotations

import pytest

from entracte.errors import ConfigurationError
from entracte.runtime.doors.exposure import refuse_open_api, refuse_open_phase
from entracte.runtime.settings import read_settings

HERE = {"HOST": "127.0.0.1"}
GOOGLE = {"ENTRACTE_AUTH": "google"}
IAM = {"ENTRACTE_BEHIND_IAM": "true", "ENTRACTE_PUSH_ACCOUNT": "push@example.com"}
CLOUD_RUN = {"K_SERVICE": "api"}


def starts(what: object, environment: dict[str, str]) -> bool:
    """Whether the api, or a phase, starts in it."""
    try:
        (refuse_open_api if what == "api" else refuse_open_phase)(read_settings(environment))
    except ConfigurationError:
        return False
    return True


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "::1", "localhost"])
def test_what_only_this_machine_reaches_needs_no_proof(host: str):
    """The local stack."""
    assert [starts(what, {"HOST": host}) for what in ("api", "plan")] == [True, True]


@pytest.mark.parametrize(
    "environment", [{}, {"HOST": "0.0.0.0"}, {"HOST": "10.0.0.7"}, {"HOST": "localhost.evil"}, HERE | CLOUD_RUN]
)
def test_what_others_reach_does_not_start_without_a_proof(environment: dict[str, str]):
    """Also where nothing says what it listens on: the framework then listens on everything."""
    assert [starts(what, environment) for what in ("api", "plan")] == [False, False]


def test_an_api_that_asks_who_calls_starts_anywhere():
    """In the cloud above all."""
    assert [starts("api", GOOGLE | where) for where in ({}, HERE, CLOUD_RUN)] == [True] * 3


def test_a_phase_starts_where_iam_stands_before_it_and_it_knows_who_calls():
    """Nothing else proves a push: an API's sign-in does not guard it."""
    assert starts("plan", GOOGLE | CLOUD_RUN | IAM)
    assert not starts("plan", GOOGLE | HERE)
    assert not starts("plan", CLOUD_RUN | {"ENTRACTE_BEHIND_IAM": "true"})
