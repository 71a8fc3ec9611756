"""Manifests to read, and what is wrong with them."""

from textwrap import dedent

import pytest

from entracte.core.policy.faults import ManifestError
from entracte.core.policy.manifest import Manifest
from entracte.core.policy.reading import read_manifest
from entracte.core.policy.rule import Rule

EXAMPLE = """\
version: 1
servers:                      # MCP servers; in-process tools are named without a dot
  crm: {command: python, args: [-m, crm.server], env: {TOKEN: "${CRM_TOKEN}"}}
  web: {url: "https://crm.example/mcp", headers: {Authorization: "Bearer ${CRM_TOKEN}"}}
tools:
  - match: crm.get_customer
    class: readonly
  - match: crm.update_customer
    class: reversible
    snapshot: {tool: crm.get_customer, args: {id: "$.id"}, absent_when: "not found"}
    inverse:  {tool: crm.update_customer, args: {id: "$.id", name: "$snapshot.name", plan: "$snapshot.plan"}}
    ignore: [updated_at]      # fields that drift checks leave out
    idempotent: true          # honours the idempotency key: may be called again after a crash
    timeout: 30s
  - match: crm.create_customer
    class: compensable
    inverse: {tool: crm.delete_customer, args: {id: "$result.id"}, absent_when: "not found"}
  - match: "crm.send_*"
    class: irreversible
    gate: always              # always | on_write | never
    approvers: [ops@example.com]
    quorum: 1
    four_eyes: true           # whoever asked may not approve
    editable: true            # an approver may change the arguments
    expires: never            # or a duration, with on_expiry: deny; a reminder goes out before
    question: "Send this mail to $.to?"
"""
"""The manifest of the design, and a second server."""

SNAPSHOT = "snapshot: {tool: get, args: {id: $.id}}"
INVERSE = "inverse: {tool: put, args: {id: $.id, name: $snapshot.name}}"


def read(text: str, **variables: str) -> Manifest:
    """Read a manifest that is sound."""
    return read_manifest(dedent(text), file="policy.yaml", variables=variables)


def rule(*lines: str) -> Rule:
    """The one rule of a manifest, given by its lines; the tool is called `it`."""
    return read(_with_rule(*lines)).rules[0]


def faults(text: str, **variables: str) -> list[str]:
    """All that is wrong with a manifest, without the file's name."""
    with pytest.raises(ManifestError) as caught:
        read(text, **variables)
    assert str(caught.value).splitlines() == [str(fault) for fault in caught.value.faults]
    return [str(fault).removeprefix("policy.yaml:") for fault in caught.value.faults]


def rule_faults(*lines: str) -> list[str]:
    """All that is wrong with a rule. Its lines begin in line 4, column 5."""
    return faults(_with_rule(*lines))


def _with_rule(*lines: str) -> str:
    return "\n".join(["version: 1", "tools:", "  - match: it", *(f"    {line}" for line in lines), ""])
