"""Searching the web, over a real connection to a service as Tavily's is (toolbox/search/)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from entracte.core.modelling import ModelReply
from entracte.errors import ConfigurationError
from entracte.toolbox.search import search_tool
from entracte.toolbox.untrusted import UNTRUSTED
from tests.runtime.scenes import a_world, the_action, value
from tests.runtime.script import Script, calls, fault
from tests.toolbox.site import Reply, Site

KEY = "tvly-planted-key"
FOUND = {
    "title": "A letter",
    "url": "https://a.example/",
    "content": "It burns.",
    "score": 0.98765,
    "raw_content": None,
}


def searched(answer: Reply, arguments: dict[str, Any], **how: Any) -> tuple[Any, Site, Any]:
    """A run in which an agent searches once: the action, the service, the world."""
    with Site({"/search": answer}) as site:
        tool = search_tool(base_url=site.url(""), **how)
        world = a_world(Script([calls(("web_search", arguments)), "done"]), tool)
        world.secrets = {"tavily": KEY, "tavily-ada": "ada's own"}
        world.process = world.new_process()
        return the_action(world, world.ask("Go.")), site, world


def answer(*found: dict[str, Any], status: int = 200) -> Reply:
    """What the service says."""
    return status, {"Content-Type": "application/json"}, json.dumps({"query": "q", "results": found}).encode()


def test_pages_are_found_and_kept_on_the_desk():
    """What is asked is sent as Tavily wants it; what comes back is marked as somebody else's word."""
    action, site, world = searched(
        answer(FOUND), {"query": "letter", "country": "Japan", "since": "week", "domains": ["a.example"]}
    )
    assert value(action.result) == {
        "note": UNTRUSTED,
        "results": [
            {"title": "A letter", "url": "https://a.example/", "text": "It burns.", "score": 0.988, "published": ""}
        ],
    }
    ((path, headers),) = site.asked
    assert (path, headers["Authorization"]) == ("/search", f"Bearer {KEY}")
    assert json.loads(site.bodies[0]) == {
        "query": "letter",
        "topic": "general",
        "max_results": 5,
        "country": "japan",
        "time_range": "week",
        "include_domains": ["a.example"],
    }
    assert [saved.title for saved in world.process.open_shelf("session", "ada").list()] == [
        "web_search: Japan · letter · week"
    ]


def test_a_user_may_have_a_key_of_their_own():
    """Its name is worked out for each call."""
    _, site, _ = searched(answer(), {"query": "letter"}, secret=lambda ctx: f"tavily-{ctx.user}")
    assert site.asked[0][1]["Authorization"] == "Bearer ada's own"


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (answer(status=401), "refused with 401: the key is not valid"),
        (answer(status=432), "the plan's limit has been reached"),
        (answer(status=500), "refused with 500"),
        ((302, {"Location": "http://169.254.169.254/"}, b""), "refused with 302"),
        ((200, {}, b"<html>"), "no list of results"),
        ((200, {}, b'{"results": [{"title": 1}]}'), "no list of results"),
        ((200, {}, b" " * 2_000_001), "too long"),
    ],
)
def test_a_service_that_refuses_is_told_without_the_key(reply: Reply, told: str):
    """Nothing was found; the run goes on."""
    action, _, world = searched(reply, {"query": "letter"})
    assert action.status == "failed" and told in action.error
    assert KEY not in str(world.documents())


def desk_of(site: Site, says: Any) -> Any:
    """A desk whose search is optimised by a model that says this."""

    def reply(request):
        if request.purpose == "assist":
            return ModelReply(value=says) if isinstance(says, dict) else fault()
        return calls(("web_search", {"query": "the letter of Ada"})) if request.step == 1 else ModelReply(value="done")

    world = a_world(Script([reply]), search_tool(base_url=site.url(""), optimise=True, results=2))
    world.secrets = {"tavily": KEY}
    world.process = world.new_process()
    return world


def test_a_query_is_made_into_better_ones_and_their_pages_are_merged():
    """In their languages and for their countries; each page once, the best first; the run pays for the question."""
    pages = [FOUND | {"url": url, "score": score} for url, score in (("https://a/", 0.5), ("https://b/", 0.9))]
    more = [FOUND | {"url": url, "score": score} for url, score in (("https://a/#x", 0.7), ("https://c/", 0.1))]
    says = {"queries": [{"query": "Ada letter"}, {"query": "エイダ 手紙", "country": "Japan"}]}
    with Site({}) as site:
        site.answers = iter([answer(*pages), answer(*more)])
        world = desk_of(site, says)
        action = the_action(world, world.ask("Go."))
    asked = [json.loads(body) for body in site.bodies]
    assert [(one["query"], one.get("country")) for one in asked] == [("Ada letter", None), ("エイダ 手紙", "japan")]
    found = value(action.result)
    assert found["queries"] == ["Ada letter", "エイダ 手紙"]
    assert [(page["url"], page["score"]) for page in found["results"]] == [("https://b/", 0.9), ("https://a/#x", 0.7)]
    assert action.usage.model_calls == 1


@pytest.mark.parametrize("says", [None, {"queries": []}, {"queries": [{"query": "a"}] * 4}])
def test_a_query_that_cannot_be_bettered_is_asked_as_it_is(says: Any):
    """A model that fails keeps nobody from searching."""
    with Site({"/search": answer(FOUND)}) as site:
        world = desk_of(site, says)
        action = the_action(world, world.ask("Go."))
    assert [json.loads(body)["query"] for body in site.bodies] == ["the letter of Ada"]
    assert action.status == "applied"


def test_a_key_that_is_missing_is_told():
    """By its name."""
    action, site, _ = searched(answer(), {"query": "letter"}, secret="other")
    assert "There is no key to search with. There is no secret 'other'." in action.error
    assert site.asked == []


def test_a_number_of_results_that_cannot_be_had_is_refused():
    """At once."""
    with pytest.raises(ConfigurationError, match="from 1 to 20 results"):
        search_tool(results=21)
