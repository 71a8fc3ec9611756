"""Posting to the one address that was checked, in bounds (adapters/notify/posting.py)."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest

from entracte.adapters.notify.posting import MAX_BODY_BYTES, Post
from entracte.errors import ConfigurationError, RetryableError, TerminalError
from tests.notify.certificates import contexts
from tests.notify.web_server import WebServer


def test_a_body_arrives_as_it_was_sent():
    """At its path and under its name, so that servers of many names know which is meant."""
    with WebServer(204) as server:
        Post(server.url, loopback=True)(b'{"a": 1}', {"X-Extra": "1"})
    (posted,) = server.received
    assert (posted.path, posted.body, posted.headers["X-Extra"]) == ("/hook", b'{"a": 1}', "1")
    assert posted.headers["Host"] == server.url.split("/")[2]
    assert posted.headers["Content-Type"] == "application/json; charset=utf-8"


def test_this_machine_gets_nothing_unless_a_setting_says_so(tmp_path: Path):
    """The check stands before the connection: not even that is made."""
    tls, trust = contexts(tmp_path)
    with WebServer(tls=tls) as server, pytest.raises(TerminalError, match="where nothing may be sent"):
        Post(server.url, tls=trust)(b"{}")
    assert server.received == []


def test_the_address_that_was_checked_is_the_one_that_is_used(monkeypatch: pytest.MonkeyPatch):
    """A name server that answers another address the second time gains nothing: there is no second time."""
    answers = ["127.0.0.1", "127.0.0.9"]
    real = socket.getaddrinfo

    def rebinding(host: str, *args: Any, **kwargs: Any) -> Any:
        return real(answers.pop(0) if host == "rebinding.example" else host, *args, **kwargs)

    with WebServer() as server:
        monkeypatch.setattr(socket, "getaddrinfo", rebinding)
        port = server.server_address[1]
        Post(f"http://rebinding.example:{port}/", loopback=True)(b"{}")
    assert [posted.headers["Host"] for posted in server.received] == [f"rebinding.example:{port}"]
    assert answers == ["127.0.0.9"]


@pytest.mark.parametrize(("name", "reached"), [("localhost", 1), ("other.example", 0)])
def test_the_certificate_is_checked_against_the_name(tmp_path: Path, name: str, reached: int):
    """Although the connection goes to an address."""
    tls, trust = contexts(tmp_path, name=name)
    with WebServer(tls=tls) as server:
        post = Post(server.url, loopback=True, tls=trust)
        if reached:
            post(b"{}")
        else:
            with pytest.raises(RetryableError, match="certificate"):
                post(b"{}")
    assert len(server.received) == reached


def test_a_certificate_of_an_unknown_authority_is_refused(tmp_path: Path):
    """By default the usual ones are trusted, no others."""
    tls, _ = contexts(tmp_path)
    with WebServer(tls=tls) as server, pytest.raises(RetryableError, match="certificate"):
        Post(server.url, loopback=True)(b"{}")


def test_redirects_are_not_followed():
    """They would lead past the check of the address."""
    told = pytest.raises(TerminalError, match=r"status 307\. Redirects are not followed")
    with WebServer() as target, WebServer(307, location=target.url) as server, told:
        Post(server.url, loopback=True)(b"{}")
    assert (len(server.received), target.received) == (1, [])


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503])
def test_a_server_in_trouble_is_tried_again_later(status: int):
    """Its own words for: not now."""
    with WebServer(status) as server, pytest.raises(RetryableError, match=f"localhost:.* answered {status}"):
        Post(server.url, loopback=True)(b"{}")


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410])
def test_a_refusal_is_final(status: int):
    """The same request would be refused again."""
    with WebServer(status) as server, pytest.raises(TerminalError, match=f"status {status}"):
        Post(server.url, loopback=True)(b"{}")


def test_an_answer_that_never_ends_is_cut_off():
    """Each piece comes at once, so only a limit for the whole helps."""
    with WebServer() as server:
        server.trickle = True
        with pytest.raises(RetryableError, match="ReadTimeout"):
            Post(server.url, loopback=True, timeout_s=0.2)(b"{}")


def test_nobody_listening_is_tried_again_later():
    """A server may be restarting."""
    with WebServer() as server:
        url = server.url
    with pytest.raises(RetryableError, match="cannot be reached"):
        Post(url, loopback=True)(b"{}")


def test_a_body_beyond_all_measure_is_not_sent():
    """Notices are short; what is not, is a mistake."""
    with WebServer() as server, pytest.raises(TerminalError, match="bytes is not sent"):
        Post(server.url, loopback=True)(b"x" * (MAX_BODY_BYTES + 1))
    assert server.received == []


@pytest.mark.parametrize(
    "url",
    [
        "http://example.com/secret",
        "ftp://example.com/secret",
        "https:///secret",
        "https://a:b/secret",
        "secret",
        "https://example.com/secret\u00e9",
        "https://example.com/secret here",
        "https://example.com/secret\n",
        "https://ex\u00e4mple.com/secret",
    ],
)
def test_an_address_that_cannot_be_used_stops_the_start_without_being_shown(url: str):
    """A webhook's path is as good as a password."""
    with pytest.raises(ConfigurationError) as caught:
        Post(url)
    assert "secret" not in str(caught.value)


def test_environment_proxies_are_not_used(monkeypatch: pytest.MonkeyPatch):
    """The proxy would resolve the name once more, behind the check."""
    with WebServer() as server, WebServer() as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        monkeypatch.setenv("ALL_PROXY", proxy.url)
        Post(server.url, loopback=True)(b"{}")
    assert (len(server.received), proxy.received) == (1, [])
