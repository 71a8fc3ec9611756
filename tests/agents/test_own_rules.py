"""Rules that tools bring along, and how a network's manifest goes before them (core/policy/own_rule.py)."""

from typing import Any

import pytest
from pydantic import BaseModel
from typing_extensions import TypedDict

from entracte.agents import UNGATED, Agent, Models, Network, tool
from entracte.errors import ConfigurationError


@tool(effect="readonly")
def read_lamp(room: str) -> bool:
    """Tell whether a lamp is on."""
    return bool(room)


def switch_lamp(room: str, on: bool) -> bool:
    """Switch a lamp."""
    return on and bool(room)


RULE = {
    "class": "reversible",
    "gate": "always",
    "question": "Switch the lamp in $.room?",
    "snapshot": {"tool": "read_lamp", "args": {"room": "$.room"}},
    "inverse": {"tool": "switch_lamp", "args": {"room": "$.room", "on": "$snapshot"}},
}


def lamp(rule=RULE, **options):
    """The tool that switches a lamp."""
    return tool(rule=rule, **{"needs": [read_lamp]} | options)(switch_lamp)


def network(*tools, **arguments):
    """A network of one agent with these tools."""
    return Network(entry=Agent(name="desk", tools=tools), models=Models(main="scripted/x"), **arguments)


def rule_in(network, name="switch_lamp"):
    """The rule that counts for a tool of the network."""
    return network.policy.rule_for(network.blueprint.tools[name])


def manifest(tmp_path, *lines):
    """A manifest on file."""
    path = tmp_path / "policy.yaml"
    path.write_text("\n".join(["version: 1", "tools:", *lines]))
    return str(path)


def test_a_tool_brings_its_rule_along():
    """Without a manifest, what a tool says of its own calls counts, in full."""
    found = rule_in(network(lamp()))
    assert (found.tool_class, found.gate, found.snapshot.tool, found.inverse.tool) == (
        "reversible",
        "always",
        "read_lamp",
        "switch_lamp",
    )


def test_what_a_rule_needs_comes_along_unseen():
    """Tools that the rule calls are in the network, and no agent sees them that was not given them."""
    found = network(lamp()).blueprint
    assert (set(found.tools), found.agents["desk"].tools) == ({"switch_lamp", "read_lamp"}, ("switch_lamp",))


def test_a_manifest_that_names_other_tools_leaves_it_alone(tmp_path):
    """The rule of a tool that the manifest does not name is its own, not that of unknown tools."""
    found = network(lamp(), policy=manifest(tmp_path, "  - {match: read_lamp, class: readonly}"))
    assert rule_in(found).tool_class == "reversible"


@pytest.mark.parametrize("pattern", ["switch_lamp", "switch_*", "'*'"])
def test_a_manifest_that_names_it_counts(tmp_path, pattern):
    """A network's own word goes before the tool's, by name or by pattern."""
    path = manifest(tmp_path, f"  - {{match: {pattern}, class: irreversible}}")
    assert rule_in(network(lamp(), policy=path)).tool_class == "irreversible"


def test_ungated_silences_its_gate_and_keeps_its_way_back():
    """A network of which nobody is ever asked can still undo what its tools know to undo."""
    found = rule_in(network(lamp(), policy=UNGATED))
    assert (found.gate, found.inverse.tool) == ("never", "switch_lamp")


def test_a_gate_can_be_set_where_the_tool_is_given():
    """`gated` changes when a person is asked and nothing else."""
    assert rule_in(network(lamp().gated("never"))).gate == "never"
    assert rule_in(network(lamp().gated("never").gated("always"))) == rule_in(network(lamp()))


def test_a_tool_without_a_rule_has_no_gate_to_set():
    """Its gate is the manifest's to say."""
    with pytest.raises(ConfigurationError, match=r"'read_lamp' has no rule of its own\. Write its gate into the polic"):
        read_lamp.gated("always")


def test_a_rule_is_part_of_what_is_declared():
    """Networks that differ in a tool's rule are different versions."""
    assert network(lamp()).blueprint.version != network(lamp().gated("never")).blueprint.version


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        ({"class": "revertible"}, "Tool 'switch_lamp': its own rule: class, expected"),
        ({"class": "reversible"}, "its own rule: the rule: a reversible tool without inverse, expected inverse: {tool"),
        ({"clas": "readonly", "class": "readonly"}, "its own rule: clas"),
        (RULE | {"question": "Switch $lamp.x?"}, "its own rule: question: a malformed template"),
    ],
)
def test_a_faulty_rule_stops_the_declaration(rule, told):
    """A rule that cannot be understood is an error where the tool is declared."""
    with pytest.raises(ConfigurationError) as error:
        lamp(rule)
    assert told in str(error.value)


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        (
            lambda: lamp(needs=[]),
            "Tool 'switch_lamp': its own rule: snapshot.tool: no such tool, expected one of switch_lamp, found",
        ),
        (
            lambda: lamp(RULE | {"snapshot": {"tool": "switch_lamp", "args": {"room": "$.room", "on": True}}}),
            "snapshot.tool: switch_lamp is not readonly by this policy, expected a readonly tool, found reversible",
        ),
        (
            lambda: lamp(RULE | {"snapshot": {"tool": "read_lamp", "args": {"room": "$.hall"}}}),
            "snapshot.args.room: switch_lamp has no such argument, expected one of on, room, found '$.hall'",
        ),
    ],
)
def test_a_rule_that_does_not_fit_the_tools_stops_the_network(broken, told):
    """Names and arguments of a tool's own rule are checked as a manifest's are."""
    with pytest.raises(ConfigurationError) as error:
        network(broken())
    assert told in str(error.value)


class Level(BaseModel):
    """What is left of an item."""

    left: int


class Shelf(TypedDict):
    levels: list[Level]


@tool(effect="readonly")
def look_up(item: str) -> Level:
    """Look up what is left."""
    return Level(left=len(item))


@tool(effect="readonly")
def look_around(item: str) -> Shelf:
    """Look at all."""
    return {"levels": [Level(left=len(item))]}


@tool(effect="readonly")
def look_anywhere(item: str) -> dict[str, Any]:
    """Look at what nobody has declared."""
    return {"left": item}


@pytest.mark.parametrize(
    ("reader", "path", "found"),
    [
        (look_up, "$snapshot.left", ""),
        (look_up, "$snapshot.lleft", "inverse.args.left: look_up gives no such value"),
        (look_up, "$result.lleft", "inverse.args.left: set_level gives no such value"),
        (look_around, "$snapshot.levels[0].left", ""),
        (look_around, "$snapshot.levels[0].lleft", "inverse.args.left: look_around gives no such value"),
        (look_anywhere, "$snapshot.lleft", ""),
    ],
)
def test_what_an_inverse_takes_from_a_snapshot_is_looked_for_in_what_its_reader_declares(reader, path, found):
    """An undo would find it missing. A reader that declares no fields may give anything."""

    def set_level(item: str, left: int) -> Level:
        """Set what is left."""
        return Level(left=left)

    rule = {
        "class": "reversible",
        "snapshot": {"tool": reader.name, "args": {"item": "$.item"}},
        "inverse": {"tool": "set_level", "args": {"item": "$.item", "left": path}},
    }
    try:
        network(tool(rule=rule, needs=[reader])(set_level))
        said = ""
    except ConfigurationError as error:
        said = str(error)
    end = f", expected a path into its declared result, found '{path}'"
    assert said == (f"Tool 'set_level': its own rule: {found}{end}" if found else "")
