"""The page that alerts link to has a section for each, and says what it says (infra/guide/operations.md)."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "infra/guide/operations.md").read_text()
ALERTS = ROOT / "terraform/modules/alerts"


def anchor(heading: str) -> str:
    """As a page's address names a heading."""
    return re.sub(r"[^a-z0-9 -]", "", heading.lower()).replace(" ", "-")


def test_each_alert_links_to_a_section_that_is_there():
    """What is told at night says where to read on."""
    policies = (ALERTS / "policies.tf").read_text()
    block = policies.partition("  policies = {")[2].partition("\n  }\n")[0]
    named = {*re.findall(r"^    (\w+) = \{", block, re.MULTILINE)}
    named |= {*re.findall(r'"(\w+)"', policies.partition("concat(keys(local.policies), [")[2].partition("])")[0])}
    anchors = {anchor(heading) for heading in re.findall(r"^#+ (.+)$", PAGE, re.MULTILINE)}
    assert len(named) == 7
    assert {name.replace("_", "-") for name in named} <= anchors


def test_links_within_the_page_lead_somewhere():
    """To its own sections, and to pages beside it."""
    anchors = {anchor(heading) for heading in re.findall(r"^#+ (.+)$", PAGE, re.MULTILINE)}
    for target in re.findall(r"\]\(([^)]+)\)", PAGE):
        page, _, section = target.partition("#")
        assert section in anchors if not page else (ROOT / "infra/guide" / page).is_file(), target


def test_what_the_page_has_people_type_exists():
    """Commands of ours, and names of what Terraform makes."""
    from entracte.cli.app import app

    commands = {command.name for command in app.registered_commands}
    assert {*re.findall(r"`?entracte ([a-z]+)", PAGE)} - commands <= {"a"}, "a command that is none"
    assert "entracte-sweep" in PAGE and "database = " in PAGE
    assert 'variable "database"' in (ROOT / "terraform/modules/entracte/variables.tf").read_text()
