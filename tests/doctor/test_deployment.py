"""What doctor says of a deployment in Google Cloud (core/doctor/, runtime/…/examining.py, adapters/gcp/apis.py)."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from entracte.adapters.gcp.apis import GoogleApis
from entracte.core.doctor.finding import Finding
from entracte.runtime.doctor.examining import FUNCTIONS, SECRETS, Deployment, examine
from tests.doctor.google import Google, google

MEANING = ("items", "COLLECTION", ("tags contains", "embedding vector"))

IT = Deployment(
    project="p",
    database="entracte",
    prefix="entracte",
    region="europe-west4",
    indexes=[("runs", "COLLECTION_GROUP", ("owner", "created desc")), ("gates", "COLLECTION_GROUP", ("due",)), MEANING],
)
VARIABLES = {"THREADS": "20", "ENTRACTE_NOTIFY": "mailto:,slack+secret:SLACK_DESK"}
AGENT = "serviceAccount:service-123@gcp-sa-pubsub.iam.gserviceaccount.com"
PUSHED = ("plan", "execute", "evaluate", "approve", "undo", "sweep")
DATABASE = "firestore/v1/projects/p/databases/entracte"
INDEXES = f"{DATABASE}/collectionGroups/-/indexes"
JOB = "cloudscheduler/v1/projects/p/locations/europe-west4/jobs/entracte-sweep"
TRIGGERS = "eventarc/v1/projects/p/locations/eur3/triggers"


def subscription(name: str) -> str:
    """Path of a subscription."""
    return f"pubsub/v1/projects/p/subscriptions/entracte-{name}"


def run_service(name: str) -> str:
    """Path of a Cloud Run service."""
    return f"run/v2/projects/p/locations/europe-west4/services/entracte-{name}"


def binding(role: str, *members: str) -> dict[str, Any]:
    """A policy of one grant."""
    return {"bindings": [{"role": role, "members": [*members]}]}


def a_healthy_deployment() -> dict[str, Any]:
    """As Google's APIs tell of one, in the fields that count."""
    found: dict[str, Any] = {
        "cloudresourcemanager/v1/projects/p": {"projectNumber": "123"},
        DATABASE: {
            "type": "FIRESTORE_NATIVE",
            "locationId": "eur3",
            "pointInTimeRecoveryEnablement": "POINT_IN_TIME_RECOVERY_ENABLED",
        },
        INDEXES: {
            "indexes": [
                {
                    "name": "projects/p/databases/entracte/collectionGroups/runs/indexes/1",
                    "queryScope": "COLLECTION_GROUP",
                    "state": "READY",
                    "fields": [
                        {"fieldPath": "owner", "order": "ASCENDING"},
                        {"fieldPath": "created", "order": "DESCENDING"},
                        {"fieldPath": "__name__", "order": "DESCENDING"},
                    ],
                },
                {
                    "name": "projects/p/databases/entracte/collectionGroups/items/indexes/2",
                    "queryScope": "COLLECTION",
                    "state": "READY",
                    "fields": [
                        {"fieldPath": "tags", "arrayConfig": "CONTAINS"},
                        {"fieldPath": "embedding", "vectorConfig": {"dimension": 1024, "flat": {}}},
                    ],
                },
            ]
        },
        JOB: {"state": "ENABLED", "status": {}},
        TRIGGERS: {
            "triggers": [
                {
                    "name": "t",
                    "destination": {"cloudRun": {"service": "entracte-gate-edit"}},
                    "eventFilters": [
                        {"attribute": "type", "value": "google.cloud.firestore.document.v1.updated.withAuthContext"},
                        {"attribute": "database", "value": "entracte"},
                    ],
                }
            ]
        },
    }
    for name in (*PUSHED, "dead"):
        found[f"pubsub/v1/projects/p/topics/entracte-{name}"] = {}
        found[subscription(name)] = {
            "state": "ACTIVE",
            "ackDeadlineSeconds": 600,
            "pushConfig": {"pushEndpoint": f"https://{name}.run.app", "oidcToken": {"audience": "a"}},
            "deadLetterPolicy": {"deadLetterTopic": "t"},
            "expirationPolicy": {},
        }
        found[f"{subscription(name)}:getIamPolicy"] = binding("roles/pubsub.subscriber", AGENT)
    found["pubsub/v1/projects/p/topics/entracte-dead:getIamPolicy"] = binding("roles/pubsub.publisher", AGENT)
    for function in FUNCTIONS:
        name = function.replace("_", "-")
        inside = function != "api"
        found[run_service(name)] = {
            "uri": f"https://{name}.run.app",
            "ingress": "INGRESS_TRAFFIC_INTERNAL_ONLY" if inside else "INGRESS_TRAFFIC_ALL",
            "terminalCondition": {"state": "CONDITION_SUCCEEDED"},
            "template": {
                "timeout": "540s",
                "maxInstanceRequestConcurrency": 20,
                "scaling": {"maxInstanceCount": 2},
                "containers": [{"env": [{"name": name, "value": value} for name, value in VARIABLES.items()]}],
            },
        }
        found[f"{run_service(name)}:getIamPolicy"] = binding("roles/run.invoker", "serviceAccount:push@p")
    for secret in (*SECRETS, "SLACK_DESK"):
        found[f"secretmanager/v1/projects/p/secrets/entracte-{secret}/versions/latest"] = {"state": "ENABLED"}
    return found


@pytest.fixture
def cloud() -> Iterator[Google]:
    """Google Cloud with a healthy deployment in it."""
    with google() as it:
        it.answers = copy.deepcopy(a_healthy_deployment())
        yield it


@pytest.fixture
def look(cloud: Google) -> Iterator[Callable[[], list[Finding]]]:
    """Looks at it."""
    apis = GoogleApis(cloud.addresses, lambda: "token")
    yield lambda: list(examine(apis, IT))
    apis.close()


