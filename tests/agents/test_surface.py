"""What a network author imports (agents/__init__.py)."""

import importlib
import inspect

import entracte.agents
from entracte.agents import ToolContext


def test_the_names_of_the_authoring_api_are_pinned():
    """A name that goes, or comes, is a decision that users will notice."""
    assert entracte.agents.__all__ == [
        "UNGATED",
        "Agent",
        "Blocked",
        "Budget",
        "Call",
        "Event",
        "Hook",
        "Key",
        "Memory",
        "Model",
        "ModelReply",
        "ModelRequest",
        "Models",
        "Network",
        "Observer",
        "Pipeline",
        "Prepared",
        "Route",
        "Router",
        "Secret",
        "Stage",
        "State",
        "Tool",
        "ToolContext",
        "ToolError",
        "ToolResult",
        "ToolReturn",
        "ToolSpec",
        "data_folder",
        "tool",
    ]


def test_every_name_is_there_and_says_what_it_is():
    """Its docstring is the manual."""
    module = importlib.import_module("entracte.agents")
    assert [name for name in module.__all__ if not inspect.getdoc(getattr(module, name))] == []


def test_a_tools_context_offers_what_the_manual_says():
    """Attributes and verbs, by name."""
    verbs = {name for name in vars(ToolContext) if not name.startswith("_")}
    assert verbs == set(
        "actions artifacts memories deps state update_state progress secret ask_model disable_tool disable_agent "
        "terminate directives reported".split()
    )
