"""The README's code runs as it stands there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

README = (Path(__file__).resolve().parents[1] / "README.md").read_text("utf-8")

SHOP = """
version: 1
replies:
  - when: {agent: desk, purpose: plan, step: 1}
    reply: {calls: [{tool: keeper, args: {message: "Set tea to 5."}}]}
  - when: {agent: desk, purpose: plan}
    reply: {answer: "Done: $state.levels[0].text"}
  - when: {agent: keeper, purpose: plan, step: 1}
    reply: {calls: [{tool: look_up, args: {item: tea}}, {tool: look_up, args: {item: salt}}]}
  - when: {agent: keeper, purpose: plan, step: 2}
    reply: {calls: [{tool: set_level, args: {item: tea, left: 5}}]}
  - when: {agent: keeper, purpose: evaluate, step: 2}
    reply: {verdicts: [], state: {levels: ["tea: $results[0].result.left"]}}
  - when: {agent: keeper, purpose: plan}
    reply: {answer: "Tea is at 5."}
"""

CLEAR = """
version: 1
replies:
  - when: {purpose: plan, step: 1}
    reply: {calls: [{tool: weather, args: {city: Oslo}}]}
  - when: {purpose: evaluate}
    reply: {verdicts: [], state: {facts: ["The sky over $results[0].result.city is $results[0].result.sky."]}}
  - when: {purpose: plan}
    reply: {answer: "$state.facts[0].text"}
"""


def blocks(language: str) -> list[str]:
    """Code of the README in one language."""
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shop.yaml").write_text(SHOP)
    (tmp_path / "clear.yaml").write_text(CLEAR)
    (tmp_path / "policy.yaml").write_text(blocks("yaml")[0])


def test_the_network_of_the_first_page_answers(capsys: pytest.CaptureFixture[str]):
    """The first screen promises it. Only the model's name is another, since no model serves this test."""
    served = '"openai/qwen2.5", base_url="http://localhost:11434/v1"'
    code = blocks("python")[0].replace(served, '"scripted/clear.yaml"')
    namespace: dict[str, Any] = {"__name__": "weather_desk"}
    try:
        exec(compile(code, "README.md", "exec"), namespace)
    finally:
        namespace["network"].close()
    assert capsys.readouterr().out == "The sky over Oslo is clear.\n"
    assert len([line for line in code.splitlines() if line.strip()]) <= 13


def test_the_network_of_the_second_page_runs_and_is_undone():
    """Types, hooks, state, policy and budget in one network: it changes the stock, and the stock is put back."""
    namespace: dict[str, Any] = {"__name__": "shop"}
    exec(compile(blocks("python")[1], "README.md", "exec"), namespace)
    network = namespace["network"]
    try:
        run = network.run("Set tea to 5.").raise_for_status()
        assert (run.text, namespace["STOCK"]["tea"]) == ("Done: tea: 5", 5)
        assert (network.undo(run.id).status, namespace["STOCK"]["tea"]) == ("undone", 3)
    finally:
        network.close()