def test_nothing_is_wrong_with_a_healthy_deployment(look: Callable[[], list[Finding]], cloud: Google):
    """What cannot be seen is said; nothing was changed, and each request carried the token."""
    found = look()
    assert [finding for finding in found if finding.verdict == "wrong"] == []
    assert [finding.name for finding in found if finding.verdict == "unknown"] == [
        "the model's quota",
        "rights of tools",
    ]
    assert cloud.asked == {"GET Bearer token"}


def change(path: str, *keys: Any, to: Any) -> Callable[[dict[str, Any]], None]:
    """An edit of one answer."""

    def edit(answers: dict[str, Any]) -> None:
        place = answers[path]
        for key in keys[:-1]:
            place = place[key]
        place[keys[-1]] = to

    return edit


def lose(path: str) -> Callable[[dict[str, Any]], None]:
    """What is not there."""
    return lambda answers: answers.pop(path)


FAULTS: dict[str, tuple[Callable[[dict[str, Any]], Any], str, str]] = {
    "no database": (lose(DATABASE), "database entracte", "is not there"),
    "no way back": (
        change(DATABASE, "pointInTimeRecoveryEnablement", to="POINT_IN_TIME_RECOVERY_DISABLED"),
        "database entracte",
        "point in time",
    ),
    "an index that is missing": (
        change(INDEXES, "indexes", 0, "name", to="other"),
        "indexes",
        "runs (owner, created desc) is missing",
    ),
    "an index under way": (change(INDEXES, "indexes", 0, "state", to="CREATING"), "indexes", "is CREATING"),
    "a paused queue": (change(subscription("plan"), "pushConfig", to={}), "subscription entracte-plan", "is paused"),
    "a short deadline": (
        change(subscription("plan"), "ackDeadlineSeconds", to=10),
        "subscription entracte-plan",
        "ack deadline is 10 s",
    ),
    "a push without a token": (
        change(subscription("undo"), "pushConfig", "oidcToken", to={}),
        "subscription entracte-undo",
        "without a token",
    ),
    "no dead letters": (
        change(subscription("plan"), "deadLetterPolicy", to=None),
        "subscription entracte-plan",
        "no dead letters",
    ),
    "dead letters that cannot move": (
        change(f"{subscription('plan')}:getIamPolicy", "bindings", to=[]),
        "roles/pubsub.subscriber on entracte-plan",
        "does not have it",
    ),
    "a phase that everybody may call": (
        change(f"{run_service('plan')}:getIamPolicy", "bindings", 0, "members", to=["allUsers"]),
        "callers of entracte-plan",
        "anybody may call it",
    ),
    "a phase that nobody may call": (
        change(f"{run_service('plan')}:getIamPolicy", "bindings", to=[]),
        "callers of entracte-plan",
        "nobody may call it",
    ),
    "a phase in the open": (
        change(run_service("undo"), "ingress", to="INGRESS_TRAFFIC_ALL"),
        "function entracte-undo",
        "is reached from outside",
    ),
    "a function that does not start": (
        change(run_service("api"), "terminalCondition", to={"state": "CONDITION_FAILED", "message": "It crashed."}),
        "function entracte-api",
        "It crashed.",
    ),
    "more requests than threads": (
        change(run_service("plan"), "template", "maxInstanceRequestConcurrency", to=80),
        "function entracte-plan",
        "80 requests at a time with 20 threads",
    ),
    "a clock that stands": (change(JOB, "state", to="PAUSED"), "scheduler job entracte-sweep", "is PAUSED"),
    "a trigger of another database": (
        change(TRIGGERS, "triggers", 0, "eventFilters", 1, "value", to="(default)"),
        "trigger of entracte-gate-edit",
        "listens to '(default)'",
    ),
    "no trigger": (change(TRIGGERS, "triggers", to=[]), "trigger of entracte-gate-edit", "is not there"),
    "a secret without a value": (
        lose("secretmanager/v1/projects/p/secrets/entracte-ENTRACTE_LINK_KEY/versions/latest"),
        "secret entracte-ENTRACTE_LINK_KEY",
        "is not there",
    ),
    "a chat whose address is not there": (
        lose("secretmanager/v1/projects/p/secrets/entracte-SLACK_DESK/versions/latest"),
        "secret entracte-SLACK_DESK",
        "is not there",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found_with_its_remedy(cloud: Google, look: Callable[[], list[Finding]], fault: str):
    """It, and nothing else."""
    edit, name, told = FAULTS[fault]
    edit(cloud.answers)
    (found,) = [finding for finding in look() if finding.verdict == "wrong"]
    assert (found.name, told in found.told, bool(found.remedy)) == (name, True, True), found


def test_what_may_not_be_looked_at_is_not_said_to_be_well(cloud: Google, look: Callable[[], list[Finding]]):
    """Nor to be wrong."""
    cloud.hidden = {DATABASE, run_service("plan"), subscription("plan")}
    found = {finding.name: finding for finding in look()}
    for name in ("database entracte", "function entracte-plan", "subscription entracte-plan"):
        assert found[name].verdict == "unknown" and "Permission denied" in found[name].told
    assert not [finding for finding in found.values() if finding.verdict == "wrong"]


def test_a_service_that_does_not_answer_is_not_known(cloud: Google):
    """A broken line is no fault of the deployment."""
    apis = GoogleApis({**cloud.addresses, "firestore": "http://127.0.0.1:9"}, lambda: "token")
    found = {finding.name: finding for finding in examine(apis, IT)}
    apis.close()
    assert (found["database entracte"].verdict, "ConnectError" in found["database entracte"].told) == ("unknown", True)
