"""The database, its indexes, its trigger, and the clock of sweep."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from entracte.core.doctor.finding import Finding, Json, Seen, judged, missing_or_hidden

Index = tuple[str, str, tuple[str, ...]]
"""Collection, scope, fields as infra/firestore/indexes.yaml writes them."""

_ORDERS = {"ASCENDING": "", "DESCENDING": " desc"}


def database(name: str, seen: Seen) -> Finding:
    """Whether it is there, of the right type, and kept from being lost."""
    title = f"database {name}"
    if seen.status != 200:
        return missing_or_hidden(title, seen)
    found = seen.body
    faults = []
    if found.get("type") != "FIRESTORE_NATIVE":
        faults.append(f"is {found.get('type')}, not FIRESTORE_NATIVE")
    if found.get("pointInTimeRecoveryEnablement") != "POINT_IN_TIME_RECOVERY_ENABLED":
        faults.append("cannot be taken back to a point in time")
    return judged(title, f"in {found.get('locationId')}", faults)


def composite_indexes(wanted: Iterable[Index], seen: Seen) -> Finding:
    """Whether each query of several fields has its index, and the index is ready."""
    if seen.status != 200:
        return missing_or_hidden("indexes", seen)
    states = {_index_of(index): index.get("state", "") for index in seen.body.get("indexes", ())}
    several = [index for index in wanted if len(index[2]) > 1]
    faults = [f"{_shown(index)} is {states[index]}" for index in several if states.get(index, "READY") != "READY"]
    faults += [f"{_shown(index)} is missing" for index in several if index not in states]
    return judged(
        "indexes",
        f"{len(several)} of several fields, all ready",
        faults,
        "terraform apply, then wait: building takes minutes.",
    )


def _index_of(found: Json) -> Index:
    collection = str(found.get("name", "")).partition("/collectionGroups/")[2].partition("/")[0]
    fields = tuple(
        f"{field['fieldPath']}{_mode(field)}"
        for field in found.get("fields", ())
        if field.get("fieldPath") != "__name__"
    )
    return collection, str(found.get("queryScope", "")), fields


def _mode(field: Json) -> str:
    """How a field is indexed, as the list writes it."""
    if "vectorConfig" in field:
        return " vector"
    return " contains" if "arrayConfig" in field else _ORDERS.get(field.get("order", ""), "")


def _shown(index: Index) -> str:
    return f"{index[0]} ({', '.join(index[2])})"


def trigger(service: str, database_name: str, answers: Collection[Seen]) -> Finding:
    """Whether edits of gates are told. Several answers: the places where it may live."""
    title = f"trigger of {service}"
    read = [seen for seen in answers if seen.status == 200]
    if not read:
        return missing_or_hidden(title, next(iter(answers)))
    for found in (trigger for seen in read for trigger in seen.body.get("triggers", ())):
        if found.get("destination", {}).get("cloudRun", {}).get("service") == service:
            filters = {f.get("attribute"): f.get("value") for f in found.get("eventFilters", ())}
            faults = [] if filters.get("database") == database_name else [f"listens to {filters.get('database')!r}"]
            if not str(filters.get("type", "")).endswith("withAuthContext"):
                faults.append("is told no authors: console edits are nobody's")
            return judged(
                title,
                str(found.get("name")),
                faults,
                "A database that was made anew needs its trigger anew: terraform apply -replace.",
            )
    return Finding("wrong", title, "is not there: edits in the console are not heard", "terraform apply")


def clock(name: str, seen: Seen) -> Finding:
    """Whether sweep is called each minute."""
    title = f"scheduler job {name}"
    if seen.status != 200:
        return missing_or_hidden(title, seen)
    state, last = seen.body.get("state"), seen.body.get("status", {}).get("code", 0)
    faults = [] if state == "ENABLED" else [f"is {state}: nothing that got lost is brought forward"]
    if last:
        faults.append(f"its last call failed: {seen.body['status'].get('message', last)}")
    return judged(title, "enabled", faults, f"gcloud scheduler jobs resume {name}")


def secret(name: str, seen: Seen, *, project: str) -> Finding:
    """Whether a secret has a value that can be read. The value itself is not looked at."""
    title = f"secret {name}"
    command = f"gcloud secrets versions add {name} --project {project} --data-file -"
    if seen.status != 200:
        return missing_or_hidden(title, seen, command)
    state = seen.body.get("state")
    return judged(title, "has a value", [] if state == "ENABLED" else [f"its newest version is {state}"], command)
