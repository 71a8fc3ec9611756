"""The proxy beside the server that it stands before: the same lists, results and errors (gateway/)."""

import base64
import json
import subprocess
import sys
import time

import pytest

from tests.gateway.sessions import PROXY, bare, proxy, session_over, write_manifest

PIXEL = base64.b64encode(b"\x89PNG\r\n").decode()

TYPED = {"name": "who", "value": "Ad"}


def text(words, **more):
    """A block of text."""
    return {"type": "text", "text": words, **more}


CALLS = {
    "nothing": ("echo", {}),
    "unicode": ("echo", {"ключ": "значение", "emoji": "👩‍👩‍👧‍👦", "rtl": "שלום"}),
    "control characters": ("echo", {"a": "\u0001\t\r\n\u2028"}),
    "nested": ("echo", {"a": [[[{"b": [None, {"c": []}]}]]]}),
    "numbers": ("echo", {"i": 2**53 + 1, "f": 1.5e-10, "z": 0, "n": -7}),
    "null and booleans": ("echo", {"a": None, "b": True, "c": False}),
    "empty texts": ("echo", {"": "", "a": ""}),
    "many keys": ("echo", {f"key{n}": n for n in range(500)}),
    "long text": ("echo", {"a": "x" * 20_000}),
    "html and yaml": ("echo", {"a": "<b>&amp;</b>", "b": "- x: 'y'\n"}),
    "no content": ("give", {"result": {"content": []}}),
    "two texts": ("give", {"result": {"content": [text("a"), text("")]}}),
    "an image": ("give", {"result": {"content": [{"type": "image", "data": PIXEL, "mimeType": "image/png"}]}}),
    "audio": ("give", {"result": {"content": [{"type": "audio", "data": PIXEL, "mimeType": "audio/wav"}]}}),
    "a resource link": (
        "give",
        {"result": {"content": [{"type": "resource_link", "uri": "note://1", "name": "n", "title": "N", "size": 3}]}},
    ),
    "an embedded text": (
        "give",
        {"result": {"content": [{"type": "resource", "resource": {"uri": "note://1", "text": "t"}}]}},
    ),
    "an embedded blob": (
        "give",
        {"result": {"content": [{"type": "resource", "resource": {"uri": "note://1", "blob": PIXEL}}]}},
    ),
    "annotations": ("give", {"result": {"content": [text("a", annotations={"audience": ["user"], "priority": 0.5})]}}),
    "meta of a block": ("give", {"result": {"content": [text("a", _meta={"x": [1]})]}}),
    "meta of the result": ("give", {"result": {"content": [], "_meta": {"own/key": {"a": 1}}}}),
    "structured only": ("give", {"result": {"content": [], "structuredContent": {"deep": {"er": [1]}}}}),
    "structured beside text": ("give", {"result": {"content": [text("a")], "structuredContent": {"b": "c"}}}),
    "json as text": ("give", {"result": {"content": [text('{"a": [1, 2]}')]}}),
    "fields of its own": ("give", {"result": {"content": [text("a")], "x-own": {"b": 1}}}),
    "not an error, said so": ("give", {"result": {"content": [text("a")], "isError": False}}),
    "an error": ("fail", {}),
    "an error with structure": ("give", {"result": {"content": [], "structuredContent": {"e": 1}, "isError": True}}),
    "a protocol error with data": ("refuse", {}),
    "a megabyte": ("big", {"bytes": 1_000_000}),
    "a change": ("write_note", {"text": "same for both"}),
    "a reading": ("read_note", {}),
    "with progress that nobody asked for": ("count", {}),
}


@pytest.fixture(scope="module")
def proxied_folder(tmp_path_factory):
    """A folder with a manifest; its servers have notes and calls there."""
    folder = tmp_path_factory.mktemp("proxied")
    write_manifest(
        folder, hang="class: irreversible, gate: never, timeout: 1s", slow="class: irreversible, gate: never"
    )
    return folder


@pytest.fixture(scope="module")
def both(tmp_path_factory, proxied_folder):
    """A session with the server, and one with the proxy before another instance of it."""
    with session_over(bare(tmp_path_factory.mktemp("bare"))) as server, session_over(proxy(proxied_folder)) as proxied:
        yield server, proxied


@pytest.mark.parametrize("name", CALLS)
def test_a_call_gives_what_the_server_gives(both, name):
    """To the last field, whatever it is."""
    tool, arguments = CALLS[name]
    server, proxied = both
    assert proxied.call(tool, **arguments) == server.call(tool, **arguments)


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tools/list", {}),
        ("tools/list", {"cursor": "5"}),
        ("resources/list", {}),
        ("resources/list", {"cursor": "4"}),
        ("resources/templates/list", {}),
        ("resources/read", {"uri": "note://3"}),
        ("resources/read", {"uri": "note://nowhere"}),
        ("prompts/list", {}),
        ("prompts/list", {"cursor": "2"}),
        ("prompts/get", {"name": "prompt1", "arguments": {"who": "Ada"}}),
        ("completion/complete", {"ref": {"type": "ref/prompt", "name": "prompt1"}, "argument": TYPED}),
        ("completion/complete", {"ref": {"type": "ref/resource", "uri": "note://{n}"}, "argument": TYPED}),
        ("ping", {}),
    ],
)
def test_other_requests_are_passed_on(both, method, params):
    """Lists page by page, prompts, resources, completions, and their errors."""
    server, proxied = both
    assert proxied.request(method, params) == server.request(method, params)


