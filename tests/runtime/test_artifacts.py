"""Results that are kept as artifacts, and what agents are shown of a desk (core/artifacts/, core/asking/desk.py)."""

import json
import subprocess
import sys
from typing import Any

import pytest

from entracte.agents import Agent, Hook, Network, tool
from entracte.core.artifacts.persisting import title_of
from entracte.core.asking.desk import DESK_CHARS, READING_CHARS, WHOLE_CHARS
from entracte.core.documents.artifact import MAX_CONTENT_BYTES
from entracte.runtime.engine.artifact_index import MAX_ACTIVE
from entracte.testing.world import World
from tests.runtime.scenes import MODEL, a_world, events, the_action, value
from tests.runtime.script import Script, calls


def kept(result, *, name="look", arguments=None, **options):
    """A run whose tool gives this result and is marked to keep it; the run, its world, and the artifacts."""

    def look(q: str = "") -> Any:
        """Look."""
        return result

    declared = tool(**{"name": name, "effect": "readonly", "persist": True} | options)(look)
    world = a_world(Script([calls((name, arguments or {})), "done"]), declared)
    run = world.ask("Go.")
    return run, world, shelf(world).list()


def shelf(world):
    """The session's artifacts."""
    return world.process.open_shelf("session", "ada")


def desk(*artifacts, agent=None, **network):
    """Items that an agent without tools of its own is shown of these artifacts (title, text, fields)."""
    agent = agent or Agent(name="desk", prompt="You answer.", tools=[look_around])
    model = Script(["done"])
    world = World(Network(entry=agent, models=MODEL, **{"artifacts": True} | network), model)
    for title, text, fields in artifacts:
        world.clock.advance(seconds=1)
        shelf(world).create(key=title, title=title, text=text, **fields)
    world.ask("Go.")
    (request,) = model.asked("plan")
    assert {request.part("artifacts") for request in model.requests} == {request.part("artifacts")}
    lines = request.part("artifacts").splitlines()
    return [json.loads(line) if line.startswith("{") else line for line in lines]


@tool(effect="readonly")
def look_around() -> str:
    """Look around."""
    return "nothing"


def test_a_result_is_kept_in_the_commit_that_records_it():
    """As text that people can read, under a title that says what was asked, with its event after the result's."""
    run, world, (artifact,) = kept({"ö": [1, 2]}, arguments={"q": "the  river\nOslo"})
    whole = shelf(world).get(artifact.id)
    assert (whole.title, whole.type, whole.tags, whole.session, whole.active, json.loads(whole.text)) == (
        "look: the river Oslo",
        "project_data",
        ("look",),
        "session",
        True,
        {"ö": [1, 2]},
    )
    assert whole.text.startswith('{\n  "ö": [')
    told = [event.type for event in events(world, run)]
    assert told[told.index("tool.result") + 1] == "artifact.saved"
    entries = world.process.runs.journal(run).items
    assert sum("artifact.saved" in [e.type for e in entry.events] for entry in entries) == 1


@pytest.mark.parametrize(
    ("options", "expected"), [({"persist": "web_search"}, ["web_search"]), ({"persist": False}, [])]
)
def test_only_tools_that_ask_for_it_keep_their_results(options, expected):
    """Of the type that they name."""
    _, _, artifacts = kept("text", **options)
    assert [artifact.type for artifact in artifacts] == expected


@pytest.mark.parametrize("nothing", [None, "", [], {}])
def test_a_result_that_says_nothing_is_not_kept(nothing):
    """A search without hits is no paper."""
    assert kept(nothing)[2] == ()


def test_a_result_of_a_tool_that_does_not_persist_is_not_kept():
    """Though others of its network do: the journal has it."""

    @tool(effect="readonly", persist=True)
    def search() -> str:
        """Search."""
        return "found"

    world = a_world(Script([calls(("look_around", {})), "done"]), look_around, search)
    assert the_action(world, world.ask("Go.")).warnings == ()
    assert [path for path in world.documents() if "/artifacts/" in path] == []


def test_a_result_that_is_too_large_is_not_kept_and_the_call_has_been_made():
    """Saving may fail without failing the tool: a warning says why."""
    run, world, artifacts = kept("x" * (MAX_CONTENT_BYTES + 1))
    action = the_action(world, run)
    assert (action.status, len(value(action.result)), artifacts, run.status) == (
        "applied",
        MAX_CONTENT_BYTES + 1,
        (),
        "succeeded",
    )
    assert action.warnings == (
        "Its result was not saved as an artifact: A content has at most 1,500,000 bytes, and this one 1,500,001 "
        "characters.",
    )


