"""The code analyser, by its script (analyser/)."""

from pathlib import Path

import pytest

import bundle
from analyser.network import analyser
from entracte.agents import Network
from tests.samples.conftest import Open

HOW = "How can a change of the sales be taken back?"


@pytest.fixture
def analyst(opened: Open) -> Network:
    """The sample, over this repository."""
    return opened(analyser(str(bundle.ROOT)))


def test_an_answer_quotes_the_files_with_path_and_line(analyst: Network):
    """As they stand there: whoever changes the file changes the answer."""
    sales = bundle.ROOT / "shared" / "sales"
    code, schema = ((sales / name).read_text().splitlines() for name in ("changes.py", "shop.sql"))
    assert analyst.run(HOW).raise_for_status().text.split("\n") == [
        f"shared/sales/changes.py:3 says: {code[2]} shared/sales/shop.sql:18 says: {schema[17]}"
    ]


def test_readers_work_at_once_each_on_a_file_of_its_own(analyst: Network):
    """Asked with a path and a question, they answer with a finding that fits its schema."""
    run = analyst.run(HOW).raise_for_status()
    found = [e["data"]["result"] for e in analyst.events(run.id) if e["type"] == "tool.result"]
    findings = [f for f in found if isinstance(f, dict) and "quotation" in f]
    assert sorted((f["path"], f["line"]) for f in findings) == [
        ("shared/sales/changes.py", 3),
        ("shared/sales/shop.sql", 18),
    ]


def test_nothing_outside_of_the_folder_is_read(opened: Open, tmp_path: Path):
    """In a folder without the files the agents are told so, and so is the person."""
    (tmp_path / "shared").symlink_to(bundle.ROOT / "shared")
    run = opened(analyser(str(tmp_path))).run(HOW).raise_for_status()
    assert run.text.startswith("shared/sales/changes.py:3 says: 'shared/sales/changes.py' leads out of the folder.")


def test_no_agent_has_a_tool_that_changes_anything():
    """So there is nothing to approve, and nothing to undo."""
    tools = analyser(".").blueprint.tools
    assert {name: spec.effect for name, spec in tools.items()} == dict.fromkeys(
        ("list_files", "count_lines", "read_file"), "readonly"
    )
