"""The page on the toolbox says what is true (infra/guide/toolbox.md)."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from entracte.toolbox.ask_user import ask_user
from entracte.toolbox.current_time import current_time
from entracte.toolbox.files import FileTools
from entracte.toolbox.plan_task import plan_task
from entracte.toolbox.record_thought import record_thought
from entracte.toolbox.report_progress import report_progress
from entracte.toolbox.respond import respond
from entracte.toolbox.search import web_search
from entracte.toolbox.shell import shell_tool
from entracte.toolbox.web import http_get, open_url

GUIDE = (Path(__file__).resolve().parents[2] / "infra" / "guide" / "toolbox.md").read_text("utf-8")


def test_the_code_of_the_page_is_a_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """With the tools that it names."""
    (tmp_path / "papers").mkdir()
    monkeypatch.chdir(tmp_path)
    namespace = {"__name__": "guide"}
    for code in re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL):
        exec(code, namespace)
    assert set(namespace["network"].blueprint.agents["clerk"].tools) == {
        *("ask_user", "current_time", "web_search", "open_url", "shell"),
        *("read_file", "list_files", "count_lines", "write_file"),
    }


def test_the_table_has_every_tool_with_its_class_and_gate(tmp_path: Path):
    """As the tools' own rules have them."""
    tools = [
        *(ask_user, current_time, report_progress, record_thought, plan_task, respond, web_search, open_url, http_get),
        *FileTools(tmp_path).all,
        shell_tool(allow=["ls"], folder=tmp_path),
    ]
    rows = re.findall(r"^\| `(\w+)` \| `\w+` \| [^|]+ \| (\w+)([^|]*) \|", GUIDE, re.MULTILINE)
    assert {name: (what, "a person" in gate) for name, what, gate in rows} == {
        tool.name: (
            (tool.spec.rule.tool_class, tool.spec.rule.gate == "always") if tool.spec.rule else ("readonly", False)
        )
        for tool in tools
    }


def test_a_network_without_them_imports_none_of_them():
    """Cold starts pay for what is used, and for nothing else."""
    bare = "import sys, entracte.agents, entracte.runtime.compose, entracte.toolbox"
    done = subprocess.run(
        [sys.executable, "-c", f"{bare}\nprint(*sys.modules)"], capture_output=True, text=True, check=True
    )
    unwanted = ("entracte.toolbox.", "entracte.outbound", "markdownify", "bs4", "httpcore", "httpx")
    assert [name for name in done.stdout.split() if name.startswith(unwanted)] == []


def test_a_network_with_them_imports_no_heavy_package_before_it_calls():
    """Neither a client nor a parser."""
    wanted = "import sys, entracte.toolbox.web, entracte.toolbox.search, entracte.toolbox.files"
    done = subprocess.run(
        [sys.executable, "-c", f"{wanted}\nprint(*sys.modules)"], capture_output=True, text=True, check=True
    )
    assert [n for n in done.stdout.split() if n.startswith(("markdownify", "bs4", "httpcore", "httpx"))] == []
