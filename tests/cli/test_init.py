"""Writing a manifest from a live server (commands/init.py, manifests/)."""

import json
import sys
from pathlib import Path

import pytest

from entracte.cli.manifests.finished import NAMES, finished_policy, read_finished
from entracte.core.policy.reading import read_manifest
from tests.mcp.node import command

ODD = [sys.executable, str(Path(__file__).parent.parent / "mcp" / "odd_server.py")]


TODO = " # TODO: can it be taken back, and by which tool?"


@pytest.fixture
def init(call, tmp_path):
    """Runs init on the odd server; gives what it said and the manifest."""

    def run(server="odd", *options):
        done = call("init", server, *options, "--", *ODD, str(tmp_path))
        return done, (tmp_path / "policy.yaml").read_text()

    return run


def test_a_manifest_is_written_from_what_a_server_says(init, tmp_path):
    """What says that it changes nothing is readonly, everything else waits for a person until somebody classes it."""
    done, text = init()
    assert done.code == 0, done.err
    rules = {rule.match: (rule.tool_class, rule.gate) for rule in read(text).rules}
    changing = dict.fromkeys(("echo", "strict", "raw", "die", "hang", "progress"), ("irreversible", "always"))
    assert rules == {f"odd.{name}": what for name, what in {"look": ("readonly", "never"), **changing}.items()}
    assert text.count(TODO) == 6 and "readonly # the server says so" in text
    assert read(text).servers["odd"].args == (ODD[1], str(tmp_path))


def test_what_the_server_offers_is_written_down_beside_it(init, tmp_path):
    """So that no start has to ask."""
    init()
    listed = json.loads((tmp_path / "policy.tools.json").read_text())
    assert (listed["version"], len(listed["servers"]["odd"])) == (1, 8)


def test_a_second_run_keeps_what_the_file_says(init, tmp_path):
    """Comments, quotes, blank lines and rules; only tools without a rule are added."""
    mine = """\
# Mine.
version: 1

servers: {} # none yet
tools:
  - match: "odd.*" # whatever comes
    class: irreversible

  # The end.
  - match: odd.echo
    class: 'readonly'
"""
    (tmp_path / "policy.yaml").write_text(mine)
    done, text = init()
    assert done.code == 0, done.err
    for kept in ("# Mine.\n", "# none yet", '"odd.*" # whatever comes', "\n\n  # The end.\n", "class: 'readonly'"):
        assert kept in text
    assert (len(read(text).rules), list(read(text).servers)) == (2, ["odd"])
    assert init()[1] == text


def test_a_second_server_is_added(init):
    """To the servers, and its tools below the rules that are there."""
    _, before = init()
    _, text = init("other")
    assert text.startswith(before.partition("tools:")[0].rstrip("\n"))
    assert list(read(text).servers) == ["odd", "other"]
    assert [rule.match for rule in read(text).rules][7:9] == ["other.look", "other.echo"]


def test_a_secret_is_written_by_its_name(call, tmp_path, monkeypatch):
    """Its value goes to the server, and nowhere else."""
    monkeypatch.setenv("ODD_TOKEN", "s3cret-word")
    done = call("init", "odd", "--env", "ODD_TOKEN", "--", *ODD, str(tmp_path))
    written = (tmp_path / "policy.yaml").read_text()
    assert (done.code, '{"ODD_TOKEN": "${ODD_TOKEN}"}' in written) == (0, True)
    assert "s3cret-word" not in written + (tmp_path / "policy.tools.json").read_text() + done.out + done.err


def test_a_server_that_does_not_start_leaves_nothing_behind(call, tmp_path):
    """It is said what it said."""
    done = call("init", "odd", "--", "sh", "-c", "echo no database >&2")
    assert (done.code, "MCP server odd: Connection closed no database" in " ".join(done.err.split())) == (1, True)
    assert list(tmp_path.glob("policy*")) == []


def test_a_manifest_that_cannot_be_understood_is_left_alone(init, tmp_path):
    """With every fault in its place."""
    (tmp_path / "policy.yaml").write_text("version: 2\n")
    done, text = init()
    assert (done.code, text) == (2, "version: 2\n")
    assert "policy.yaml:1:10: version, expected 1, found 2" in done.err


def test_check_asks_the_servers_as_they_are_now(init, call, tmp_path):
    """A server that is gone, a tool that is none, and what is other than was written down."""
    _, text = init()
    assert call("check", "--manifest", "policy.yaml").err == "policy.yaml is fit to run: 1 server, 8 tools.\n"
    (tmp_path / "policy.yaml").write_text(f"{text}  - match: odd.ecko\n    class: readonly\n")
    listing = tmp_path / "policy.tools.json"
    listing.write_text(listing.read_text().replace('"name": "hang"', '"name": "hung"'))
    done = call("check", "--manifest", "policy.yaml")
    place, changed = done.out.splitlines()
    assert place.startswith("policy.yaml:22:12: warning: tools[7].match: matches no tool, expected one of odd.die,")
    assert changed == "warning: server odd offers other tools than were written down. New: hang; gone: hung."
    assert call("check", "--manifest", "policy.yaml", "--write").code == 0
    assert len(call("check", "--manifest", "policy.yaml").out.splitlines()) == 1
    (tmp_path / "policy.yaml").write_text(text.replace(ODD[0], "entracte-no-such-command"))
    gone = call("check", "--manifest", "policy.yaml")
    assert (gone.code, gone.out.splitlines()[0]) == (
        1,
        "policy.yaml:5:5: servers.odd cannot be asked, expected a server that lists its tools, "
        "found MCP server odd: there is no command 'entracte-no-such-command'.",
    )


@pytest.mark.parametrize("name", NAMES)
def test_a_finished_policy_is_sound_and_says_where_undo_runs_out(name):
    """Under any name that somebody gives the server."""
    finished = read_finished(name)
    assert "Where undo runs out, and why:" in finished.text.partition("version: 1")[0]
    named = read_manifest(finished.named("my-server"), file="policy.yaml", variables={})
    assert [rule.match.partition(".")[2] for rule in named.rules] == [
        rule.match.partition(".")[2] for rule in finished.manifest().rules
    ]
    assert {rule.match.partition(".")[0] for rule in named.rules} == {"my-server"}
    assert finished_policy([*finished.tools(), "one_more"]) == finished


@pytest.mark.parametrize(("name", "tools"), [("filesystem", 14), ("memory", 9)])
def test_a_known_server_gets_its_finished_policy(call, tmp_path, name, tools):
    """Header, rules and all; nothing is left to be classed, and the live server finds no fault in it."""
    program, arguments = command(name)
    done = call("init", "mine", "--", program, *arguments, str(tmp_path))
    text = (tmp_path / "policy.yaml").read_text()
    assert (done.code, f"finished policy for {name}" in done.err, "TODO" in text) == (0, True, False)
    assert text.startswith(read_finished(name).text.partition("version: 1")[0])
    checked = call("check", "--manifest", "policy.yaml")
    assert (checked.code, checked.err) == (0, f"policy.yaml is fit to run: 1 server, {tools} tools.\n"), checked.out


def read(text):
    """A manifest that is sound."""
    return read_manifest(text, file="policy.yaml", variables={"ODD_TOKEN": "x"})
