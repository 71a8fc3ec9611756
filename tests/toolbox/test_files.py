"""Files of one folder: what agents see of them, what waits, and what undo brings back (toolbox/files/)."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from entracte.errors import ConfigurationError, ToolError
from entracte.toolbox.files import FileTools
from tests.runtime.scenes import value
from tests.toolbox.desk import Desk

SECRET = "the password"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with some files, and links that lead out of it; beside it a secret."""
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    (inside / "notes").mkdir(parents=True)
    outside.mkdir()
    (outside / "secret.txt").write_text(SECRET)
    (inside / "plan.md").write_text("one\ntwo\nthree\n")
    (inside / "notes" / "a.md").write_text("Ada")
    (inside / "good").symlink_to("notes")
    (inside / "out").symlink_to(outside)
    (inside / "notes" / "secret").symlink_to("../../outside/secret.txt")
    (inside / "loop").symlink_to("loop")
    (inside / "nowhere").symlink_to(outside / "new.txt")
    os.mkfifo(inside / "pipe")
    return inside


def picture(folder: Path) -> dict[str, Any]:
    """Every file below a folder: its bytes and its mode; links as where they lead."""
    found: dict[str, Any] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            found[name] = path.readlink()
        elif path.is_file():
            found[name] = (path.read_bytes(), path.stat().st_mode)
        else:
            found[name] = path.stat().st_mode
    return found


OUT = [
    "../outside/secret.txt",
    "out/secret.txt",
    "notes/secret",
    "notes/../../outside/secret.txt",
    "good/../out/secret.txt",
    "/etc/passwd",
    "nowhere",
    "..",
]


@pytest.mark.parametrize("path", OUT)
def test_no_path_and_no_link_leads_out(folder: Path, path: str):
    """Neither for reading nor for writing, listing or counting; nothing outside changes."""
    tools = FileTools(folder)
    before = picture(folder.parent)
    for call in (tools.read_file, tools.count_lines, tools.list_files):
        with pytest.raises(ToolError, match="leads out of the folder"):
            call(path=path)
    with pytest.raises(ToolError, match="leads out of the folder"):
        tools.write_file(path=path, content="mine")
    assert picture(folder.parent) == before


@pytest.mark.parametrize("path", ["loop", "a\0b", "\ud800", "x" * 2000, "pipe", ".", "notes", "gone.txt"])
def test_what_is_no_file_is_not_read(folder: Path, path: str):
    """A loop, a pipe that nobody writes into, a folder, no path at all, nothing."""
    with pytest.raises(ToolError):
        FileTools(folder).read_file(path=path)


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("notes/b.md", "There is no 'notes/b.md'. What there is: a.md, secret."),
        ("path/to/plan.md", "There is no 'path'. What there is: good, loop, notes, nowhere, out, pipe, plan.md."),
    ],
)
def test_who_asks_for_what_is_not_there_is_told_what_is(folder: Path, path: str, told: str):
    """Up to where the path was right."""
    with pytest.raises(ToolError) as refused:
        FileTools(folder).read_file(path=path)
    assert str(refused.value) == told


def test_a_link_that_is_put_there_meanwhile_is_not_followed(folder: Path, monkeypatch: pytest.MonkeyPatch):
    """Between the look at the path and its opening, the folder becomes a link that leads out."""
    tools = FileTools(folder)
    real = Path.resolve

    def raced(path: Path, strict: bool = False) -> Path:
        found = real(path, strict)
        if found == folder / "notes" / "secret.txt":
            shutil.rmtree(folder / "notes", ignore_errors=True)
            if not (folder / "notes").is_symlink():
                (folder / "notes").symlink_to(folder.parent / "outside")
        return found

    (folder / "notes" / "secret.txt").write_text("mine")
    monkeypatch.setattr(Path, "resolve", raced)
    with pytest.raises(ToolError, match="a link that has just been put there"):
        tools.read_file(path="notes/secret.txt")
    with pytest.raises(ToolError, match="leads out of the folder"):  # by now it simply does
        tools.write_file(path="notes/secret.txt", content="gone")
    assert (folder.parent / "outside" / "secret.txt").read_text() == SECRET


