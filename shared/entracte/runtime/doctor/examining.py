"""Looking at a deployment, or at the local stack, thing by thing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, get_args

from msgspec import Struct

from entracte.adapters.notify.registry import secrets_named
from entracte.core.doctor import database, messaging, services
from entracte.core.doctor.database import Index
from entracte.core.doctor.finding import Finding, Json, Seen
from entracte.core.messages import Kind, topic_of

if TYPE_CHECKING:
    from entracte.adapters.gcp.apis import GoogleApis

FUNCTIONS = ("api", "approve", "evaluate", "execute", "gate_edit", "plan", "sweep", "undo")
"""What every deployment has."""

OPTIONAL = ("mcp", "memorize")
ASK_MODELS = ("evaluate", "memorize", "plan")
SECRETS = ("ENTRACTE_LINK_KEY", "ENTRACTE_MASK_KEY", "ENTRACTE_WEBHOOK_SECRET")
"""What every deployment has a value of."""

TRIGGER_REGIONS = {"eur3": "europe-west4", "nam5": "us-central1"}
"""Where a trigger may live beside the database's own location."""


class Deployment(Struct, frozen=True, kw_only=True):
    """What to look at.

    Attributes:
        region: Of the functions; empty where it is not known.
        indexes: Those that the queries need; None where the list is not at hand.
        local: The emulators, with functions beside them.
    """

    project: str
    database: str
    prefix: str
    region: str = ""
    indexes: Sequence[Index] | None = None
    local: bool = False

    def name(self, part: str) -> str:
        """Name of a part of it in Google Cloud."""
        return f"{self.prefix}-{part.replace('_', '-')}"


def examine(apis: GoogleApis, it: Deployment) -> Iterator[Finding]:
    """What is found, in the order in which a message goes. Nothing is changed."""
    yield from _storage(apis, it)
    yield from _messages(apis, it)
    if it.local:
        yield Finding("unknown", "indexes", "the emulator answers without any: production does not")
        yield Finding("unknown", "rights and tokens", "nothing on this machine checks them")
        yield Finding("unknown", "sweep's clock", "the stack has none: what gets lost waits for ever")
        return
    if not it.region:
        yield Finding("unknown", "functions", "their region is not known", "Give --region.")
        return
    yield from _functions(apis, it)
    yield from _surroundings(apis, it)


def _storage(apis: GoogleApis, it: Deployment) -> Iterator[Finding]:
    path = f"v1/projects/{it.project}/databases/{it.database}"
    if it.local:
        seen = apis.get("firestore", f"{path}/documents/runs", pageSize="1")
        answered = Finding("ok", "Firestore emulator")
        yield (
            answered if seen.status == 200 else Finding("wrong", "Firestore emulator", seen.problem, "Start the stack.")
        )
        return
    yield database.database(it.database, apis.get("firestore", path))
    if it.indexes is None:
        yield Finding("unknown", "indexes", "their list is in the repository", "Run it in a checkout.")
    else:
        found = apis.get("firestore", f"{path}/collectionGroups/-/indexes", pageSize="1000")
        yield database.composite_indexes(it.indexes, found)


def _messages(apis: GoogleApis, it: Deployment) -> Iterator[Finding]:
    kinds: tuple[Kind, ...] = get_args(Kind)
    for kind in dict.fromkeys(topic_of(kind) for kind in kinds):
        name = it.name(kind)
        seen = apis.get("pubsub", f"v1/projects/{it.project}/topics/{name}")
        if kind in OPTIONAL and seen.status == 404:
            continue
        yield messaging.topic(name, seen)
        if kind in OPTIONAL and it.local:
            continue
        seen = apis.get("pubsub", f"v1/projects/{it.project}/subscriptions/{name}")
        yield messaging.subscription(name, seen, local=it.local, dead_letters=kind != "sweep")
        if it.local and (url := seen.body.get("pushConfig", {}).get("pushEndpoint")):
            yield Finding("ok", f"function {kind}") if apis.reaches(url) else _silent(kind, url)
        if not it.local and kind != "sweep":
            yield _granted(apis, it, "subscriptions", name, "roles/pubsub.subscriber")
    if not it.local:
        name = it.name("dead")
        seen = apis.get("pubsub", f"v1/projects/{it.project}/subscriptions/{name}")
        yield messaging.subscription(name, seen, local=False, dead_letters=False)
        yield _granted(apis, it, "topics", name, "roles/pubsub.publisher")


