"""The guide's code runs as it stands there."""

import re
from pathlib import Path

from entracte.core.editing.reading import read_edits

GUIDE = (Path(__file__).resolve().parents[2] / "infra" / "guide" / "artifacts.md").read_text("utf-8")


def test_the_network_of_the_guide_is_one():
    """It has the tools that the guide speaks of, and keeps results."""
    (code,) = re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL)
    namespace = {"__name__": "guide"}
    exec(code, namespace)
    blueprint = namespace["network"].blueprint
    named = set(re.findall(r"`(\w+_artifacts?)`", GUIDE))
    assert named == {name for name in blueprint.agents["writer"].tools if "artifact" in name}
    assert blueprint.artifacts


def test_the_block_of_the_guide_is_an_edit():
    """As models write it."""
    (edit,) = read_edits(GUIDE)
    assert edit.replace == "3. The letter burns.\n"