def test_a_file_is_read_200_lines_at_a_time(folder: Path):
    """With how many more there are; long lines are cut, and say so."""
    (folder / "long.txt").write_text("".join(f"line {n}\n" for n in range(1, 451)))
    (folder / "wide.txt").write_text("x" * 5000 + "\nend")
    tools = FileTools(folder)
    first = tools.read_file(path="long.txt")
    assert (first["lines"], first["more"], first["content"].count("\n")) == ("1 to 200 of 450", "250 more lines", 200)
    last = tools.read_file(path="long.txt", first_line=449)
    assert last == {"path": "long.txt", "lines": "449 to 450 of 450", "content": "line 449\nline 450\n", "more": ""}
    assert tools.read_file(path="long.txt", first_line=900)["lines"] == "0 of 450"
    assert tools.read_file(path="wide.txt")["content"] == "x" * 2000 + "… 3,001 more characters\nend"
    assert tools.read_file(path="good/a.md")["content"] == "Ada"


def test_what_is_too_long_or_no_text_is_refused(folder: Path):
    """Without being read into memory: this one is a terabyte of nothing."""
    with (folder / "huge").open("wb") as file:
        file.truncate(10**12)
    (folder / "binary").write_bytes(b"\x7fELF\0\0\0")
    tools = FileTools(folder)
    with pytest.raises(ToolError, match=r"'huge' has 1,000,000,000,000 bytes; at most 10,000,000 are read"):
        tools.read_file(path="huge")
    with pytest.raises(ToolError, match="'binary' is no text"):
        tools.read_file(path="binary")


def test_files_are_listed_with_their_sizes_and_links_are_named_but_not_followed(folder: Path):
    """One folder, or all below it; by pattern."""
    tools = FileTools(folder)
    assert tools.list_files() == {
        "files": [
            {"path": "good", "kind": "link"},
            {"path": "loop", "kind": "link"},
            {"path": "notes/"},
            {"path": "nowhere", "kind": "link"},
            {"path": "out", "kind": "link"},
            {"path": "pipe", "kind": "device or pipe"},
            {"path": "plan.md", "bytes": 14},
        ],
        "more": "",
    }
    assert [entry["path"] for entry in tools.list_files(pattern="*.md", deep=True)["files"]] == [
        "notes/a.md",
        "plan.md",
    ]
    assert [entry["path"] for entry in tools.list_files(path="good")["files"]] == ["notes/a.md", "notes/secret"]


def test_a_long_list_ends(folder: Path):
    """And says how much it leaves out."""
    for number in range(510):
        (folder / "notes" / f"{number:03}").touch()
    shown = FileTools(folder).list_files(path="notes")
    assert (len(shown["files"]), shown["more"]) == (500, "12 more")


@pytest.mark.parametrize(("text", "lines"), [("", 0), ("a", 1), ("a\n", 1), ("a\nb", 2), ("\n\n", 2)])
def test_lines_are_counted_as_people_count_them(folder: Path, text: str, lines: int):
    """A last line without an ending is one."""
    (folder / "x").write_text(text)
    assert FileTools(folder).count_lines(path="x") == {"path": "x", "lines": lines, "bytes": len(text)}


def desk(folder: Path, gate: str = "never") -> Desk:
    """A desk with the tools of the folder."""
    tools = FileTools(folder)
    return Desk([*tools.readonly, tools.write_file.gated("always" if gate == "always" else "never")])