def _silent(kind: str, url: str) -> Finding:
    return Finding("wrong", f"function {kind}", f"does not answer at {url}", "Start the stack, and read its log.")


def _granted(apis: GoogleApis, it: Deployment, what: str, name: str, role: str) -> Finding:
    """Without both rights Pub/Sub keeps a message that always fails, unseen."""
    number = apis.get("cloudresourcemanager", f"v1/projects/{it.project}").body.get("projectNumber")
    if number is None:
        return Finding("unknown", f"{role} on {name}", "the project's number could not be read")
    member = f"serviceAccount:service-{number}@gcp-sa-pubsub.iam.gserviceaccount.com"
    seen = apis.get("pubsub", f"v1/projects/{it.project}/{what}/{name}:getIamPolicy")
    return messaging.granted(name, seen, role=role, member=member)


def _functions(apis: GoogleApis, it: Deployment) -> Iterator[Finding]:
    asking: dict[str, Json] = {}
    for function in (*FUNCTIONS, *OPTIONAL):
        name = it.name(function)
        path = f"v2/projects/{it.project}/locations/{it.region}/services/{name}"
        seen = apis.get("run", path)
        if function in OPTIONAL and seen.status == 404:
            continue
        yield services.service(function, name, seen)
        if seen.status == 200:
            yield services.invokers(function, name, apis.get("run", f"{path}:getIamPolicy"))
            asking |= {function: seen.body} if function in ASK_MODELS else {}
    if asking:
        most = services.asked_at_a_time(asking)
        told = f"up to {most} questions at a time; what the project may ask is not to be read from here"
        yield Finding(
            "unknown", "the model's quota", told, "Compare with IAM & Admin → Quotas: requests a minute × seconds / 60."
        )


def _surroundings(apis: GoogleApis, it: Deployment) -> Iterator[Finding]:
    at = f"v1/projects/{it.project}/locations"
    yield database.clock(it.name("sweep"), apis.get("cloudscheduler", f"{at}/{it.region}/jobs/{it.name('sweep')}"))
    yield _trigger(apis, it)
    told = apis.get("run", f"v2/projects/{it.project}/locations/{it.region}/services/{it.name('approve')}")
    notify = services.environment(told.body.get("template", {})).get("ENTRACTE_NOTIFY", "")
    for secret in (*SECRETS, *secrets_named(notify)):
        name = f"{it.prefix}-{secret}"
        seen = apis.get("secretmanager", f"v1/projects/{it.project}/secrets/{name}/versions/latest")
        yield database.secret(name, seen, project=it.project)
    yield Finding("unknown", "rights of tools", "what your tools need is yours to grant and to try")


def _trigger(apis: GoogleApis, it: Deployment) -> Finding:
    found = apis.get("firestore", f"v1/projects/{it.project}/databases/{it.database}")
    location = str(found.body.get("locationId", ""))
    if not location:
        return Finding(
            "unknown", f"trigger of {it.name('gate_edit')}", "lives where the database does, wherever that is"
        )
    places = dict.fromkeys((location, TRIGGER_REGIONS.get(location, location)))
    at = f"v1/projects/{it.project}/locations"
    answers: list[Seen] = [apis.get("eventarc", f"{at}/{place}/triggers") for place in places]
    return database.trigger(it.name("gate_edit"), it.database, answers)
