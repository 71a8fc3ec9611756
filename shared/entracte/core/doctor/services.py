"""Cloud Run services: whether each runs, who reaches it, how many requests it takes at a time."""

from __future__ import annotations

from entracte.core.doctor.finding import Finding, Json, Seen, judged, missing_or_hidden

EVERYBODY = frozenset({"allUsers", "allAuthenticatedUsers"})
SERVERS = frozenset({"api", "mcp"})


def service(function: str, name: str, seen: Seen) -> Finding:
    """Whether a function is up, and closed to the internet unless it is api or mcp."""
    title = f"function {name}"
    if seen.status != 200:
        return missing_or_hidden(title, seen)
    found = seen.body
    ready = found.get("terminalCondition", {})
    faults = []
    if ready.get("state") != "CONDITION_SUCCEEDED":
        faults.append(f"is not ready: {ready.get('message', ready.get('state', 'no condition'))}")
    if function not in SERVERS and found.get("ingress") != "INGRESS_TRAFFIC_INTERNAL_ONLY":
        faults.append(f"is reached from outside: {found.get('ingress')}")
    faults += _size_faults(found.get("template", {}))
    return judged(
        title, str(found.get("uri", "")), faults, "Read its log (gcloud run services logs read), then terraform apply."
    )


def _size_faults(template: Json) -> list[str]:
    at_a_time, threads = template.get("maxInstanceRequestConcurrency"), environment(template).get("THREADS")
    faults = []
    if threads is not None and str(at_a_time) != threads:
        faults.append(f"takes {at_a_time} requests at a time with {threads} threads")
    if float(str(template.get("timeout", "0s")).rstrip("s")) >= 600:
        faults.append("may take longer than the ack deadline, 600 s")
    return faults


def environment(template: Json) -> dict[str, str]:
    """The variables that its containers have."""
    found = [variable for container in template.get("containers", ()) for variable in container.get("env", ())]
    return {variable["name"]: variable.get("value", "") for variable in found}


def invokers(function: str, name: str, seen: Seen) -> Finding:
    """Whether a phase can be called by those who should, and by no others."""
    title = f"callers of {name}"
    if seen.status != 200:
        return missing_or_hidden(title, seen)
    bindings = [b for b in seen.body.get("bindings", ()) if b.get("role") == "roles/run.invoker"]
    members = {member for binding in bindings for member in binding.get("members", ())}
    faults = []
    if members & EVERYBODY:
        faults.append("anybody may call it")
    if function not in SERVERS and not members:
        faults.append("nobody may call it: messages are refused with 403")
    return judged(title, ", ".join(sorted(members)) or "the service itself asks who calls", faults)


def asked_at_a_time(services: Json) -> int:
    """Questions that the functions which ask models can have open together: instances × requests at a time."""
    total = 0
    for found in services.values():
        template = found.get("template", {})
        instances = template.get("scaling", {}).get("maxInstanceCount", 0)
        total += instances * template.get("maxInstanceRequestConcurrency", 1)
    return total
