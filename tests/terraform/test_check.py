"""What Terraform would make is sound, and mistakes are found (infra/terraform_check.py)."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

import terraform_check
from plan_snapshot import snapshot
from terraform import TerraformMissing
from terraform_variables import variable_faults

ROOT = Path(__file__).resolve().parents[2]

Check = Callable[..., str]


@pytest.fixture(scope="session")
def check() -> Check:
    """The check. Skips where there is no Terraform, or no providers for it."""
    try:
        terraform_check.faults(only=["modules/queue"])
    except TerraformMissing as missing:
        pytest.skip(str(missing))
    return terraform_check.faults


@dataclass(frozen=True, slots=True)
class Mistake:
    """An edit that must not get through.

    Attributes:
        found_in: Folder whose check finds it; every check looks at all of them.
        file: Below ``terraform``.
        says: Part of what the check then says.
    """

    found_in: str
    file: str
    old: str
    new: str
    says: str


QUEUE, FUNCTION, FIRESTORE = "modules/queue", "modules/phase_function", "modules/firestore"
DEPLOYMENT, PROD = "modules/entracte", "environments/prod"
SUBSCRIPTION = f"{QUEUE}/subscription.tf"

PUBLIC_INVOKER = """
resource "google_cloud_run_v2_service_iam_member" "anybody" {
  project  = var.project_id
  location = var.region
  name     = google_cloudfunctions2_function.this.name
  role     = "roles/run.invoker"
  member   = "allUsers"
}
"""

MISTAKES = {
    "an attribute that does not exist": Mistake(
        QUEUE,
        SUBSCRIPTION,
        "ack_deadline_seconds       =",
        "ack_deadline_secs          =",
        says='An argument named "ack_deadline_secs" is not expected here',
    ),
    "an ack deadline below the function's timeout": Mistake(
        QUEUE,
        SUBSCRIPTION,
        "ack_deadline_s = 600",
        "ack_deadline_s = 300",
        says="The ack deadline of entracte-plan must be above the function's timeout, 540 s",
    ),
    "a push without an audience": Mistake(
        QUEUE,
        SUBSCRIPTION,
        "      audience              = var.endpoint\n",
        "",
        says="The audience is explicit.",
    ),
    "no right to take a dead letter from its queue": Mistake(
        QUEUE,
        SUBSCRIPTION,
        "count = var.dead_letters == null ? 0 : 1",
        "count = 0",
        says="Without this right Pub/Sub cannot move a dead letter",
    ),
    "no right to publish a dead letter": Mistake(
        PROD,
        f"{DEPLOYMENT}/queues.tf",
        "= { pubsub = local.pubsub_agent }",
        "= {}",
        says="-roles/pubsub.publisher module.entracte.module.dead_letters",
    ),
    "a phase function that everybody may call": Mistake(
        PROD,
        f"{FUNCTION}/invokers.tf",
        "each.value\n}\n",
        f"each.value\n}}\n{PUBLIC_INVOKER}",
        says='+roles/run.invoker module.entracte.module.phase["approve"]'
        ".google_cloud_run_v2_service_iam_member.anybody to allUsers",
    ),
    "a phase function that the internet reaches": Mistake(
        FUNCTION,
        f"{FUNCTION}/function.tf",
        '= "ALLOW_INTERNAL_ONLY"\n    all',
        '= "ALLOW_ALL"\n    all',
        says="entracte-plan must not be reachable from the internet",
    ),
    "more requests than threads": Mistake(
        FUNCTION,
        f"{FUNCTION}/function.tf",
        "concurrency = var.size.concurrency",
        "concurrency = 80",
        says="as many requests as threads",
    ),
    "more instances than the model's quota allows": Mistake(
        PROD,
        f"{DEPLOYMENT}/functions.tf",
        '["evaluate", "execute", "memorize", "plan"]\n      size        = { max_instances = 2 }',
        '["evaluate", "execute", "memorize", "plan"]\n      size        = { max_instances = 9 }',
        says="could ask more at a time than the model's quota allows",
    ),
    "the value of a secret in the state": Mistake(
        PROD,
        f"{DEPLOYMENT}/secrets.tf",
        "secret_data_wo = base64",
        "secret_data = base64",
        says="IN THE STATE",
    ),
    "a role on all databases of the project": Mistake(
        PROD,
        f"{FIRESTORE}/access.tf",
        "resource.name == ",
        "resource.name != ",
        says='+roles/datastore.user module.entracte.module.firestore.google_project_iam_member.user["plan"] if',
    ),
    "a role that can do anything": Mistake(
        PROD,
        f"{DEPLOYMENT}/sources.tf",
        '"roles/logging.logWriter"    = null',
        '"roles/editor"               = null',
        says="+roles/editor module.entracte.google_project_iam_member.build",
    ),
    "production without delete protection": Mistake(
        PROD,
        f"{PROD}/entracte.tf",
        'prefix = "entracte"\n',
        'prefix = "entracte"\n\n  deletion_protection = false\n',
        says="+entracte in eur3: DELETE_PROTECTION_DISABLED",
    ),
    "a default for where prompts are processed": Mistake(
        QUEUE,
        f"{PROD}/variables.tf",
        'processed, so that there is no default."\n  type        = string\n',
        'processed, so that there is no default."\n  type        = string\n  default     = "us-central1"\n',
        says="environments/prod/variables.tf: vertex_location has a default",
    ),
    "text that terraform fmt would change": Mistake(
        QUEUE,
        f"{QUEUE}/outputs.tf",
        "  value ",
        "    value ",
        says="terraform fmt: modules/queue/outputs.tf",
    ),
}


@pytest.mark.parametrize("folder", terraform_check.folders())
def test_a_module_or_environment_is_sound(check: Check, folder: str):
    """Formatted, valid, its own tests pass, and its plan is the one that was looked at."""
    assert check(only=[folder]) == ""


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_found(check: Check, tmp_path: Path, name: str):
    """Each on its own, in a copy of what Terraform reads."""
    mistake = MISTAKES[name]
    for part in ("terraform", "infra/firestore", "tests/terraform/snapshots"):
        shutil.copytree(ROOT / part, tmp_path / part)
    file = tmp_path / "terraform" / mistake.file
    text = file.read_text()
    assert mistake.old in text
    file.write_text(text.replace(mistake.old, mistake.new, 1))
    told = check(tmp_path, only=[mistake.found_in])
    assert mistake.says in " ".join(told.split())  # Terraform breaks its lines at column 78


@pytest.mark.skipif(shutil.which("terraform") is None, reason="Terraform is not installed")
@pytest.mark.parametrize(
    ("old", "new", "says"),
    [("  topic   ", "  topic ", "terraform fmt"), ("{", "{{", "Invalid"), ("  description = ", "", "no description")],
)
def test_format_syntax_and_descriptions_are_checked_without_providers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: str, new: str, says: str
):
    """So that they are on any machine that has Terraform; with descriptions, even without."""
    monkeypatch.delenv("TFSTUB", raising=False)
    for part in ("terraform", "infra/firestore"):
        shutil.copytree(ROOT / part, tmp_path / part)
    file = tmp_path / "terraform/modules/queue" / ("variables.tf" if "desc" in old else "subscription.tf")
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new, 1))
    assert says in terraform_check.faults(tmp_path, only=["modules/queue"])


def test_variables_are_described_in_order_and_leave_choices_open():
    """With or without Terraform."""
    assert variable_faults(ROOT / "terraform") == ""


def test_what_is_no_plan_has_no_page():
    """A test that failed before it planned must not pass for an empty plan."""
    assert snapshot('{"type":"test_run"}\nError: …') == ""


def test_the_deployer_may_grant_what_a_deployment_grants_on_the_project_and_no_more():
    """The condition in terraform/README.md, against the plan."""
    condition = re.search(r"hasOnly\(\[(.*?)\]\)", (ROOT / "terraform/README.md").read_text(), re.DOTALL)
    assert condition is not None
    allowed = {role for role in re.findall(r"'([^']+)'", condition[1]) if role.startswith("roles/")}
    page = (ROOT / terraform_check.SNAPSHOTS / "prod.txt").read_text()
    granted = set(re.findall(r"^(roles/\S+)  \S*google_project_iam_member", page, re.MULTILINE))
    assert allowed == granted
