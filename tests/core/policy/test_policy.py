"""A manifest applied to tools (policy.py)."""

import subprocess
import sys

import pytest

from entracte.agents import UNGATED
from entracte.core.policy.policy import Policy, asks_first
from entracte.core.tool_spec import ToolSpec
from tests.core.policy.manifests import SNAPSHOT, read, rule


def a_tool(name="it", **fields):
    """A tool that takes an id."""
    given = {"summary": "Does it.", "parameters": {"type": "object", "properties": {"id": {"type": "integer"}}}}
    return ToolSpec(name=name, **given | fields)


def policy(*lines):
    """A policy with one rule, for the tool `it`."""
    return Policy(read("\n".join(["version: 1", "tools:", "  - match: it", *(f"    {line}" for line in lines)])))


def test_a_rule_decides_of_timeout_and_idempotency():
    """And of the class, against what the tool says."""
    tool = a_tool(effect="readonly", idempotent=True, timeout_s=10)
    found = policy("class: irreversible", "timeout: 2m", "idempotent: false").rule_for(tool)
    assert (found.tool_class, found.timeout_s, found.idempotent) == ("irreversible", 120, False)


def test_what_the_rule_leaves_open_the_tool_says():
    """Its author knows it."""
    tool = a_tool(idempotent=True, timeout_s=10)
    found = policy("class: irreversible").rule_for(tool)
    assert (found.timeout_s, found.idempotent) == (10, True)


@pytest.mark.parametrize(
    ("effect", "tool_class", "gate"), [("readonly", "readonly", "never"), ("changing", "irreversible", "always")]
)
def test_without_a_rule_only_what_says_that_it_reads_is_let_through(effect, tool_class, gate):
    """In process; everything else is asked about."""
    found = policy("class: readonly").rule_for(a_tool("other", effect=effect))
    assert (found.tool_class, found.gate) == (tool_class, gate)


@pytest.mark.parametrize(
    ("effect", "tool_class", "gate"), [("readonly", "readonly", "never"), ("changing", "irreversible", "always")]
)
def test_without_a_manifest_a_person_is_asked_before_every_change(effect, tool_class, gate):
    """A destructive call never passes silently because somebody forgot a file; and nothing can be undone."""
    found = Policy().rule_for(a_tool(effect=effect))
    assert (found.tool_class, found.gate, found.inverse) == (tool_class, gate, None)


def test_who_says_so_is_never_asked():
    """For tests and toys."""
    assert UNGATED.rule_for(a_tool(effect="changing")).gate == "never"
    assert UNGATED.rule_for(a_tool(effect="readonly")).tool_class == "readonly"


def test_a_governed_tool_is_what_its_rule_makes_of_it():
    """So phases that look at the tool alone go by the policy too."""
    tool = a_tool(effect="readonly", timeout_s=10)
    assert policy("class: irreversible", "timeout: 5s", "idempotent: true").governed(tool) == a_tool(
        effect="changing", timeout_s=5, idempotent=True
    )
    assert policy("class: readonly").governed(a_tool()) == a_tool(effect="readonly")
    assert Policy().governed(tool) == tool


@pytest.mark.parametrize(
    ("gate", "arguments", "asks"),
    [
        ("always", {"sql": "SELECT 1"}, True),
        ("never", {"sql": "DROP TABLE t"}, False),
        ("on_write", {"sql": "SELECT 1"}, False),
        ("on_write", {"sql": "DROP TABLE t"}, True),
        ("on_write", {}, True),
    ],
)
def test_a_gate_asks_always_never_or_on_write(gate, arguments, asks):
    """On write by the arguments as they would be sent."""
    assert asks_first(rule("class: irreversible", f"gate: {gate}", SNAPSHOT), arguments) is asks


def test_the_sql_parser_is_loaded_only_for_gates_on_write():
    """It takes a tenth of a second of a cold start."""
    code = "import sys, entracte.core.policy.policy, entracte.core.policy.reading; print('sqlglot' in sys.modules)"
    environment = {"PYTHONPATH": ":".join(path for path in sys.path if path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout == "False\n"
