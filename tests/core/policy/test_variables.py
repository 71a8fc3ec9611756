"""Variables in manifests (variables.py)."""

import pytest

from entracte.core.policy.server import CommandServer, UrlServer
from tests.core.policy.manifests import EXAMPLE, faults, read, rule


def test_variables_are_filled_in_in_servers_and_approvers():
    """What differs between deployments: addresses, secrets, people."""
    manifest = read(
        """
        version: 1
        servers:
          crm: {command: python, args: ["--for=${WHO}"], env: {TOKEN: "${TOKEN}"}}
          web: {url: "https://${HOST}/mcp", headers: {Authorization: "Bearer ${TOKEN}"}}
        tools:
          - {match: x, class: irreversible, approvers: ["${WHO}"]}
        """,
        WHO="Ops@example.com",
        TOKEN="s3cret",
        HOST="crm.example",
    )
    assert manifest.servers == {
        "crm": CommandServer(command="python", args=("--for=Ops@example.com",), env={"TOKEN": "${TOKEN}"}),
        "web": UrlServer(url="https://crm.example/mcp", headers={"Authorization": "Bearer ${TOKEN}"}),
    }
    assert manifest.rules[0].approvers == ("ops@example.com",)


def test_two_dollar_signs_are_one_in_servers_too():
    """Also before a brace."""
    server = read('{version: 1, servers: {x: {command: echo, args: ["$$5", "$${A}", "$$${A}"]}}}', A="b").servers["x"]
    assert server == CommandServer(command="echo", args=("$5", "${A}", "$b"))


def test_an_unset_variable_is_a_fault_at_its_place():
    """A server started with an empty token would fail later, and less clearly."""
    assert faults(EXAMPLE) == [
        "3:63: servers.crm.env.TOKEN: the variable CRM_TOKEN is not set, "
        "expected a value for CRM_TOKEN in the environment, found none",
        "4:66: servers.web.headers.Authorization: the variable CRM_TOKEN is not set, "
        "expected a value for CRM_TOKEN in the environment, found none",
    ]


@pytest.mark.parametrize("text", ["$TOKEN", "cost: $5", "${}", "${A-b}", "${A", "${1}", "$"])
def test_a_lone_dollar_sign_is_a_fault(text):
    """It is a variable with a slip, or a dollar sign with a slip."""
    assert faults(f"version: 1\nservers: {{x: {{command: echo, env: {{E: '{text}'}}}}}}", TOKEN="t", A="a") == [
        f"2:39: servers.x.env.E: a lone dollar sign, expected ${{NAME}} for a variable, or $$ for a dollar sign, "
        f"found '{text}'"
    ]


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("question: 'To ${WHO}?'", "4:15: tools[0].question: a variable, expected a reference such as $.id; variables "
         "are for servers and approvers, and $$ is a dollar sign, found 'To ${WHO}?'"),
        ("snapshot: {tool: get, args: {a: ['${WHO}']}}", "4:38: tools[0].snapshot.args.a[0]: a variable, expected a "
         "reference such as $.id; variables are for servers and approvers, and $$ is a dollar sign, found '${WHO}'"),
        ("snapshot: {tool: get, absent_when: '${WHO}'}", "4:40: tools[0].snapshot.absent_when: a variable, expected "
         "text as the tool writes it; variables are for servers and approvers, found '${WHO}'"),
        ("timeout: ${WHO}", "4:14: tools[0].timeout, expected a duration such as 30s, 5m, 2h or 7d, found '${WHO}'"),
    ],
)  # fmt: skip
def test_a_variable_elsewhere_is_a_fault(line, fault):
    """In templates a dollar sign means something else."""
    text = f"version: 1\ntools:\n  - match: it\n    {line}\n    class: irreversible\n"
    assert faults(text, WHO="x") == [fault]


def test_what_could_not_be_filled_in_is_one_fault():
    """Not also no e-mail address."""
    assert len(faults("{version: 1, tools: [{match: a, class: irreversible, approvers: ['${WHO}', '$WHO']}]}")) == 2


def test_in_templates_two_dollar_signs_before_a_brace_are_no_variable():
    """They are a literal one."""
    question = rule("class: irreversible", "question: 'Pay $${A}?'").question
    assert question is not None and question.resolve({}) == "Pay ${A}?"


def test_what_a_variable_holds_is_never_shown():
    """Neither in a fault nor when a manifest is printed."""
    found = faults('{version: 1, servers: {x: {url: "${URL}"}}}', URL="s3cret")
    assert found == [
        "1:33: servers.x.url, expected a URL that begins with https:// or http://, found '${URL}'",
    ]
    assert "s3cret" not in repr(read(EXAMPLE, CRM_TOKEN="s3cret"))


def test_a_variable_may_hold_dollar_signs_and_braces():
    """What was filled in is not looked at again."""
    server = read('{version: 1, servers: {x: {command: "${A}"}}}', A="$ ${B} $$").servers["x"]
    assert server == CommandServer(command="$ ${B} $$")
