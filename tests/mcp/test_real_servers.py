"""Servers from npm under their finished policies, through the engine: what they do, and that it can be undone."""

import json
from importlib import resources

import pytest

from entracte.agents import Agent, Models, Network
from entracte.core.policy.policy import Policy
from entracte.core.policy.reading import read_manifest
from entracte.testing.world import World
from tests.mcp.node import command
from tests.runtime.scenes import actions, events, told, value
from tests.runtime.script import Script, calls


class Desk:
    """A desk with one server, which makes the calls of the test, step by step."""

    def __init__(self, server, arguments, env, *steps):
        program, script = command(server)
        served = {server: {"command": program, "args": [*script, *map(str, arguments)], "env": env}}
        finished = (resources.files("entracte.policies") / f"{server}.yaml").read_text()
        text = finished.replace("\ntools:", f"\nservers: {json.dumps(served)}\ntools:")
        policy = Policy(read_manifest(text, file=f"{server}.yaml", variables={}))
        agent = Agent(name="desk", tools=[f"{server}.*"])
        self.model = Script([*(calls(*step) for step in steps), "done"])
        self.network = Network(entry=agent, models=Models(main="scripted/model"), policy=policy)
        self.world = World(self.network, self.model)
        self.run = self.world.ask("Go.")

    def undone(self, **how):
        """The run after its undo."""
        self.world.process.runs.undo(self.run.id, owner="ada", **how)
        self.world.settle()
        return self.world.run(self.run.id)

    def took_back(self):
        """What became of each action, newest first: how, and its tool."""
        undone = events(self.world, self.run, "run.undone")
        return [(e.data["how"], e.data["tool"]) for e in undone if e.data.get("tool") and e.data["how"] != "claimed"]


@pytest.fixture
def desk():
    """Makes desks, and ends their servers."""
    made = []

    def make(server, arguments, env, *steps):
        made.append(Desk(server, arguments, env, *steps))
        return made[-1]

    yield make
    for each in made:
        each.world.process.close()


def tree(folder):
    """Every file of a folder with its bytes and permissions, and every folder."""
    return {
        str(path.relative_to(folder)): (path.stat().st_mode, path.read_bytes() if path.is_file() else None)
        for path in sorted(folder.rglob("*"))
    }


@pytest.fixture
def papers(tmp_path):
    """A folder with texts of all kinds: odd line ends, no end, nothing in it, far-off letters."""
    folder = tmp_path / "papers"
    (folder / "old" / "deep").mkdir(parents=True)
    (folder / "plan.md").write_bytes("\ufeff# Plan\r\n\r\nZoë — 計画\u2028\n".encode())
    (folder / "todo.txt").write_bytes(b"milk\nbread")
    (folder / "empty").write_bytes(b"")
    (folder / "old" / "deep" / "note").write_bytes(b"\tkeep  \n\n\n")
    (folder / "todo.txt").chmod(0o600)
    return folder


def test_files_that_were_overwritten_and_moved_are_as_they_were(desk, papers):
    """Contents, permissions and the tree, byte for byte, also where one file was changed three times."""
    before = tree(papers)
    at = {name: str(papers / name) for name in ("plan.md", "todo.txt", "empty", "old", "older", "done.txt")}
    worked = desk(
        "filesystem",
        [papers],
        {},
        [("filesystem.write_file", {"path": at["plan.md"], "content": "nothing\n"})],
        [
            ("filesystem.edit_file", {"path": at["todo.txt"], "edits": [{"oldText": "milk", "newText": "tea"}]}),
            ("filesystem.write_file", {"path": at["empty"], "content": "full \U0001f600"}),
        ],
        [("filesystem.write_file", {"path": at["plan.md"], "content": "less\r\n"})],
        [
            ("filesystem.move_file", {"source": at["todo.txt"], "destination": at["done.txt"]}),
            ("filesystem.move_file", {"source": at["old"], "destination": at["older"]}),
        ],
        [("filesystem.write_file", {"path": at["done.txt"], "content": "all"})],
    )
    assert (worked.run.status, [a.status for a in actions(worked.world, worked.run)]) == ("succeeded", ["applied"] * 7)
    assert (papers / "older" / "deep" / "note").exists() and (papers / "done.txt").read_text() == "all"
    assert worked.undone().status == "undone"
    assert tree(papers) == before


