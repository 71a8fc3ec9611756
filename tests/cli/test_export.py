"""Sessions as files, on the command line (commands/export.py)."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Done

Call = Callable[..., Done]


@pytest.fixture(autouse=True)
def session(call: Call) -> None:
    """A session called s, with a paper."""
    call("run", "count", "--session", "s", "--network", "stock:network")
    Path("outline.md").write_text("Eins.\n漢\n", encoding="utf-8")
    call("artifacts", "add", "Outline", "outline.md", "--session", "s")


def test_a_session_goes_through_a_file_and_goes_on(call: Call):
    """Into another store, with everything that it holds; exported again, it is the same."""
    assert call("export", "s", "talk.json").err == "Session s written to talk.json.\n"
    before = json.loads(Path("talk.json").read_text("utf-8"))
    loaded = call("load", "talk.json", "--session", "t", "--store", "other.db")
    assert loaded.err.startswith("Session t loaded. Go on: ")
    assert loaded.err.endswith(" chat --session t --store other.db\n")
    call("export", "t", "again.json", "--store", "other.db")
    after = json.loads(Path("again.json").read_text("utf-8"))
    assert after == before
    assert [turn["role"] for turn in after["turns"]] == ["user", "assistant"]
    call("run", "count", "--session", "t", "--network", "stock:network", "--store", "other.db")
    call("export", "t", "more.json", "--store", "other.db")
    assert [turn["number"] for turn in json.loads(Path("more.json").read_text("utf-8"))["turns"]] == [1, 2, 3, 4]


def test_with_json_an_export_goes_into_the_file_that_is_named_and_to_standard_output(call: Call):
    """Where none is named, to standard output alone."""
    done = call("export", "s", "talk.json", "--json")
    assert json.loads(Path("talk.json").read_text("utf-8")) == json.loads(done.out)
    assert call("export", "s", "--json") == done
    assert not Path("s.json").exists()


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("[]", "holds no session"),
        ("{", "cannot be read"),
        ("{}", "expected 'entracte.session/1'"),
        ('{"format": "entracte.session/1", "session": {}}', "No exported session"),
    ],
)
def test_what_is_no_session_is_refused(call: Call, content: str, told: str):
    """And nothing is written."""
    Path("bad.json").write_text(content, encoding="utf-8")
    done = call("load", "bad.json", "--session", "bad")
    assert (done.code, told in done.err) == (2, True)
    assert call("export", "bad").code == 1


def test_papers_of_a_file_lie_on_the_desk_of_its_session_alone(call: Call):
    """Whatever it says of them: it may be somebody else's."""
    call("export", "s", "talk.json")
    data = json.loads(Path("talk.json").read_text("utf-8"))
    data["artifacts"][0]["shared"] = True
    Path("talk.json").write_text(json.dumps(data), encoding="utf-8")
    call("load", "talk.json", "--session", "t", "--store", "other.db")
    call("run", "count", "--session", "u", "--network", "stock:network", "--store", "other.db")
    assert "Outline" in call("artifacts", "list", "--session", "t", "--store", "other.db").out
    assert "Outline" not in call("artifacts", "list", "--session", "u", "--store", "other.db").out


def test_an_id_that_could_be_a_path_is_refused(call: Call):
    """As it is for runs."""
    call("export", "s", "talk.json")
    done = call("load", "talk.json", "--session", "../runs")
    assert (done.code, "A session id has 1 to 64" in done.err) == (2, True)


def test_a_session_that_is_there_is_not_written_over(call: Call):
    """A file may be old."""
    call("export", "s", "talk.json")
    assert "There is a session 's' already." in call("load", "talk.json", "--session", "s").err
