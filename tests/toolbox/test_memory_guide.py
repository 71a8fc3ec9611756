"""The guide's code runs as it stands there (infra/guide/memory.md)."""

import re
from pathlib import Path

from entracte.client import Client
from entracte.own_memories import OwnMemories
from entracte.toolbox.memory import memory_tools

GUIDE = (Path(__file__).resolve().parents[2] / "infra" / "guide" / "memory.md").read_text("utf-8")


def test_the_networks_of_the_guide_are_ones():
    """With the tools and the memory that the guide speaks of."""
    namespace = {"__name__": "guide"}
    for code in re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL):
        exec(code, namespace)
    blueprint = namespace["network"].blueprint
    assert blueprint.memory.persona == "mika"
    assert {name for name in blueprint.agents["desk"].tools if f"`{name}`" in GUIDE} == {t.name for t in memory_tools}


def test_the_client_has_what_the_guide_names():
    """Each verb of the table."""
    verbs = set(re.findall(r"client\.memories\.(\w+)\(", GUIDE))
    assert verbs == {"list", "everything", "forget", "forget_all"}
    assert verbs <= set(vars(OwnMemories))
    assert isinstance(Client.memories, property)