def test_a_write_waits_with_a_diff(folder: Path):
    """The person sees what would change; the file is as it was until they agree."""
    at = desk(folder, "always")
    run = at.ask(("write_file", {"path": "good/../plan.md", "content": "one\n2\nthree\n"}))
    (gate,) = at.gates(run)
    assert gate.question == "Write the file plan.md?"
    assert [line for line in gate.preview if line.startswith("|")] == [
        "|  @@ -1,3 +1,3 @@",
        "|  one",
        "|- two",
        "|+ 2",
        "|  three",
    ]
    assert (folder / "plan.md").read_text() == "one\ntwo\nthree\n"
    assert at.decide(run).status == "succeeded"
    assert (folder / "plan.md").read_text() == "one\n2\nthree\n"


WRITES = {
    "over a text": {"path": "plan.md", "content": "new\r\n"},
    "over bytes": {"path": "bytes", "content": "text"},
    "a new one": {"path": "new.txt", "content": "new"},
    "in new folders": {"path": "a/b/c.txt", "content": "new"},
    "through a link": {"path": "good/a.md", "content": "Eve"},
}


@pytest.mark.parametrize("write", WRITES)
def test_undo_brings_every_byte_back(folder: Path, write: str):
    """And modes; files and folders that were made are gone."""
    (folder / "bytes").write_bytes(bytes(range(256)))
    (folder / "bytes").chmod(0o750)
    before, at = picture(folder), desk(folder)
    run = at.ask(("write_file", WRITES[write]))
    assert [action.status for action in at.actions(run)] == ["applied"]
    assert picture(folder) != before
    run = at.undo(run)
    assert (run.status, at.actions(run)[0].reversal.verified, picture(folder)) == ("undone", True, before)


def test_undo_leaves_what_others_have_written_since(folder: Path):
    """It stops at a file that somebody changed, and takes no folder that somebody uses."""
    at = desk(folder)
    run = at.ask(("write_file", {"path": "plan.md", "content": "mine"}))
    (folder / "plan.md").write_text("theirs")
    assert at.undo(run).status != "undone"
    assert (folder / "plan.md").read_text() == "theirs"
    at = desk(folder)
    run = at.ask(("write_file", {"path": "a/b/c.txt", "content": "mine"}))
    (folder / "a" / "theirs").touch()
    at.undo(run)
    assert [path.name for path in (folder / "a").iterdir()] == ["theirs"]


def test_what_was_approved_is_not_written_over_something_else(folder: Path):
    """The file has changed while the gate was open: the call fails, and the agent is told to read it again."""
    at = desk(folder, "always")
    run = at.ask(("write_file", {"path": "plan.md", "content": "mine"}))
    (folder / "plan.md").write_text("theirs")
    at.decide(run)
    (action,) = at.actions(run)
    assert (action.status, (folder / "plan.md").read_text()) == ("failed", "theirs")
    assert "has changed since" in action.error


def test_a_second_attempt_of_a_write_finds_the_first(folder: Path):
    """Its version has passed, and all is well."""
    tools = FileTools(folder)
    version = "new"
    for _ in range(2):
        assert tools.write_file(path="x", content="x", version=version)["bytes"] == 1


def test_what_could_not_be_undone_is_not_written(folder: Path):
    """A file that is too large to be kept, and no change at all."""
    (folder / "large").write_bytes(b"x" * 1_000_001)
    at = desk(folder)
    run = at.ask(
        ("write_file", {"path": "large", "content": "x"}), ("write_file", {"path": "notes/a.md", "content": "Ada"})
    )
    large, same = at.actions(run)
    assert (large.status, same.status) == ("failed", "failed")
    assert "has 1,000,001 bytes; at most 1,000,000" in large.error and "change nothing" in same.error


def test_the_agent_reads_a_file_in_a_run(folder: Path):
    """As any tool."""
    at = desk(folder)
    run = at.ask(("read_file", {"path": "notes/a.md"}))
    assert value(at.actions(run)[0].result)["content"] == "Ada"


def test_a_folder_that_is_none_is_told_at_once(tmp_path: Path):
    """When the network is built."""
    with pytest.raises(ConfigurationError, match="is no folder"):
        FileTools(tmp_path / "gone")