def test_a_person_who_changed_a_file_since_is_not_overruled(desk, papers):
    """The undo stops there, shows both values, and leaves everything before it as the run left it."""
    path = papers / "todo.txt"
    worked = desk(
        "filesystem",
        [papers],
        {},
        [("filesystem.write_file", {"path": str(papers / "empty"), "content": "x"})],
        [("filesystem.write_file", {"path": str(path), "content": "by the agent"})],
    )
    path.write_text("by a person")
    run = worked.undone()
    assert (run.status, run.undo.reason) == ("partial", "Somebody has changed it since.")
    assert path.read_text() == "by a person" and (papers / "empty").read_text() == "x"
    (stopped,) = [e.data for e in events(worked.world, run, "run.undone") if e.data["how"] == "stopped"]
    shown = [stopped[which]["content"] for which in ("before", "expected", "found")]
    assert shown == ["milk\nbread", "by the agent", "by a person"]


def test_a_file_that_is_not_there_is_not_written_without_asking(desk, papers):
    """The server cannot delete it again."""
    worked = desk(
        "filesystem", [papers], {}, [("filesystem.write_file", {"path": str(papers / "new"), "content": "x"})]
    )
    assert (worked.run.status, (papers / "new").exists()) == ("waiting", False)
    (gate,) = worked.world.process.gates.of_run(worked.run.id)
    assert gate.why == "The record that this would change is not there, so it could not be put back."


def test_what_a_server_refuses_is_told_to_the_agent(desk, papers):
    """In the server's words; nothing happened, so nothing is to be undone."""
    worked = desk("filesystem", [papers], {}, [("filesystem.read_text_file", {"path": "/etc/passwd"})])
    (failed,) = actions(worked.world, worked.run)
    assert (failed.status, failed.error.startswith("Access denied")) == ("failed", True)
    assert "Access denied" in told(worked.model, 2)[0]


@pytest.fixture
def memory(tmp_path, desk):
    """Makes desks over a knowledge graph, which is a file."""
    file = tmp_path / "graph.jsonl"
    file.write_text('{"type":"entity","name":"Ada","entityType":"person","observations":["likes tea"]}')
    return file, lambda *steps: desk("memory", [], {"MEMORY_FILE_PATH": str(file)}, *steps)


ADA = {"name": "Ada", "entityType": "person", "observations": ["likes coffee"]}
ALAN = {"name": "Alan", "entityType": "person", "observations": ["runs"]}
KNOWS = {"from": "Ada", "to": "Alan", "relationType": "knows"}


def test_undo_removes_exactly_the_entity_that_was_created(memory):
    """Two were asked for and one existed: it stays, as it was, and the file is equal byte for byte."""
    file, make = memory
    before = file.read_bytes()
    worked = make(
        [("memory.create_entities", {"entities": [ADA, ALAN]})], [("memory.create_relations", {"relations": [KNOWS]})]
    )
    assert [value(a.result) for a in actions(worked.world, worked.run)] == [
        {"entities": [ALAN]},
        {"relations": [KNOWS]},
    ]
    run = worked.undone()
    assert (run.status, worked.took_back()) == (
        "undone",
        [("unverified", "memory.create_relations"), ("reverted", "memory.create_entities")],
    )
    assert file.read_bytes() == before


def test_a_person_who_changed_an_entity_since_is_not_overruled(memory):
    """The undo stops and shows what it expected and what it found."""
    file, make = memory
    worked = make([("memory.create_entities", {"entities": [ADA, ALAN]})])
    file.write_text(file.read_text().replace('"runs"', '"runs far"'))
    changed = file.read_bytes()
    run = worked.undone()
    assert (run.status, run.undo.reason, file.read_bytes()) == ("partial", "Somebody has changed it since.", changed)
    (stopped,) = [e.data for e in events(worked.world, run, "run.undone") if e.data["how"] == "stopped"]
    expected, found = (stopped[which]["entities"][1]["observations"] for which in ("expected", "found"))
    assert (expected, found) == (["runs"], ["runs far"])


def test_relations_that_were_deleted_come_back(memory):
    """Those, and no others."""
    file, make = memory
    likes = {**KNOWS, "relationType": "likes"}
    with file.open("a") as more:
        more.writelines(f"\n{json.dumps({'type': 'relation', **relation})}" for relation in (KNOWS, likes))
    before = graph(file)
    worked = make([("memory.delete_relations", {"relations": [KNOWS]})])
    assert len(graph(file)) == 2
    assert worked.undone().status == "undone"
    assert sorted(graph(file), key=str) == sorted(before, key=str)


def graph(file):
    """What the graph's file says, line by line."""
    return [json.loads(line) for line in file.read_text().splitlines()]
