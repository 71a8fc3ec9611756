"""Calls of tools of MCP servers, over stdio (adapters/mcp/servers.py)."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from entracte.core.calls import ServerAnswer
from entracte.errors import ServerRefused, ServerUnavailable, ToolError
from tests.mcp.odd_server import TOOLS


def test_a_call_gives_what_the_tool_says_and_the_answer_as_it_came(odd):
    """Nothing of the arguments is lost on the way: null is a value, and text is any text."""
    arguments = {"text": "Zoë\u2028 \U0001f600", "nothing": None, "deep": {"list": [1, 2.5, [], {}]}}
    assert odd.call("echo", arguments) == ServerAnswer(
        value=arguments, native={"content": [], "structuredContent": arguments}
    )


def test_a_call_carries_its_idempotency_key(odd):
    """A server that honours it does nothing twice."""
    odd.call("echo")
    assert odd.received("tools/call") == [
        {"name": "echo", "arguments": {}, "_meta": {"entracte/idempotency-key": "r.1.0", "progressToken": 2}}
    ]


def test_a_connection_is_opened_once_and_used_again(odd):
    """Starting a server takes longer than most calls."""
    for _ in range(3):
        odd.call("echo")
    assert (odd.starts, len(odd.received("initialize"))) == (1, 1)


def test_nothing_is_started_before_it_is_needed(odd):
    """A function that calls no tool pays for none."""
    assert not (odd.folder / "starts").exists()


def test_a_secret_reaches_the_server_and_progress_the_caller(odd):
    """The manifest holds its name; what the tool reports on the way is told as it comes."""
    told = []
    assert odd.call("progress", report=told.append).value == "s3cret-word"
    assert sorted(told) == ["1 of 2", "nearly there"]


def test_a_changing_call_is_never_sent_again(odd):
    """The server died in the middle of it: nobody knows what it did."""
    (odd.folder / "die-once").touch()
    with pytest.raises(ConnectionError, match="MCP server odd was lost while echo was called"):
        odd.call("echo")
    assert odd.called == ["echo"]


def test_a_read_is_tried_once_more(odd):
    """It changes nothing, so it may."""
    (odd.folder / "die-once").touch()
    assert odd.call("look", {"n": 1}, readonly=True).value == {"n": 1}
    assert (odd.called, odd.starts) == (["look", "look"], 2)


def test_a_read_is_tried_no_more_than_twice(odd):
    """A server that dies of a call dies of it every time."""
    with pytest.raises(ConnectionError):
        odd.call("die", readonly=True)
    assert odd.called == ["die", "die"]


def test_a_server_that_died_is_started_again_for_the_next_call(odd):
    """One bad call does not cost the others."""
    with pytest.raises(ConnectionError):
        odd.call("die")
    assert odd.call("echo", {"n": 1}).value == {"n": 1}


def test_a_read_that_takes_too_long_is_cancelled(odd):
    """The server is told, and need not go on."""
    odd.call("echo")  # starting it takes longer than the call may
    with pytest.raises(TimeoutError):
        odd.call("hang", readonly=True, within_s=0.05)
    odd.call("echo")  # has arrived after the notice
    (cancelled,) = odd.received("notifications/cancelled")
    assert cancelled["requestId"] == 3


def test_a_changing_call_is_listened_for_past_its_time(odd):
    """And not cancelled: a change that is broken off in the middle is worse than a late one."""
    odd.call("echo")
    with ThreadPoolExecutor(1) as pool:
        change = pool.submit(odd.call, "hang", within_s=0.05)
        with pytest.raises(TimeoutError):
            odd.call("hang", readonly=True, within_s=0.5)
        (odd.folder / "go").touch()
        assert change.result(30).value == "late"


def test_a_call_whose_time_was_up_before_it_was_sent_is_not_sent(odd):
    """Nor is a server started for it."""
    with pytest.raises(ToolError, match=r"The time for odd\.echo was up before it could be called\."):
        odd.call("echo", within_s=0)
    assert not (odd.folder / "starts").exists()


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({"result": {"content": [{"type": "text", "text": "gone"}], "isError": True}}, ("gone", True)),
        ({"result": {"content": [], "isError": True}}, ("The tool says that it failed, and not why.", True)),
        ({"error": {"code": -32602, "message": "No n"}}, ("No n", True)),
        ({"error": {"code": -32601, "message": "What?"}}, ("What?", True)),
        ({"error": {"code": -32603, "message": "Oops", "data": {"at": 1}}}, ("Oops", False)),
        ({"error": {"code": -32000, "message": "Oh dear"}}, ("Oh dear", False)),
    ],
)
def test_an_error_says_whether_nothing_was_done(kept, answer, expected):
    """An error of the tool's own, and those of JSON-RPC by which a server says that it did not begin, are certain."""
    said = kept.call("raw", answer)
    assert (said.error, said.certain) == expected
    assert said.native == answer.get("result", answer)


