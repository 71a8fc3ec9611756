"""Topics and subscriptions: deadline, backoff, tokens, dead letters, and the rights without which these go nowhere."""

from __future__ import annotations

from entracte.core.doctor.finding import Finding, Json, Seen, judged, missing_or_hidden

ACK_DEADLINE_S = 600


def topic(name: str, seen: Seen) -> Finding:
    """Whether messages of a kind have somewhere to go."""
    return Finding("ok", f"topic {name}") if seen.status == 200 else missing_or_hidden(f"topic {name}", seen)


def subscription(name: str, seen: Seen, *, local: bool, dead_letters: bool) -> Finding:
    """Whether messages are pushed to their function as they should be.

    Args:
        local: The emulator knows no tokens and needs no dead letters.
        dead_letters: What cannot be delivered should go somewhere.
    """
    title = f"subscription {name}"
    if seen.status != 200:
        return missing_or_hidden(title, seen)
    found, push = seen.body, seen.body.get("pushConfig", {})
    faults = []
    if not push.get("pushEndpoint"):
        faults.append("is paused: it has no push endpoint")
    if found.get("ackDeadlineSeconds") != ACK_DEADLINE_S:
        given = found.get("ackDeadlineSeconds")
        faults.append(f"its ack deadline is {given} s, not {ACK_DEADLINE_S}: slow calls are delivered twice")
    if not local:
        faults += _in_the_cloud(found, push, dead_letters=dead_letters)
    return judged(title, f"pushes to {push.get('pushEndpoint')}", faults)


def _in_the_cloud(found: Json, push: Json, *, dead_letters: bool) -> list[str]:
    faults = []
    if found.get("state", "ACTIVE") != "ACTIVE":
        faults.append(f"is {found['state']}: its topic or its right to push has gone")
    if not push.get("oidcToken", {}).get("audience"):
        faults.append("pushes without a token of its own audience, which the function refuses")
    if dead_letters and not found.get("deadLetterPolicy"):
        faults.append("has no dead letters: what always fails is tried until it is too old, unseen")
    if found.get("expirationPolicy", {}).get("ttl"):
        faults.append("is deleted when nothing happens for a while")
    return faults


def granted(name: str, seen: Seen, *, role: str, member: str) -> Finding:
    """Whether a policy gives a role to somebody."""
    title = f"{role} on {name}"
    if seen.status != 200:
        return missing_or_hidden(title, seen)
    has = any(b.get("role") == role and member in b.get("members", ()) for b in seen.body.get("bindings", ()))
    return (
        Finding("ok", title, member)
        if has
        else Finding("wrong", title, f"{member} does not have it", "terraform apply")
    )