def test_what_a_hook_has_made_of_a_result_is_what_is_kept():
    """What was masked stays masked."""

    class Masking(Hook):
        def after_tool(self, call, result, ctx):
            return result.with_value("***")

    @tool(effect="readonly", persist=True)
    def read() -> str:
        """Read."""
        return "secret"

    world = a_world(Script([calls(("read", {})), "done"]), read, harness=[Masking()])
    world.ask("Go.")
    (artifact,) = shelf(world).list()
    assert "secret" not in repr(world.documents()) and shelf(world).get(artifact.id).text == "***"


def test_a_message_that_is_delivered_again_keeps_a_result_once():
    """The artifact's id is the call's."""
    run, world, before = kept("text")
    for kind in ("execute", "evaluate"):
        from entracte.core.messages import Message

        world.deliver(
            Message(kind=kind, run=run.id, session="session", frame=run.id, step=1, calls=1, action=f"{run.id}.1.0")
        )
    assert shelf(world).list() == before


@pytest.mark.parametrize(
    ("arguments", "title"),
    [
        ({}, "look"),
        ({"q": "a", "n": 3}, "look: a"),
        ({"q": "a", "r": " b  c "}, "look: a · b c"),
        ({"n": 3}, 'look: {"n": 3}'),
        ({"q": "x" * 500}, f"look: {'x' * 93}…"),
    ],
)
def test_a_title_says_what_was_asked(arguments, title):
    """In the words of the call."""
    assert title_of("look", arguments) == title


def test_a_desk_shows_small_papers_whole_and_of_large_ones_the_beginning():
    """The one changed last first; those that are not active are not shown."""
    shown = desk(
        ("small", "s" * WHOLE_CHARS, {}),
        ("large", "l" * (WHOLE_CHARS + 1), {"tags": ["x"], "type": "file"}),
        ("hidden", "h", {"active": False}),
        ("shared", "o", {"shared": True}),
    )
    assert [(item["title"], len(item.get("content", "")), len(item.get("snippet", ""))) for item in shown] == [
        ("shared", 1, 0),
        ("large", 0, 300),
        ("small", WHOLE_CHARS, 0),
    ]
    assert {key: shown[1][key] for key in ("type", "tags", "shared", "chars")} == {
        "type": "file",
        "tags": ["x"],
        "shared": False,
        "chars": WHOLE_CHARS + 1,
    }


def test_a_desk_has_a_bound():
    """However many papers are active, and however large they are."""
    shown = desk(*[(f"paper {number}", "p" * WHOLE_CHARS, {}) for number in range(MAX_ACTIVE + 10)])
    assert shown[-1].endswith("more are active and not shown here.")
    assert sum(len(item["content"]) for item in shown[:-1]) <= DESK_CHARS
    assert [item["title"] for item in shown[:2]] == ["paper 59", "paper 58"]


def test_an_agent_without_tools_is_shown_all_papers_whole():
    """It could not fetch them; contents in chunks are read for it, as far as they fit."""
    chat = Agent(name="desk", prompt="You answer.")
    shown = desk(("huge", "h" * READING_CHARS, {}), ("long", "l" * 50_000, {}), ("short", "s", {}), agent=chat)
    assert [(item["title"], len(item.get("content", "")), len(item.get("snippet", ""))) for item in shown] == [
        ("short", 1, 0),
        ("long", 50_000, 0),
        ("huge", 0, 300),
    ]


def test_a_sub_agent_works_at_the_same_desk():
    """Papers are what agents share."""
    helper = Agent(name="helper", prompt="You help.", tools=[look_around])
    model = Script({"desk": [calls(("helper", {"message": "Help."})), "done"], "helper": ["helped"]})
    world = a_world(model, look_around, agents=[helper], artifacts=True)
    shelf(world).create(key="k", title="Plan", text="One.")
    world.ask("Go.")
    assert '"Plan"' in model.asked("plan", "helper")[0].part("artifacts")


def test_a_network_that_asks_for_no_artifacts_neither_reads_nor_imports_them():
    """The desk's papers stay where they are, and no module is loaded for them."""
    assert desk(("Plan", "One.", {}), artifacts=None) == []
    bare = (
        "import sys, entracte.agents, entracte.runtime.compose, entracte.core.phases.plan, entracte.core.phases.execute"
    )
    wanted = (
        "entracte.core.artifacts",
        "entracte.core.editing",
        "entracte.toolbox.artifacts",
        "entracte.runtime.services.shelf",
    )
    done = subprocess.run(
        [sys.executable, "-c", f"{bare}\nprint(*sys.modules)"], capture_output=True, text=True, check=True
    )
    loaded = done.stdout.split()
    assert [name for name in loaded if name.startswith((*wanted, "entracte.core.asking.desk"))] == []