@pytest.mark.parametrize(
    ("result", "value"),
    [
        ({"content": [{"type": "text", "text": "plain"}]}, "plain"),
        ({"content": [{"type": "text", "text": ' {"id": 1}'}]}, {"id": 1}),
        ({"content": [{"type": "text", "text": "[1, 2]"}]}, [1, 2]),
        ({"content": [{"type": "text", "text": "{not json"}]}, "{not json"),
        ({"content": [{"type": "text", "text": "17"}]}, "17"),
        ({"content": [{"type": "text", "text": "{}"}], "structuredContent": {"n": 1}}, {"n": 1}),
        ({"content": []}, {"content": []}),
        (
            {"content": [{"type": "image", "data": "AA==", "mimeType": "image/png"}], "_meta": {"x": 1}},
            {"content": [{"type": "image", "data": "AA==", "mimeType": "image/png"}]},
        ),
    ],
)
def test_what_a_result_is(kept, result, value):
    """The machine-readable block; else a single text, read if it is JSON; else all of it. The answer itself is kept."""
    assert kept.call("raw", {"result": result}) == ServerAnswer(value=value, native=result)


def test_an_answer_that_is_none_of_the_protocols_leaves_the_call_in_doubt(odd):
    """It may have been carried out all the same."""
    with pytest.raises(ConnectionError, match="not what the protocol has"):
        odd.call("raw", {"result": {"content": "nonsense"}})


def test_all_pages_of_a_list_are_asked_for(odd):
    """The server gives one tool a page."""
    assert list(odd.servers.list_tools("odd")) == TOOLS


def test_any_other_request_can_be_made(odd):
    """For what is passed through; an error of the server's keeps its code."""
    assert odd.servers.request("odd", "tools/list", {"cursor": "7"}, timeout_s=10) == {"tools": TOOLS[7:]}
    with pytest.raises(ServerRefused) as refused:
        odd.servers.request("odd", "resources/list", {}, timeout_s=10)
    assert refused.value.error == {"code": -32601, "message": "No method resources/list"}


def test_a_server_that_cannot_be_started_is_named_with_what_it_said(odd):
    """Without its secrets. A call to it was certainly not made."""
    from entracte.adapters.mcp.servers import McpServers
    from entracte.adapters.system.secrets import EnvironmentSecrets
    from entracte.core.policy.server import CommandServer

    shell = CommandServer(command="sh", args=("-c", "echo no room for $WORD >&2"), env={"WORD": "${WORD}"})
    given = {"gone": CommandServer(command="entracte-no-such-command"), "shell": shell}
    servers = McpServers(given, EnvironmentSecrets({"WORD": "s3cret"}), odd.clock)
    try:
        with pytest.raises(ServerUnavailable, match="MCP server gone: there is no command 'entracte-no-such-command'"):
            servers.list_tools("gone")
        with pytest.raises(ServerUnavailable, match="MCP server shell: Connection closed\nno room for •••"):
            servers.list_tools("shell")
    finally:
        servers.close()


def test_closing_ends_the_server_and_can_be_done_twice(odd):
    """Nothing is left running; what comes after opens anew."""
    odd.call("echo")
    odd.servers.close()
    odd.servers.close()
    assert odd.call("echo", {"n": 2}).value == {"n": 2}
    assert odd.starts == 2
