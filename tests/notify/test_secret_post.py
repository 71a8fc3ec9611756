"""Telling chats whose addresses are secrets (adapters/notify/secret_post.py, by the names in ENTRACTE_NOTIFY)."""

from __future__ import annotations

import logging
from collections.abc import Mapping

import pytest

from entracte.adapters.gcp.secrets import MAX_AGE_S, SecretManagerSecrets
from entracte.adapters.notify.registry import open_notifiers, secrets_named
from entracte.adapters.system.secrets import EnvironmentSecrets
from entracte.errors import ConfigurationError, EntracteError, RetryableError, TerminalError
from entracte.ports.notifier import Notifier
from entracte.runtime.services.announcing import Announcer
from entracte.testing.clock import FakeClock
from entracte.testing.secret_server import secret_server
from tests.notify.notices import a_gate, a_notice
from tests.notify.web_server import WebServer


def way(address: str, held: Mapping[str, str], *, loopback: bool = True) -> Notifier:
    """The notifier of an address, with these secrets."""
    (found,) = open_notifiers((address,), secrets=EnvironmentSecrets(held), clock=FakeClock(), loopback=loopback)
    return found


@pytest.mark.parametrize(("kind", "name"), [("slack", "slack"), ("gchat", "gchat"), ("webhook", "webhook secret:DESK")])
def test_what_is_told_goes_to_the_address_that_the_secret_holds(kind: str, name: str):
    """In every way that posts. The notifier's own name, which logs and gates keep, does not show it."""
    with WebServer() as server:
        notifier = way(f"{kind}+secret:DESK", {"DESK": server.url, "ENTRACTE_WEBHOOK_SECRET": "s3cret"})
        notifier.notify(a_notice())
    assert (notifier.name, [posted.path for posted in server.received]) == (name, ["/hook"])


def test_a_rotated_address_counts_without_a_deployment():
    """Secret Manager is asked with the first notice, and again after five minutes; not with each notice."""
    now = [0.0]
    with secret_server() as fake, WebServer() as old, WebServer() as new:
        secrets = SecretManagerSecrets("p", prefix="entracte", client=fake.client, now_s=lambda: now[0])
        (slack,) = open_notifiers(("slack+secret:SLACK_DESK",), secrets=secrets, clock=FakeClock(), loopback=True)
        assert fake.asked == []
        fake.versions["entracte-SLACK_DESK"] = [f"{old.url}\n"]
        slack.notify(a_notice())
        fake.versions["entracte-SLACK_DESK"].append(new.url)
        slack.notify(a_notice())
        now[0] = MAX_AGE_S
        slack.notify(a_notice())
    assert (len(old.received), len(new.received), len(fake.asked)) == (2, 1, 2)


def test_secret_manager_out_of_reach_is_worth_another_try():
    """The notice is not lost: the message comes again."""
    with secret_server() as fake:
        fake.failing = "UNAVAILABLE"
        secrets = SecretManagerSecrets("p", prefix="entracte", client=fake.client)
        (slack,) = open_notifiers(("slack+secret:SLACK_DESK",), secrets=secrets, clock=FakeClock())
        with pytest.raises(RetryableError, match="did not give 'entracte-SLACK_DESK'"):
            slack.notify(a_notice())


def test_a_missing_secret_is_named_and_keeps_no_other_way_from_telling(caplog: pytest.LogCaptureFixture):
    """It is logged as an error, with what to do."""
    with WebServer() as server, caplog.at_level(logging.ERROR, logger="entracte"):
        told = Announcer((way("slack+secret:DESK", {}), way("gchat+secret:OPS", {"OPS": server.url})))(a_gate(), False)
    assert told == "told by gchat"
    (logged,) = caplog.messages
    assert logged.endswith("by='slack' There is no secret 'DESK'. Set the environment variable DESK.")


@pytest.mark.parametrize(
    ("held", "kind", "told"),
    [
        ("http://hooks.example/T0/x", ConfigurationError, "The secret 'DESK' holds no address"),
        ("xoxb-1234", ConfigurationError, "The secret 'DESK' holds no address"),
        ("https://hooks.example/T0/x https://b.example", ConfigurationError, "The secret 'DESK' holds no address"),
        ("https://LocalHost:1/T0/x", TerminalError, "secret:DESK is at "),
        ("https://u:pw@169.254.169.254/T0/x", TerminalError, "secret:DESK is at "),
    ],
)
def test_an_address_that_nothing_may_be_sent_to_is_refused_when_it_is_read(
    held: str, kind: type[EntracteError], told: str
):
    """By the same rules as one in the setting. The error names the secret, and shows nothing of what it holds."""
    with pytest.raises(kind, match=told) as caught:
        way("slack+secret:DESK", {"DESK": held}, loopback=False).notify(a_notice())
    shown = f"{caught.value} {caught.value!r}".lower()
    assert [part for part in ("hooks", "xoxb", "t0", "pw", "localhost", "b.example") if part in shown] == []


@pytest.mark.parametrize(("status", "kind"), [(503, RetryableError), (404, TerminalError)])
def test_what_the_chat_answers_is_told_without_its_address(status: int, kind: type[EntracteError]):
    """Of some services the host's name is the password. Whether it is worth another try is told as ever."""
    with WebServer(status) as server, pytest.raises(kind) as caught:
        way("gchat+secret:DESK", {"DESK": server.url}).notify(a_notice())
    said = {
        503: "secret:DESK answered 503.",
        404: "secret:DESK refused a notice with status 404.",
    }
    assert str(caught.value) == said[status]


@pytest.mark.parametrize("name", ["", "https://hooks.example/T0/x", "slack_desk", "A/../B"])
def test_a_name_that_no_secret_has_stops_the_start(name: str):
    """It is not shown: somebody may have put the address there."""
    with pytest.raises(ConfigurationError, match="without the name of a secret") as caught:
        way(f"slack+secret:{name}", {})
    assert not name or name not in str(caught.value)


def test_the_secrets_of_a_setting_are_known_by_name():
    """Doctor looks whether they have a value."""
    assert secrets_named(
        "mailto:, slack+secret:DESK,webhook+https://a.example/x,gchat+secret:OPS,webhook+secret:DESK"
    ) == (
        "DESK",
        "OPS",
    )
