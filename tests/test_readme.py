"""The code of the README and of the page on networks runs as it stands there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
README, NETWORKS = "README.md", "infra/guide/networks.md"

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


def blocks(page: str, language: str) -> list[str]:
    """Code of a page in one language."""
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / page).read_text("utf-8"), re.DOTALL)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "clear.yaml").write_text(CLEAR)
    for name, text in zip(("policy.yaml", "shop.yaml"), blocks(NETWORKS, "yaml"), strict=True):
        (tmp_path / name).write_text(text)


def test_the_network_of_the_first_page_answers(capsys: pytest.CaptureFixture[str]):
    """The first screen promises it. Only the model's name is another, since no model serves this test."""
    served = '"openai/qwen2.5", base_url="http://localhost:11434/v1"'
    code = blocks(README, "python")[0].replace(served, '"scripted/clear.yaml"')
    namespace: dict[str, Any] = {"__name__": "weather_desk"}
    try:
        exec(compile(code, README, "exec"), namespace)
    finally:
        namespace["network"].close()
    assert capsys.readouterr().out == "The sky over Oslo is clear.\n"
    assert len([line for line in code.splitlines() if line.strip()]) <= 13


def test_the_network_of_the_page_on_networks_runs_and_is_undone():
    """Types, hooks, state, policy and budget in one network: it changes the stock, and the stock is put back."""
    namespace: dict[str, Any] = {"__name__": "shop"}
    exec(compile(blocks(NETWORKS, "python")[0], NETWORKS, "exec"), namespace)
    network = namespace["network"]
    try:
        run = network.run("Set tea to 5.").raise_for_status()
        assert (run.text, namespace["STOCK"]["tea"]) == ("Done: tea: 5", 5)
        assert (network.undo(run.id).status, namespace["STOCK"]["tea"]) == ("undone", 3)
    finally:
        network.close()
