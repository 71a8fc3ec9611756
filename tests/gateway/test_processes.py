"""Proxies as processes: side by side on one store, ended, killed and started again (cli/commands/proxy.py)."""

import json
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from entracte.adapters.sqlite.store import SqliteStore
from entracte.cli.records.local_records import LocalRecords
from entracte.cli.runners.gate_decision import Decision
from tests.gateway.sessions import PROXY, proxy, session_over, write_manifest

PATIENCE_S = 30


def kept(folder):
    """What the proxies of a folder have kept; to be closed."""
    return LocalRecords(SqliteStore(folder / ".entracte" / "entracte.db"), owner="local")


def made(folder):
    """Names of the tools that were called, in order."""
    file = folder / "notes.calls"
    return [line.split()[0] for line in file.read_text().splitlines()] if file.exists() else []


def test_two_proxies_at_once_lose_no_call(tmp_path):
    """Each client's calls are in its own run, all of them, and each was made once."""
    write_manifest(tmp_path)
    with (
        session_over(proxy(tmp_path)) as first,
        session_over(proxy(tmp_path)) as second,
        ThreadPoolExecutor(4) as threads,
    ):
        jobs = [
            threads.submit(session.call, tool, text=f"{tool} {number} {name}")
            for number in range(8)
            for tool in ("echo", "write_note")
            for name, session in (("a", first), ("b", second))
        ]
        ended = [job.result(PATIENCE_S) for job in jobs]
    assert not any(result.get("isError") or "error" in result for result in ended)
    with closing(kept(tmp_path)) as records:
        runs = records.page({}, limit=10, after="").runs
        actions = [records.details(run["id"]).actions for run in runs]
    assert [run["status"] for run in runs] == ["succeeded", "succeeded"]
    of_one = ["notes.echo"] * 8 + ["notes.write_note"] * 8
    assert [sorted(action["tool"] for action in of_run) for of_run in actions] == [of_one, of_one]
    assert {action["status"] for of_run in actions for action in of_run} == {"applied"}
    assert [made(tmp_path).count(tool) for tool in ("echo", "write_note")] == [16, 16]


class Raw:
    """A proxy and its pipes, to be killed."""

    def __init__(self, folder, log):
        self.folder = folder
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": log}
        self.process = subprocess.Popen(PROXY, cwd=folder, **pipes)
        about = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
        self.say({"id": 1, "method": "initialize", "params": about})
        self.answer()
        self.say({"method": "notifications/initialized"})

    def say(self, message):
        self.process.stdin.write(f"{json.dumps({'jsonrpc': '2.0', **message})}\n".encode())
        self.process.stdin.flush()

    def answer(self):
        return json.loads(self.process.stdout.readline())["result"]

    def call(self, name, **arguments):
        self.say({"id": 2, "method": "tools/call", "params": {"name": name, "arguments": arguments}})

    def kill_while(self, tool):
        """Kill it once that tool has been called."""
        until = time.monotonic() + PATIENCE_S
        while tool not in made(self.folder) and time.monotonic() < until:
            time.sleep(0.05)
        self.process.kill()
        self.process.communicate()


@pytest.fixture(scope="module")
def story(tmp_path_factory):
    """A call is held; the proxy is killed while it makes another; the first is approved; the client starts again.

    Gives the folder, and what each call was answered.
    """
    folder = tmp_path_factory.mktemp("killed")
    write_manifest(folder, hang="class: irreversible, gate: never")
    with (folder / "proxy.log").open("w") as log:
        killed = Raw(folder, log)
        killed.call("publish", text="now")
        held = killed.answer()["content"][0]["text"]
        killed.call("hang")
        killed.kill_while("hang")
    with closing(kept(folder)) as records:
        (gate,) = records.gates(status="waiting")
        assert gate["id"] in held
        records.decide(gate, Decision(word="approve"))
    with session_over(proxy(folder)) as again:
        yield folder, [again.call("hang"), again.call("publish", text="now"), again.call("publish", text="now")]


def test_a_killed_proxy_leaves_its_call_in_doubt(story):
    """As soon as the next one starts: shown as unknown, and not made again for a client that asks again."""
    folder, (hang, _, _) = story
    with closing(kept(folder)) as records:
        runs = records.page({}, limit=10, after="").runs
        actions = [action for run in runs for action in records.details(run["id"]).actions]
        (gate,) = [gate for gate in records.gates(status="waiting") if gate["kind"] == "in_doubt"]
    assert hang["content"][0]["text"].startswith("IN DOUBT: Nobody knows whether this call did anything")
    assert [(action["status"], action["id"]) for action in actions if action["tool"] == "notes.hang"] == [
        ("unknown", gate["action"])
    ]
    assert made(folder).count("hang") == 1


def test_an_approval_outlives_the_clients_restart(story):
    """The new session makes the call that the old one was refused; once."""
    folder, (_, done, again) = story
    assert done["content"] == [{"type": "text", "text": "published now"}]
    assert again["content"][0]["text"].startswith("HELD")
    assert made(folder).count("publish") == 1
