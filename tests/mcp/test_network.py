"""Networks whose tools are an MCP server's: hooks, policy, journal and undo are the same as for tools in process."""

import json
import subprocess
import sys
import threading
from datetime import timedelta
from pathlib import Path

import pytest

from crm.database import dump, make_database
from entracte.agents import Agent, Blocked, Hook, Models, Network
from entracte.core.calls import Call
from entracte.core.policy.listing import says_readonly
from entracte.core.policy.policy import Policy
from entracte.core.policy.reading import read_manifest
from entracte.errors import ConfigurationError
from entracte.testing.world import World
from tests.mcp.conftest import SERVER
from tests.mcp.odd_server import TOOLS
from tests.runtime.scenes import actions, events, the_action, told, value
from tests.runtime.script import Script, calls

RULES = "tools: [{match: odd.look, class: readonly}, {match: 'odd.*', class: irreversible, gate: never}]"


def policy(servers, rules, **listing):
    """A policy for these servers."""
    text = f"version: 1\nservers: {json.dumps(servers)}\n{rules}\n"
    return Policy(read_manifest(text, file="policy.yaml", variables={}), listing=listing)


class Shop:
    """A desk with the tools of the odd server, which has made its calls."""

    def __init__(self, folder, *steps, hooks=(), rules=RULES, tools=("odd.*",)):
        self.folder = folder
        served = {"odd": {"command": sys.executable, "args": [str(SERVER), str(folder)]}}
        self.model = Script([*(calls(step) for step in steps), "done"])
        network = Network(
            entry=Agent(name="desk", tools=tools),
            models=Models(main="scripted/model"),
            policy=policy(served, rules, odd=TOOLS),
            harness=hooks,
        )
        self.world = World(network, self.model)
        self.run = self.world.ask("Go.")

    @property
    def received(self):
        """Names and arguments of the calls that the server got."""
        file = self.folder / "received.jsonl"
        messages = map(json.loads, file.read_text().splitlines()) if file.exists() else ()
        return [(m["params"]["name"], m["params"]["arguments"]) for m in messages if m["method"] == "tools/call"]


@pytest.fixture
def shop(tmp_path):
    """Makes shops, and ends their servers."""
    made = []

    def make(*steps, **how):
        made.append(Shop(tmp_path, *steps, **how))
        return made[-1]

    yield make
    for each in made:
        each.world.process.close()


class Masking(Hook):
    def before_tool(self, call, ctx):
        return call.evolve(arguments={**call.arguments, "by": ctx.agent})

    def after_tool(self, call, result, ctx):
        return result.with_value({**result.value, "card": "•••"})


def test_hooks_are_around_a_servers_tools_as_around_any_other(shop):
    """Arguments are rewritten before the call, the result after it; the answer as it came goes no further then."""
    made = shop(("odd.echo", {"card": "4111"}), hooks=[Masking()])
    assert made.received == [("echo", {"card": "4111", "by": "desk"})]
    action = the_action(made.world, made.run)
    assert (action.status, value(action.result)) == ("applied", {"card": "•••", "by": "desk"})
    outcome = made.world.process.tools.call(a_call(made))
    assert (outcome.result["card"], outcome.raw["card"], outcome.native) == ("•••", "4111", None)


def test_the_answer_as_it_came_is_handed_on_beside_the_result(shop):
    """For whoever passes it through to another client."""
    made = shop(("odd.look", {}))
    outcome = made.world.process.tools.call(a_call(made))
    assert outcome.native == {"content": [], "structuredContent": {"card": "4111"}}


def a_call(made):
    """A call to the server that no run makes."""
    where = {"run": made.run.id, "session": "session", "frame": made.run.id, "agent": "desk", "step": 1, "user": "ada"}
    what = {"action": "r.1.0", "idempotency_key": "r.1.0", "tool": "odd.echo", "arguments": {"card": "4111"}}
    return Call(**where, **what, metadata={}, attempt=1, deadline=made.world.clock.now() + timedelta(seconds=30))


class Quiet(Hook):
    def before_tool(self, call, ctx):
        raise Blocked("Not today.")


def test_a_blocked_call_does_not_reach_the_server(shop):
    """It is not even started."""
    made = shop(("odd.echo", {}), hooks=[Quiet()])
    assert (made.received, the_action(made.world, made.run).status) == ([], "blocked")


def test_arguments_are_checked_against_the_servers_schema(shop):
    """Before the call; the agent is told what is wrong."""
    made = shop(("odd.strict", {"n": "one"}))
    assert made.received == []
    assert told(made.model, 2) == ['odd.strict failed: The arguments do not fit: /n: "one" is not of type "integer".']


def test_progress_is_journaled(shop):
    """As events of the run."""
    made = shop(("odd.progress", {}))
    texts = sorted(event.data["text"] for event in events(made.world, made.run, "tool.progress"))
    assert texts == ["1 of 2", "nearly there"]


def test_a_server_that_dies_in_a_call_leaves_it_unknown(shop):
    """It is never sent again, and a person is asked."""
    made = shop(("odd.die", {}))
    assert (made.run.status, the_action(made.world, made.run).status) == ("waiting", "unknown")
    for _ in range(3):
        made.world.clock.advance(minutes=20)
        made.world.sweep()
        made.world.settle()
    assert made.received == [("die", {})]


def test_a_call_past_its_time_is_unknown_and_never_failed(shop):
    """It was sent, so it may have been carried out."""
    rules = "tools: [{match: 'odd.*', class: irreversible, gate: never, timeout: 1s}]"
    made = shop(("odd.hang", {}), rules=rules)
    action = the_action(made.world, made.run)
    assert (action.status, action.error) == ("unknown", "odd.hang did not end within its 1 s.")
    assert made.received == [("hang", {})]


