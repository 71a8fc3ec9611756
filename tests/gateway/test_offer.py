"""Several servers as one: names, lists, addresses, instructions (gateway/offer.py, names.py, listing.py)."""

import pytest

from entracte.core.tool_spec import ToolSpec
from entracte.errors import InvalidInput, ServerRefused
from entracte.gateway.instructions import OWN_WORDS, instructions
from entracte.gateway.names import OWN, Names
from entracte.gateway.offer import Offer

NOT_FOUND = {"code": -32601, "message": "Method not found"}


class Served:
    """Servers by name, each with its answers by method; a list of answers is its pages."""

    def __init__(self, **servers):
        self.servers = servers
        self.asked = []
        self.on_progress = lambda *args: None

    def about(self, server):
        return self.servers[server].get("about", {})

    def request(self, server, method, params, *, timeout_s):
        self.asked.append((server, method, dict(params)))
        found = self.servers[server].get(method)
        if isinstance(found, list):
            page = int(params.get("cursor", 0))
            return found[page] | ({"nextCursor": str(page + 1)} if page + 1 < len(found) else {})
        if found is None or params.get("uri") not in (None, found.get("uri")):
            raise ServerRefused("no", error=NOT_FOUND if found is None else {"code": -32002, "message": server})
        return found


def tools(*names):
    """A page of tools."""
    return {"tools": [{"name": name, "inputSchema": {}} for name in names]}


ADD = ToolSpec(name="add", summary="Add.", parameters={"type": "object"}, instruction="Numbers only.")
ASK = ToolSpec(name="ask_user", summary="Ask.", parameters={}, asks=True)


def offer(servers, **own):
    """What servers and own tools come to."""
    return Offer(servers, tuple(servers.servers), {tool.name: tool for tool in own.values()})


def all_pages(offered, method, key):
    """All items of a list, and how many pages they came on."""
    found, params, pages = [], {}, 0
    while pages < 20:
        page, pages = offered.request(method, params), pages + 1
        found += page[key]
        if "nextCursor" not in page:
            return found, pages
        params = {"cursor": page["nextCursor"]}
    raise AssertionError("no end of pages")


def test_tools_of_several_servers_are_told_apart_by_their_names():
    """Page after page, server after server, and all else of a tool as it was."""
    served = Served(a={"tools/list": [tools("x", "y"), tools("z")]}, b={"tools/list": tools("x")})
    found, pages = all_pages(offer(served), "tools/list", "tools")
    assert [tool["name"] for tool in found] == ["a__x", "a__y", "a__z", "b__x"]
    assert pages == 3
    assert served.asked[1] == ("a", "tools/list", {"cursor": "1"})


def test_own_tools_come_first_and_keep_their_names():
    """Questions to a person are nothing for a client."""
    found, _ = all_pages(offer(Served(a={"tools/list": tools("x")}), add=ADD, ask=ASK), "tools/list", "tools")
    assert [tool["name"] for tool in found] == ["add", "a__x"]
    assert found[0]["description"] == "Add.\n\nNumbers only."


def test_a_server_without_prompts_has_none():
    """One among several that does not know the method is no error; any other error is."""
    prompts = {"prompts/list": {"prompts": [{"name": "p"}]}}
    assert all_pages(offer(Served(a={}, b=prompts)), "prompts/list", "prompts")[0] == [{"name": "b__p"}]


def test_a_prompt_is_asked_for_by_its_own_name():
    """Of the server that it belongs to; in completions too."""
    served = Served(a={}, b={"prompts/get": {"messages": []}, "completion/complete": {"completion": {}}})
    offered = offer(served)
    offered.request("prompts/get", {"name": "b__p", "arguments": {"x": "1"}})
    offered.request("completion/complete", {"ref": {"type": "ref/prompt", "name": "b__p"}, "argument": {}})
    assert served.asked == [
        ("b", "prompts/get", {"name": "p", "arguments": {"x": "1"}}),
        ("b", "completion/complete", {"ref": {"type": "ref/prompt", "name": "p"}, "argument": {}}),
    ]


