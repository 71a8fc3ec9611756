"""The desk's policy, against its tools and its database (policy.yaml)."""

from importlib import resources
from typing import Any

import pytest

from crm import network
from crm.database import dump
from crm.deps import Crm
from entracte.core.policy.calling import says_absent
from entracte.core.policy.checking import check_against
from entracte.core.policy.policy import Policy
from entracte.core.policy.preview import preview
from entracte.core.policy.prior_values import prior_values
from entracte.core.policy.question import question
from entracte.core.policy.reading import read_manifest
from tests.crm.test_tools import ADA, call

MANIFEST = read_manifest((resources.files("crm") / "policy.yaml").read_text("utf-8"), file="policy.yaml", variables={})
TOOLS = network.blueprint.tools


def test_it_fits_the_tools():
    """Every name is there, every argument fits, and nothing needs a second look."""
    assert check_against(MANIFEST, TOOLS) == ((), ())


def test_every_tool_has_a_rule_and_only_mail_waits_for_a_person():
    """What can be undone is not asked about."""
    rules = {name: MANIFEST.rule_for(name) for name in TOOLS}
    assert {name: (rule.tool_class, rule.gate) for name, rule in rules.items()} == {
        "search_customers": ("readonly", "never"),
        "get_customer": ("readonly", "never"),
        "list_invoices": ("readonly", "never"),
        "update_customer": ("reversible", "never"),
        "create_customer": ("compensable", "never"),
        "delete_customer": ("reversible", "never"),
        "send_email": ("irreversible", "always"),
    }
    assert all(rule.match for rule in rules.values())


def test_it_promises_no_more_than_the_tools_do():
    """A rule that says idempotent of a tool that is not would repeat a change."""
    assert {name for name in TOOLS if Policy(MANIFEST).rule_for(TOOLS[name]).idempotent} == {
        "update_customer",
        "create_customer",
        "delete_customer",
    }


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("update_customer", {"id": 17, "plan": "Enterprise"}),
        (
            "update_customer",
            {"id": 17, "name": "A", "email": "a@b.example", "plan": "Pro", "country": "", "notes": "x\ny"},
        ),
        ("delete_customer", {"id": 431}),
        ("create_customer", {"name": "Hedy Lamarr", "email": "hedy@hopping.example"}),
        ("create_customer", {"name": "Hedy Lamarr", "email": "hedy@hopping.example", "since": "2020-02-29", "id": 900}),
    ],
)
def test_the_inverse_of_a_change_leaves_the_records_as_they_were(crm: Crm, tool: str, arguments: dict[str, Any]):
    """To the letter, whatever was changed."""
    rule = MANIFEST.rule_for(tool)
    before = dump(crm.database)
    known: dict[str, Any] = {"$": arguments}
    if rule.snapshot is not None:
        known["$snapshot"] = call(crm, rule.snapshot.tool, rule.snapshot.args.resolve(known)).result
    known["$result"] = call(crm, tool, arguments, key="change").result
    assert dump(crm.database) != before
    assert rule.inverse is not None
    assert call(crm, rule.inverse.tool, rule.inverse.args.resolve(known), key="undo").ending == "applied"
    assert dump(crm.database) == before


@pytest.mark.parametrize("tool", ["update_customer", "create_customer", "delete_customer"])
def test_a_customer_who_is_not_there_is_told_from_an_error(crm: Crm, tool: str):
    """By the text of the tool that is asked."""
    rule = MANIFEST.rule_for(tool)
    asked = rule.snapshot or rule.inverse
    assert asked is not None
    assert says_absent(asked, call(crm, asked.tool, {"id": 999}).error)
    assert not says_absent(asked, "The customer database was busy for 10 s; nothing was changed.")


def test_an_approver_sees_whom_a_change_is_about():
    """The change first, then the rest of the record."""
    arguments = {"id": 17, "plan": "Pro"}
    prior = prior_values(MANIFEST.rule_for("update_customer"), "update_customer", arguments, ADA)
    assert preview(TOOLS["update_customer"].summary, arguments, ADA, prior=prior) == (
        "Change fields of one customer's record.",
        "plan: Free → Pro",
        "  id: 17",
        "  name: Ada Lovelace",
        "  email: ada@analytical-engines.example",
        "  since: 2019-12-10",
        "  country: United Kingdom",
        "  notes: Writes the best bug reports.",
    )


def test_an_approver_is_asked_about_a_mail_in_its_own_words():
    """Subject and address are what one decides by; the text stands below."""
    mail = {"to": "ada@analytical-engines.example", "subject": "You are on Pro", "body": "Dear Ada,\n\nwelcome.\n"}
    asked = question(MANIFEST.rule_for("send_email"), "send_email", mail)
    assert asked == 'Send the mail "You are on Pro" to ada@analytical-engines.example?'
    assert preview(TOOLS["send_email"].summary, mail) == (
        "Send an e-mail to a customer.",
        "+ to: ada@analytical-engines.example",
        "+ subject: You are on Pro",
        "+ body (20 characters):",
        "|  Dear Ada,",
        "|",
        "|  welcome.",
        "|",
    )
