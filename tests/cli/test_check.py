"""Checking a network and its policy (commands/check.py, checking.py)."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from entracte.core.policy.text.schema import manifest_schema
from tests.cli.conftest import Done

Call = Callable[..., Done]

SHOP = """
from entracte.agents import UNGATED, Agent, Models, Network, tool

@tool
def put(item: str, left: int) -> int:
    \"\"\"Set how many are left.\"\"\"
    return left

network = Network(
    entry=Agent(name="keeper", prompt="You keep a shop.", tools=[put]),
    models=Models(main="openai/m"),
    policy=POLICY,
)
"""


@pytest.fixture
def check(call: Call, tmp_path: Path, request: pytest.FixtureRequest) -> Callable[..., Done]:
    """Checks a network with this policy; each test has a module of its own, since modules are imported once."""
    module = f"checked_{abs(hash(request.node.nodeid))}"

    def run(rules: str, *arguments: str, policy: str = "'policy.yaml'") -> Done:
        (tmp_path / "policy.yaml").write_text(f"version: 1\ntools:\n{rules}")
        (tmp_path / f"{module}.py").write_text(SHOP.replace("POLICY", policy))
        return call("check", "--network", f"{module}:network", *arguments)

    return run


def test_a_fit_network_is_said_to_be_fit(call: Call):
    """On standard error, so that a script sees faults and warnings alone."""
    assert call("check", "--network", "stock:network") == Done(
        0, "", "stock:network is fit to run: 1 agent, 8 tools.\n"
    )  # fmt: skip
    assert call("check", "--network", "crm:network").code == 0


def test_a_script_that_is_not_there_and_a_name_of_no_model_are_faults(call: Call, tmp_path: Path):
    """Before a run fails by them."""
    (tmp_path / "odd.py").write_text(
        "from entracte.agents import Agent, Models, Network\n"
        "models = Models(main='scripted/no.yaml', light='nowhere/x')\n"
        "network = Network(entry=Agent(name='a', prompt='A.'), models=models)\n"
    )
    done = call("check", "--network", "odd:network")
    first, second, _ = done.out.splitlines()
    assert first.startswith("'nowhere/x' is no model.")
    assert second.startswith("The script 'no.yaml' cannot be read: ")
    assert (done.code, done.err) == (1, "error: odd:network: 2 faults, 1 warning.\n")


def test_every_fault_of_a_manifest_is_a_line_with_its_place(check: Callable[..., Done]):
    """As compilers print them, so that editors find the place."""
    done = check("  - {match: put, class: revertible}\n  - {match: get, klass: readonly}\n")
    places = [line.split(": ")[0] for line in done.out.splitlines()]
    assert (done.code, places) == (1, ["policy.yaml:3:25", "policy.yaml:4:5", "policy.yaml:4:18"]), done.out
    assert done.err.endswith(": 3 faults.\n")


def test_names_that_no_tool_has_are_faults_or_warnings(check: Callable[..., Done]):
    """A rule for no tool does nothing; an inverse that is no tool could never be called."""
    policy = (
        "  - {match: put, class: compensable, inverse: {tool: putt, args: {item: $.item}}}\n"
        "  - {match: sned, class: irreversible}\n"
    )
    done = check(policy)
    assert (done.code, done.out.split(": ")[:2]) == (
        1, ["policy.yaml:3:54", "tools[0].inverse.tool"],
    ), done.out  # fmt: skip
    done = check("  - {match: put, class: irreversible}\n  - {match: sned, class: irreversible}\n", "--json")
    assert done.code == 0
    assert json.loads(done.out)["warnings"][0].startswith("policy.yaml:4:13: warning: tools[1].match: matches no tool")


@pytest.mark.parametrize(
    ("policy", "warning"),
    [
        ("''", "No policy is given: every changing call waits for a person, and nothing can be undone."),
        ("UNGATED", "No policy is given: nothing waits for a person, or can be undone."),
    ],
)
def test_a_network_without_manifest_is_warned_of(check: Callable[..., Done], policy: str, warning: str):
    """Every call would be asked about unless somebody said never to ask, and none could be taken back."""
    done = check("", policy=policy)
    assert (done.code, done.out) == (0, f"{warning}\n")


def test_the_schema_of_manifests_is_printed_for_editors(call: Call):
    """Whichever network is named, and even where none can be built: it is of every manifest."""
    done = call("check", "--schema", "--network", "nowhere:network")
    assert (done.code, json.loads(done.out), done.err) == (0, manifest_schema(), "")


def test_a_network_that_cannot_be_built_has_a_fault(call: Call):
    """Whatever it is."""
    done = call("check", "--network", "nowhere:network")
    assert (done.code, "fails to import" in done.out, done.err) == (1, True, "error: nowhere:network: 1 fault.\n")