def test_a_resource_is_read_from_the_server_that_has_it():
    """From the one that listed it at once; else whoever knows it."""
    listed = {"resources": [{"uri": "u://1"}]}
    served = Served(
        a={"resources/read": {"uri": "u://0"}}, b={"resources/list": listed, "resources/read": {"uri": "u://1"}}
    )
    offered = offer(served)
    assert offered.request("resources/read", {"uri": "u://1"}) == {"uri": "u://1"}
    assert [server for server, *_ in served.asked] == ["a", "b"]
    all_pages(offered, "resources/list", "resources")
    served.asked.clear()
    offered.request("resources/read", {"uri": "u://1"})
    assert [server for server, *_ in served.asked] == ["b"]


def test_a_resource_that_nobody_has_is_refused_in_the_first_servers_words():
    """All were asked."""
    served = Served(a={"resources/read": {"uri": "u://0"}}, b={"resources/read": {"uri": "u://1"}})
    with pytest.raises(ServerRefused) as refused:
        offer(served).request("resources/read", {"uri": "u://2"})
    assert refused.value.error == {"code": -32002, "message": "a"}


@pytest.mark.parametrize("cursor", ["", "x", "9:", "-1:", "0", "²:", "99999:"])
def test_a_cursor_that_no_page_gave_is_refused(cursor):
    """Whatever a client makes up."""
    served = Served(a={"tools/list": tools("x")}, b={"tools/list": tools("x")})
    with pytest.raises(InvalidInput):
        offer(served).request("tools/list", {"cursor": cursor})


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("prompts/get", {"name": "c__p"}),
        ("prompts/get", {}),
        ("resources/read", {}),
        ("completion/complete", {"ref": {}}),
    ],
)
def test_what_names_nothing_is_refused(method, params):
    """Before any server is asked."""
    served = Served(a={}, b={})
    with pytest.raises(InvalidInput):
        offer(served).request(method, params)
    assert served.asked == []


def test_what_one_server_can_do_is_offered():
    """A client may ask for it, and the others have none."""
    about = {"capabilities": {"prompts": {}, "logging": {}}}
    assert offer(Served(a={"about": about}, b={})).capabilities == {"prompts", "logging"}


NAMES = {
    "one server": (Names.of(["a"], own=False), {"x": "a.x", "a__x": "a.a__x", "x.y": "a.x.y"}),
    "two servers": (
        Names.of(["a", "a__b"], own=False),
        {"a__x": "a.x", "a__b__x": "a__b.x", "x": "", "a.x": "", "a__": "a."},
    ),
    "own and a server": (Names.of(["a"], own=True), {"x": "x", "a__x": "a.x", "a.x": ""}),
    "own alone": (Names.of([], own=True), {"x": "x", "a.x": ""}),
    "nothing": (Names.of([], own=False), {"x": ""}),
}  # fmt: skip


@pytest.mark.parametrize("case", NAMES)
def test_names_outside_and_inside(case):
    """No tool can be called by a name that the client was not told."""
    names, known = NAMES[case]
    assert {name: names.tool(name) for name in known} == known


def test_a_name_leads_back_to_its_tool():
    """Whatever the servers are called."""
    names = Names.of(["a", "a__b"], own=True)
    for source, tool in ((OWN, "x"), ("a", "x"), ("a__b", "x")):
        assert names.inside(names.outside(source, tool)) == (source, tool)


def test_instructions_say_first_what_the_servers_say():
    """By name where there are several; then how holding works."""
    assert instructions({"a": " Be kind. "}) == f"Be kind.\n\n{OWN_WORDS}"
    assert instructions({"a": "A.", "b": ""}) == f"a: A.\n\n{OWN_WORDS}"
    assert instructions({"a": "", "b": ""}) == OWN_WORDS
    for word in ("HELD", "DENIED", "IN DOUBT", "UNDER WAY"):
        assert word in OWN_WORDS
