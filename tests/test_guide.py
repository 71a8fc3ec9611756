"""The guide's walk-through runs as it stands there (infra/guide/crm-by-hand.md)."""

import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from crm.seed import all_customers
from entracte.core.policy.reading import read_manifest

GUIDE = Path(__file__).resolve().parents[1] / "infra" / "guide"

TEXTS = {".json", ".md", ".py", ".tf", ".toml", ".txt", ".yaml"}


def blocks(page, language):
    """Blocks of a page in one language."""
    return re.findall(rf"```{language}\n(.*?)```", (GUIDE / page).read_text("utf-8"), re.DOTALL)


def commands(page):
    """The commands of a page, in order."""
    return [line[2:] for block in blocks(page, "console") for line in block.splitlines() if line.startswith("$ ")]


def shell(folder, *lines):
    """Run commands one after the other, as someone who has activated the environment; what they said."""
    bin_folder = Path(sys.executable).parent
    script = "\n".join((f"export PATH={bin_folder}:$PATH", *lines))
    done = subprocess.run(["bash", "-c", script], cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    return done.stdout + done.stderr


def test_the_crm_by_hand_goes_as_the_page_says(tmp_path):
    """Held, approved, undone up to where somebody was faster, and to the end after they gave way."""
    page = "crm-by-hand.md"
    policy, script = blocks(page, "yaml")
    first, *rest = commands(page)
    assert "They" not in shell(tmp_path, first) and (tmp_path / "policy.yaml").exists()
    files = {"policy.yaml": policy, "desk.yaml": script, "desk.py": blocks(page, "python")[0]}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    said = shell(tmp_path, *rest)
    shown = [line.strip() for block in blocks(page, "console") for line in block.splitlines() if "…" not in line]
    quoted = [line for line in shown if line and not line.startswith("$")]
    assert [line for line in quoted if line not in said] == [], said
    with sqlite3.connect(tmp_path / ".entracte" / "crm.sqlite3") as connection:
        names = "id, name, email, plan, since, country, notes"
        rows = connection.execute(f"SELECT {names} FROM customers ORDER BY id").fetchall()
    before = sorted(tuple(customer.model_dump(mode="json").values()) for customer in all_customers())
    assert rows == before
    assert len(list((tmp_path / ".entracte" / "outbox").iterdir())) == 1


@pytest.mark.parametrize("rule", blocks("manifest.md", "yaml"))
def test_the_rules_of_the_page_on_manifests_are_sound(rule):
    """They can be pasted."""
    assert read_manifest(f"version: 1\ntools:\n{rule}", file="policy.yaml", variables={}).rules


def test_no_text_of_the_product_names_a_model_that_is_gone():
    """But for the page that says so."""
    page = GUIDE / "models.md"
    gone = re.findall(r"`([^`]+)` is gone", page.read_text("utf-8"))
    root = GUIDE.parents[1]
    parts = [root / "README.md", *(root / name for name in ("functions", "infra", "shared", "terraform"))]
    texts = [text for part in parts for text in (part, *part.rglob("*")) if text.suffix in TEXTS and text != page]
    named = [str(text.relative_to(root)) for text in texts if any(m in text.read_text("utf-8") for m in gone)]
    assert (gone, named) == (["gemini-2.5-flash"], [])
