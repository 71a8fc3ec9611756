"""Secrets in Secret Manager, against a server that speaks its protocol (adapters/gcp/secrets.py)."""

import logging
import traceback

import pytest

from entracte.adapters.gcp.secrets import MAX_AGE_S, SecretManagerSecrets
from entracte.errors import ConfigurationError, RetryableError
from entracte.testing.secret_server import secret_server

KEY = "sk-4711"


class Seconds:
    """A clock that is moved by hand."""

    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def server():
    """A server with one secret."""
    with secret_server() as server:
        server.versions["entracte-OPENAI_API_KEY"] = [KEY]
        yield server


@pytest.fixture
def clock():
    """Time."""
    return Seconds()


@pytest.fixture
def secrets(server, clock):
    """The adapter on the server."""
    return SecretManagerSecrets("demo", prefix="entracte", client=server.client, now_s=clock)


def test_the_newest_version_is_read_under_the_name_that_terraform_gives(secrets, server):
    """Project, prefix and name; without the line end that files add."""
    server.versions["entracte-OPENAI_API_KEY"].append(f"{KEY}-2\n")
    assert secrets.get("OPENAI_API_KEY") == f"{KEY}-2"
    assert server.asked == ["projects/demo/secrets/entracte-OPENAI_API_KEY/versions/latest"]


def test_a_value_is_kept_for_five_minutes_and_no_longer(secrets, server, clock):
    """A rotated key counts then, without a redeploy."""
    assert secrets.get("OPENAI_API_KEY") == KEY
    server.versions["entracte-OPENAI_API_KEY"].append("rotated")
    clock.now = MAX_AGE_S - 1
    assert secrets.get("OPENAI_API_KEY") == KEY
    clock.now = MAX_AGE_S
    assert secrets.get("OPENAI_API_KEY") == "rotated"
    assert len(server.asked) == 2


@pytest.mark.parametrize("failing", ["INTERNAL", "UNAVAILABLE", "RESOURCE_EXHAUSTED"])
def test_while_secret_manager_is_down_the_last_value_goes_on(secrets, server, clock, failing):
    """Its outage need not be ours."""
    secrets.get("OPENAI_API_KEY")
    server.failing = failing
    clock.now = MAX_AGE_S
    assert secrets.get("OPENAI_API_KEY") == KEY


@pytest.mark.parametrize("failing", ["INTERNAL", "UNAVAILABLE"])
def test_without_a_last_value_an_outage_is_worth_another_try(secrets, server, failing):
    """The message is delivered again later."""
    server.failing = failing
    with pytest.raises(RetryableError, match="did not give 'entracte-OPENAI_API_KEY'"):
        secrets.get("OPENAI_API_KEY")


@pytest.mark.parametrize(
    ("name", "failing", "words"),
    [
        ("TAVILY_KEY", "", "There is no secret 'entracte-TAVILY_KEY' with a value in project 'demo'"),
        ("OPENAI_API_KEY", "PERMISSION_DENIED", "may not read the secret 'entracte-OPENAI_API_KEY'"),
        ("a/../b", "", "cannot be the name of a secret"),
    ],
)
def test_what_cannot_be_read_is_named_with_a_remedy(secrets, server, name, failing, words):
    """It is a matter of the deployment."""
    server.failing = failing
    with pytest.raises(ConfigurationError, match=words) as caught:
        secrets.get(name)
    assert caught.value.remedy


def test_a_value_that_is_no_text_is_refused_and_not_shown(secrets, server):
    """Bytes that are no UTF-8, such as a key file that was added whole."""
    server.versions["entracte-OPENAI_API_KEY"] = ["\udcff\udcfe"]
    with pytest.raises(ConfigurationError, match="'entracte-OPENAI_API_KEY' is no text in UTF-8"):
        secrets.get("OPENAI_API_KEY")


def test_a_value_is_shown_nowhere(secrets, server, clock, caplog):
    """Not in reprs, logs, or errors that follow."""
    caplog.set_level(logging.DEBUG)
    secrets.get("OPENAI_API_KEY")
    server.failing = "PERMISSION_DENIED"
    clock.now = MAX_AGE_S
    with pytest.raises(ConfigurationError) as caught:
        secrets.get("OPENAI_API_KEY")
    shown = "".join(traceback.format_exception(caught.value)) + repr(secrets) + repr(vars(secrets)) + caplog.text
    assert KEY not in shown
