"""A plan as a page to read: what there would be, who may do what, and how large functions are.

What stands in the page is what somebody should see in a review: a grant that appears, a condition that goes.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Resource = Mapping[str, Any]
"""One ``resource_changes`` of a plan in JSON."""


def snapshot(test_output: str) -> str:
    """The page of the one plan in what ``terraform test -json -verbose`` wrote. Empty when there is none."""
    for line in test_output.splitlines():
        if '"type":"test_plan"' in line:
            changes = json.loads(line)["test_plan"]["resource_changes"]
            planned = [change for change in changes if change["mode"] == "managed"]
            parts = (_counts(planned), _grants(planned), _functions(planned), _data(planned))
            return "\n\n".join("\n".join(part) for part in parts) + "\n"
    return ""


def _counts(planned: Sequence[Resource]) -> Iterator[str]:
    yield "# Resources"
    for name, count in sorted(Counter(resource["type"] for resource in planned).items()):
        yield f"{count:4}  {name}"


def _grants(planned: Sequence[Resource]) -> Iterator[str]:
    """Role, what grants it, and to whom where that is known before anything is made."""
    yield "# Roles"
    lines = []
    for resource in planned:
        after = resource["change"]["after"]
        if "role" in after or resource["type"].endswith(("_iam_member", "_iam_binding", "_iam_policy")):
            to = f"  to {after['member']}" if after.get("member") else ""
            conditions = "".join(f"  if {condition['expression']}" for condition in after.get("condition") or ())
            lines.append(f"{after.get('role', '(made here)')}  {resource['address']}{to}{conditions}")
    yield from sorted(lines)


def _functions(planned: Sequence[Resource]) -> Iterator[str]:
    yield "# Functions"
    lines = []
    for resource in planned:
        after = resource["change"]["after"]
        match resource["type"]:
            case "google_cloudfunctions2_function":
                c = after["service_config"][0]
                size = (c["max_instance_request_concurrency"], c["max_instance_count"], c["available_memory"])
                lines.append(_function(after["name"], *size, c["timeout_seconds"], c["ingress_settings"]))
            case "google_cloud_run_v2_service":
                t = after["template"][0]
                memory = t["containers"][0]["resources"][0]["limits"]["memory"]
                size = (t["max_instance_request_concurrency"], t["scaling"][0]["max_instance_count"], memory)
                exposure = "open" if after["invoker_iam_disabled"] else "IAP" if after["iap_enabled"] else "IAM"
                lines.append(
                    _function(after["name"], *size, t["timeout"].rstrip("s"), f"{after['ingress']}, {exposure}")
                )
            case _:
                continue
    yield from sorted(lines)


def _data(planned: Sequence[Resource]) -> Iterator[str]:
    """What keeps data from being lost or shown."""
    yield "# Data"
    lines = []
    for resource in planned:
        after, unknown = resource["change"]["after"], resource["change"]["after_unknown"]
        match resource["type"]:
            case "google_firestore_database":
                kept = (after["delete_protection_state"], after["point_in_time_recovery_enablement"])
                lines.append(f"{after['name']} in {after['location_id']}: {', '.join(kept)}")
            case "google_firestore_backup_schedule":
                lines.append(f"{resource['address']}: kept for {after['retention']}")
            case "google_secret_manager_secret_version":
                in_state = after.get("secret_data") or unknown.get("secret_data")
                lines.append(f"{resource['address']}: {'IN THE STATE' if in_state else 'write-only'}")
            case _:
                continue
    yield from sorted(lines)


def _function(name: str, concurrency: int, instances: int, memory: str, timeout_s: int | str, reached: str) -> str:
    return f"{name}: {concurrency} at a time in up to {instances} instances of {memory}, {timeout_s} s; {reached}"
