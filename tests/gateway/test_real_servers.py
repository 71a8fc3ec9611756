"""Servers from npm behind the proxy, a client's session before it, and the command line for the person beside it."""

import json
import subprocess
import sys
from importlib import resources

from tests.gateway.sessions import proxy, session_over
from tests.mcp.node import command


def entracte(folder, *words):
    """What a command says as JSON, typed in the manifest's folder."""
    line = [sys.executable, "-m", "entracte.cli.main", *words, "--json"]
    done = subprocess.run(line, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    return done.returncode, json.loads(done.stdout) if done.stdout.startswith("{") else done.stderr


def tree(folder):
    """Every file of a folder with its bytes, and every folder."""
    return {str(path.relative_to(folder)): path.is_file() and path.read_bytes() for path in sorted(folder.rglob("*"))}


def test_what_a_client_did_to_files_is_taken_back(tmp_path):
    """Overwritten, edited and moved through the proxy; undone from the command line; equal byte for byte."""
    papers = tmp_path / "papers"
    (papers / "old").mkdir(parents=True)
    (papers / "plan.md").write_bytes("# Plan\r\n\r\nZoë — 計画\n".encode())
    (papers / "old" / "note").write_bytes(b"\tkeep  \n\n")
    before = tree(papers)
    program, script = command("filesystem")
    served = {"filesystem": {"command": program, "args": [*script, str(papers)]}}
    policy = (resources.files("entracte.policies") / "filesystem.yaml").read_text()
    (tmp_path / "policy.yaml").write_text(policy.replace("\ntools:", f"\nservers: {json.dumps(served)}\ntools:"))
    plan, new = str(papers / "plan.md"), str(papers / "new.txt")
    with session_over(proxy(tmp_path)) as session:
        session.call("write_file", path=plan, content="nothing\n")
        session.call("edit_file", path=plan, edits=[{"oldText": "nothing", "newText": "less"}])
        session.call("move_file", source=str(papers / "old"), destination=str(papers / "older"))
        held = session.call("write_file", path=new, content="x")["content"][0]["text"]
        assert (tree(papers) != before, (papers / "older" / "note").exists()) == (True, True)
    assert "HELD" in held and "could not be put back" in held
    code, undone = entracte(tmp_path, "undo", "-y")
    assert (code, tree(papers) == before) == (0, True), undone
