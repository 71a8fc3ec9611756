"""Calls of tools over streamable HTTP (adapters/mcp/http.py): which ends are certain, and what is sent again."""

import pytest

from entracte.adapters.mcp.servers import McpServers
from entracte.adapters.system.secrets import EnvironmentSecrets
from entracte.core.policy.server import UrlServer
from entracte.errors import ServerUnavailable, ToolError
from entracte.testing.clock import FakeClock
from tests.mcp.conftest import Odd
from tests.mcp.web_server import WebServer


class Web(Odd):
    """The server, and a client of it that has this token."""

    def __init__(self, server, token="t0ken"):
        self.web = server
        self.clock = FakeClock()
        at = UrlServer(url=server.url, headers={"Authorization": "Bearer ${TOKEN}"})
        self.servers = McpServers({"odd": at}, EnvironmentSecrets({"TOKEN": token}), self.clock)


@pytest.fixture
def web():
    """A server that gives sessions, and a client of it."""
    server = WebServer()
    web = Web(server)
    yield web
    web.servers.close()
    server.close()


def test_a_call_goes_over_http_with_its_token_in_one_session(web):
    """Opened once, used again."""
    assert [web.call("echo", {"n": n}).value for n in (1, 2)] == [{"n": 1}, {"n": 2}]
    assert [m for m in web.web.received if m[0] != "notifications/initialized"] == [
        ("initialize", ""),
        ("tools/call", "session-1"),
        ("tools/call", "session-1"),
    ]


def test_a_secret_that_no_header_can_have_is_not_shown(web):
    """Not to the agent, nor in the journal: the HTTP library's own error would show all of it."""
    trailing, broken = Web(web.web, "t0ken\n"), Web(web.web, "t0\nken")
    assert trailing.call("echo", {"n": 1}).value == {"n": 1}
    with pytest.raises(ToolError, match="Its header Authorization holds characters that no HTTP header can") as refused:
        broken.call("echo")
    assert "ken" not in str(refused.value)
    for opened in (trailing, broken):
        opened.servers.close()


def test_a_stream_of_events_is_an_answer_too(web):
    """With progress on the way."""
    web.web.answers = ["events"]
    told = []
    assert web.call("echo", {"n": 1}, report=told.append).value == {"n": 1}
    assert told == ["1 of 4"]


def test_a_call_is_sent_again_in_a_new_session_if_the_server_knew_the_old_one_no_more(web):
    """It says that it did not look at it, so that nothing can happen twice."""
    web.call("echo")
    web.web.forget_sessions()
    assert web.call("echo", {"n": 2}).value == {"n": 2}
    assert web.web.received[-1] == ("tools/call", "session-2")


@pytest.mark.parametrize("status", [400, 401, 403, 405, 413, 429])
def test_a_call_that_was_turned_away_did_nothing(web, status):
    """The server, or what stands before it, says so; it is not sent again."""
    web.call("echo")
    web.web.answers = [status]
    with pytest.raises(ToolError, match=f"The server answered {status} .*The tool was not called"):
        web.call("echo")
    assert web.web.calls == 2


@pytest.mark.parametrize("answer", [408, 500, 502, 503, 504, "cut", "cut in the middle", "text", "huge"])
def test_a_call_without_an_answer_to_be_read_is_in_doubt(web, answer):
    """It may have been carried out, so it is not sent again; the session goes on."""
    web.call("echo")
    web.web.answers = [answer]
    with pytest.raises(ConnectionError, match="MCP server odd was lost while echo was called"):
        web.call("echo")
    assert (web.web.calls, web.call("echo", {"n": 1}).value) == (2, {"n": 1})


@pytest.mark.parametrize("answer", [503, "cut", "cut in the middle"])
def test_a_read_is_tried_once_more(web, answer):
    """And no more than that."""
    web.call("echo")
    web.web.answers = [answer]
    assert web.call("echo", {"n": 1}, readonly=True).value == {"n": 1}
    web.web.answers = [answer, answer]
    with pytest.raises(ConnectionError):
        web.call("echo", readonly=True)
    assert web.web.calls == 5


def test_a_large_answer_comes_through_whole(web):
    """A megabyte and more is no reason to lose it."""
    text = "é" * 1_200_000
    web.web.answers = [{"content": [{"type": "text", "text": text}]}]
    assert web.call("echo").value == text


def test_a_server_that_gives_no_sessions_will_do(web):
    """Each request stands for itself."""
    web.web.stateless = True
    assert web.call("echo", {"n": 1}).value == {"n": 1}


def test_a_wrong_token_is_said_without_the_token(web):
    """The call was certainly not made."""
    stranger = Web(web.web, token="wr0ng")
    try:
        with pytest.raises(ToolError) as refused:
            stranger.call("echo")
    finally:
        stranger.servers.close()
    assert "The server answered 401 Unauthorized" in str(refused.value) and "wr0ng" not in str(refused.value)


def test_a_server_that_is_not_there_is_named(web):
    """Refused connections did nothing."""
    web.web.close()
    with pytest.raises(ToolError, match="MCP server odd: It could not be reached"):
        web.call("echo")
    with pytest.raises(ServerUnavailable, match="It could not be reached"):
        web.servers.list_tools("odd")
    web.web.close = lambda: None