def test_the_late_end_of_a_changing_call_is_recorded(shop, tmp_path):
    """It was not cancelled, since a change broken off in the middle is worse than a late one; the run goes on."""
    made = shop(("odd.hang", {}), rules="tools: [{match: 'odd.*', class: irreversible, gate: never, timeout: 1s}]")
    tools, recorded = made.world.process.tools, threading.Event()
    record = tools.on_late
    tools.on_late = lambda call, outcome: (record(call, outcome), recorded.set())
    (tmp_path / "go").touch()
    assert recorded.wait(30)
    made.world.settle()
    action = the_action(made.world, made.run)
    assert (action.status, value(action.result)) == ("applied", "late")
    assert made.world.run(made.run.id).status == "succeeded"


def test_a_servers_tool_without_a_rule_waits_for_a_person(shop):
    """Whatever the server says of it: its word is not trusted."""
    assert says_readonly(next(tool for tool in TOOLS if tool["name"] == "look"))
    made = shop(("odd.look", {}), rules="tools: []")
    assert (made.run.status, made.received) == ("waiting", [])


def test_tools_are_given_by_name_or_by_pattern(shop):
    """In the order of the listing; a name that no model could be told is left out."""
    agents = shop(tools=("odd.l*", "odd.echo")).world.network.blueprint.agents
    assert agents["desk"].tools == ("odd.look", "odd.echo")
    everything = shop(tools=("odd.*",)).world.network.blueprint.agents["desk"].tools
    assert everything == tuple(f"odd.{tool['name']}" for tool in TOOLS if "/" not in tool["name"])


def test_a_pattern_that_no_tool_has_is_an_error_when_the_network_is_built(shop):
    """It names the tools that there are."""
    with pytest.raises(ConfigurationError, match=r"Agent 'desk' names the tools 'add\.\*', and the network has none"):
        shop(tools=("add.*",))


def test_what_was_written_down_is_not_asked_for(tmp_path):
    """So that a function starts without its servers; the network is the same as with them."""
    (tmp_path / "policy.yaml").write_text(f"version: 1\nservers: {{odd: {{command: entracte-none}}}}\n{RULES}\n")
    (tmp_path / "policy.tools.json").write_text(json.dumps({"version": 1, "servers": {"odd": TOOLS}}))
    network = Network(
        entry=Agent(name="desk", tools=["odd.echo"]),
        models=Models(main="scripted/model"),
        policy=str(tmp_path / "policy.yaml"),
    )
    spec = network.blueprint.tools["odd.echo"]
    assert (spec.summary, spec.instruction, spec.effect) == ("Say it again.", "Exactly as it was.", "changing")
    assert network.blueprint.tools["odd.look"].effect == "readonly"


def test_a_server_that_has_to_be_asked_and_cannot_be_stops_the_start(tmp_path):
    """With its name, and what to do."""
    (tmp_path / "policy.yaml").write_text("version: 1\nservers: {odd: {command: entracte-none}}\ntools: []\n")
    with pytest.raises(ConfigurationError, match="MCP server odd: there is no command 'entracte-none'"):
        Network(entry=Agent(name="desk"), models=Models(main="scripted/model"), policy=str(tmp_path / "policy.yaml"))


@pytest.fixture
def database(tmp_path, monkeypatch):
    """The sample's database, new, where the server looks for it."""
    monkeypatch.chdir(tmp_path)
    path = Path(".entracte/crm.sqlite3").absolute()
    make_database(path)
    return path


def test_the_sample_as_a_server_is_undone_as_in_process(database):
    """Its own policy, with the server's name before each tool: records are equal before and after."""
    import crm

    own = (Path(crm.__file__).parent / "policy.yaml").read_text().partition("tools:\n")[2]
    names = ("search_*", "get_customer", "list_invoices", "update_customer", "create_customer", "delete_customer")
    for name in (*names, "send_email"):
        for before in ('match: "', "match: ", "tool: "):
            own = own.replace(f"{before}{name}", f"{before}crm.{name}")
    served = {"crm": {"command": sys.executable, "args": ["-m", "crm.server"], "env": {"CRM_DATABASE": str(database)}}}
    rules = policy(served, f"tools:\n{own}")
    steps = [
        [("crm.update_customer", {"id": 17, "plan": "Pro"}), ("crm.delete_customer", {"id": 431})],
        [("crm.update_customer", {"id": 17, "notes": "again"}), ("crm.list_invoices", {"customer_id": 17})],
        [("crm.get_customer", {"id": 99_999})],
    ]
    model = Script([*(calls(*step) for step in steps), "done"])
    world = World(
        Network(entry=Agent(name="desk", tools=["crm.*"]), models=Models(main="scripted/m"), policy=rules), model
    )
    before = dump(database)
    try:
        run = world.ask("Go.")
        ended = [action.status for action in actions(world, run)]
        assert (run.status, ended) == ("succeeded", ["applied"] * 4 + ["failed"]), [
            a.error for a in actions(world, run)
        ]
        assert dump(database) != before
        world.process.runs.undo(run.id, owner="ada")
        world.settle()
        assert (world.run(run.id).status, dump(database)) == ("undone", before)
    finally:
        world.process.close()


def test_the_sdk_is_loaded_by_the_first_call_only():
    """It takes half a second, which a function that calls no server would pay for nothing."""
    code = "import sys, entracte.runtime.compose; print(*{name.partition('.')[0] for name in sys.modules})"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONPATH": ":".join(sys.path)}
    )
    assert {"mcp", "mcp_types", "httpx2", "anyio"} & set(loaded.stdout.split()) == set()
