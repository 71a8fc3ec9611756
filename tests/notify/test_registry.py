"""Notifiers by address, and the settings that name them (adapters/notify/registry.py, runtime/settings.py)."""

from __future__ import annotations

import pytest

from entracte.adapters.notify.registry import open_notifiers
from entracte.adapters.system.secrets import EnvironmentSecrets
from entracte.errors import ConfigurationError
from entracte.runtime.services.announcing import open_announcer
from entracte.runtime.settings import read_settings
from entracte.testing.clock import FakeClock

ALL = (
    "console:, webhook+https://a.example/x,mailto:ops@example.com,slack+https://b.example/y, gchat+https://c.example/z,"
)


def opened(notify: str, **variables: str) -> list[str]:
    """Names of the notifiers that the environment asks for."""
    given = {f"ENTRACTE_{name}": value for name, value in variables.items()}
    settings = read_settings({"ENTRACTE_NOTIFY": notify, **given})
    notifiers = open_notifiers(
        settings.notify,
        secrets=EnvironmentSecrets({}),
        clock=FakeClock(),
        smtp=settings.smtp,
        sender=settings.notify_from,
        loopback=settings.notify_loopback,
    )
    return [notifier.name for notifier in notifiers]


def test_every_way_is_opened_by_its_address():
    """In the order given. No secret is asked for before it is needed."""
    names = ["console", "webhook a.example", "mailto", "slack", "gchat"]
    assert opened(ALL, SMTP="smtp://mail.example") == names


def test_without_a_setting_there_is_the_log():
    """Nobody is told who did not ask."""
    assert opened("") == ["console"]


@pytest.mark.parametrize(
    ("notify", "complaint"),
    [
        ("mailto:ops@example.com", "there is no ENTRACTE_SMTP"),
        ("https://a.example/secret", "begins with 'https'"),
        ("webhook:https://a.example/secret", "begins with 'webhook'"),
        ("webhook+http://a.example/secret", "must begin with https://"),
        (",".join(f"webhook+https://{n}.example/secret" for n in range(11)), "at most 10"),
    ],
)
def test_an_address_that_cannot_be_used_stops_the_start(notify: str, complaint: str):
    """And is not shown whole: its path may be a secret."""
    with pytest.raises(ConfigurationError, match=complaint) as caught:
        opened(notify)
    assert "example" not in str(caught.value)


def test_the_settings_do_not_show_where_notices_go():
    """A stack trace may print them."""
    settings = read_settings({"ENTRACTE_NOTIFY": "slack+https://hooks.example/T0/secret"})
    assert "hooks.example" not in repr(settings)


@pytest.mark.parametrize(
    "wrong",
    [{"ENTRACTE_PUBLIC_URL": "desk.example"}, {"ENTRACTE_CONSOLE_CONFIRMED": "1"}, {"ENTRACTE_NOTIFY_LOOPBACK": "on"}],
)
def test_a_setting_that_is_not_understood_is_named(wrong: dict[str, str]):
    """Never run under one that means something else."""
    with pytest.raises(ConfigurationError, match=next(iter(wrong))):
        read_settings(wrong)


def test_the_announcer_is_made_of_the_settings():
    """As every deployment makes it."""
    settings = read_settings({"ENTRACTE_NOTIFY": "mailto:ops@example.com"})
    with pytest.raises(ConfigurationError, match="ENTRACTE_SMTP"):
        open_announcer(settings, EnvironmentSecrets({}), FakeClock())