@pytest.mark.parametrize("method", ["nothing/like/this", "resources/subscribe", "logging/setLevel"])
def test_what_is_not_offered_is_no_method(both, method):
    """An unknown one, and those that the proxy does not say it has."""
    params = {"uri": "note://1", "level": "info"}
    assert both[1].request(method, params)["error"]["code"] == -32601


def test_it_introduces_itself_as_the_server(both):
    """And says how holding and approval work, after what the server says itself."""
    server, proxied = both[0].about, both[1].about
    assert proxied.server_info == server.server_info
    assert proxied.instructions.startswith("Notes of notes.\n\n")
    assert "with exactly the same arguments" in proxied.instructions
    assert proxied.capabilities.resources.subscribe is None


def test_progress_comes_while_the_call_is_made(both):
    """Numbers and words, to the client that asked."""
    told = []

    async def on_progress(progress, total, message):
        told.append((progress, total, message))

    both[1].request("tools/call", {"name": "count", "arguments": {}}, progress_callback=on_progress)
    assert told == [(1, 2, None), (2, 2, "all of it")]


def test_a_tool_that_is_not_there_is_a_fault_of_the_request(both):
    """It is not passed on: nobody has said what it may do."""
    assert both[1].call("fly")["error"] == {"code": -32602, "message": "There is no tool 'fly'."}


def test_malformed_lines_do_no_harm(tmp_path):
    """What is not JSON or not JSON-RPC is dropped, what lacks a name is refused; the next request is answered."""
    write_manifest(tmp_path)
    refused = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"arguments": {}}}
    lines = [b"{not json", b"[]", b'"text"', b"\xff\xfe", json.dumps(refused).encode()]
    with (tmp_path / "proxy.log").open("w") as log:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": log}
        with subprocess.Popen(PROXY, cwd=tmp_path, **pipes) as proxied:
            proxied.stdin.write(b"\n".join([*lines, b""]))
            proxied.stdin.flush()
            first = json.loads(proxied.stdout.readline())
            proxied.stdin.write(b'{"jsonrpc": "2.0", "id": 2, "method": "ping"}\n')
            proxied.stdin.flush()
            second = json.loads(proxied.stdout.readline())
    assert (first["id"], first["error"]["code"]) == (1, -32602)
    assert second == {"jsonrpc": "2.0", "id": 2, "result": {}}
    assert all(json.loads(line) for line in (tmp_path / "proxy.log").read_text().splitlines())


def calls_of(folder, tool):
    """How often a tool was called behind a proxy."""
    return [line.split()[0] for line in (folder / "notes.calls").read_text().splitlines()].count(tool)


def said(result):
    """The text of an answer that is an error."""
    assert result["isError"] is True
    return result["content"][0]["text"]


def test_a_server_that_dies_leaves_its_call_in_doubt(both, proxied_folder):
    """The call is never sent again, not even when the client asks again; other calls start the server anew."""
    first, again = said(both[1].call("die")), said(both[1].call("die"))
    assert first.startswith("IN DOUBT: ")
    assert [line for line in again.splitlines() if "answer" in line] == [
        line for line in first.splitlines() if "answer" in line
    ]
    assert calls_of(proxied_folder, "die") == 1
    assert both[1].call("echo", a=1)["structuredContent"] == {"a": 1}


def test_a_server_that_is_too_slow_leaves_its_call_in_doubt(both, proxied_folder):
    """Whatever its time was: nobody knows that it failed."""
    assert said(both[1].call("hang")).startswith("IN DOUBT: notes.hang did not end within its 1 s.")
    assert calls_of(proxied_folder, "hang") == 1


def test_a_call_that_the_client_gives_up_is_not_made_twice(both, proxied_folder):
    """A cancelled change goes on, since half of it would be worse; who asks again is told."""
    request = {"name": "slow", "arguments": {"s": 20}}
    given_up = both[1].request("tools/call", request, request_read_timeout_seconds=0.3)
    assert given_up["error"]["code"] == -32001
    assert both[1].request("ping") == {}
    assert said(both[1].call("slow", s=20)).startswith("UNDER WAY")
    assert calls_of(proxied_folder, "slow") == 1


def test_a_reading_call_that_the_client_gives_up_is_cancelled_at_its_server(both, proxied_folder):
    """Nobody wants its result, and breaking it off does no harm."""
    request = {"name": "look_long", "arguments": {}}
    given_up = both[1].request("tools/call", request, request_read_timeout_seconds=0.3)
    assert given_up["error"]["code"] == -32001
    until = time.monotonic() + 20
    while not calls_of(proxied_folder, "cancelled") and time.monotonic() < until:
        both[1].request("ping")
    assert calls_of(proxied_folder, "cancelled") == 1


def test_a_held_call_names_gate_and_command(both, proxied_folder):
    """The command can be typed in any folder."""
    lines = said(both[1].call("publish", text="now")).splitlines()
    assert lines[0].startswith("HELD, and not made: a person has to approve it. Gate ")
    gate, store = lines[0].rpartition(" ")[2].rstrip("."), proxied_folder / ".entracte" / "entracte.db"
    assert lines[3] == f"To approve: {sys.executable} -m entracte.cli.main approve {gate} --store {store}"
    assert calls_of(proxied_folder, "publish") == 0
