"""Tries out a deployment on a real project, and writes down what nothing else can show.

    python3 infra/smoke.py --project P --region REGION --url https://… --message "Which plan is Ada on?" [--console]

Tokens come from ENTRACTE_TOKEN and, where Cloud Run itself asks who calls, ENTRACTE_IAM_TOKEN (infra/guide/sign-in.md).
The message should ask for nothing that changes anything. Findings are printed, and kept in smoke.json.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx

_TIMEOUT_S = 30.0
_RUN_TIMEOUT_S = 300.0
_OPEN = ("queued", "running")


@dataclass(frozen=True, slots=True)
class Finding:
    """What was tried, what was expected, and what was found.

    Attributes:
        as_expected: None where there is nothing to expect: a fact to be written down.
    """

    name: str
    expected: str
    found: str
    as_expected: bool | None


@dataclass(frozen=True, slots=True)
class Place:
    """A deployment, and who tries it.

    Attributes:
        token, iam_token: For the API and for Cloud Run; empty for none.
        phases: Addresses of phases, by name.
    """

    url: str
    token: str
    iam_token: str
    phases: Mapping[str, str]

    def headers(self) -> dict[str, str]:
        """What the API is sent."""
        user = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        iam = {"X-Serverless-Authorization": f"Bearer {self.iam_token}"} if self.iam_token else {}
        return user | iam


def closed_doors(http: httpx.Client, place: Place) -> Iterator[Finding]:
    """What must not be reached: the API without a proof, and phases from outside at all."""
    answer = http.get(f"{place.url}/v1/runs")
    yield _refused("the API without a token", answer, (401, 403))
    if place.iam_token:
        sent = {"Authorization": f"Bearer {place.iam_token}"}
        answer = http.get(f"{place.url}/v1/runs", headers=sent)
        yield _refused("a token for Cloud Run in the header of the API's", answer, (401,), says="token_stripped")
    for name, address in sorted(place.phases.items()):
        answer = http.post(address, json={}, headers=place.headers())
        yield _refused(f"{name} from outside", answer, (403, 404))


def _refused(name: str, answer: httpx.Response, statuses: tuple[int, ...], says: str = "") -> Finding:
    expected = " or ".join(map(str, statuses)) + (f", {says}" if says else "")
    fits = answer.status_code in statuses and says in answer.text
    return Finding(name, expected, f"{answer.status_code} {answer.text[:200]!r}", fits)


def a_run(http: httpx.Client, place: Place, message: str, pause: Callable[[], None]) -> Iterator[Finding]:
    """A run from start to end: each step of it was a push with Google's own token to a function of internal ingress."""
    name = "a run goes through the queues, pushed with OIDC to internal functions"
    answer = http.post(f"{place.url}/v1/runs", json={"message": message}, headers=place.headers())
    if answer.status_code not in (200, 201, 202):
        yield Finding(name, "accepted", f"{answer.status_code} {answer.text[:300]!r}", False)
        return
    run: dict[str, Any] = answer.json()
    began = time.monotonic()
    while run["status"] in _OPEN and time.monotonic() - began < _RUN_TIMEOUT_S:
        pause()
        run = http.get(f"{place.url}/v1/runs/{run['id']}", headers=place.headers()).json()
    took_s = time.monotonic() - began
    yield Finding(
        name,
        "succeeded or waiting",
        f"{run['status']} {run.get('error') or ''}".strip(),
        run["status"] in ("succeeded", "waiting"),
    )
    yield Finding("seconds to the answer, with cold starts", "", f"{took_s:.1f}", None)


def doctors(options: argparse.Namespace) -> Iterator[Finding]:
    """What `entracte doctor` says, the place of the trigger and the author of a console edit among it."""
    command = [sys.executable, "-m", "entracte.cli.main", "doctor", "--json", "--project", options.project]
    command += ["--region", options.region, "--prefix", options.prefix, *(["--console"] if options.console else [])]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)  # what a person has to do is told on the other
    for found in json.loads(done.stdout or "[]"):
        verdict = {"ok": True, "wrong": False}.get(found["verdict"])
        yield Finding(f"doctor: {found['name']}", "", found["told"], verdict)


def phases_of(project: str, region: str, prefix: str, number: str) -> dict[str, str]:
    """Addresses of the phases, as Cloud Run makes them of the project's number."""
    names = ("plan", "execute", "evaluate", "approve", "undo", "sweep", "gate-edit")
    return {name: f"https://{prefix}-{name}-{number}.{region}.run.app" for name in names}


def main(argv: list[str], environ: Mapping[str, str] = os.environ) -> int:
    """1 if something is not as expected."""
    parser = argparse.ArgumentParser(
        prog="smoke", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name in ("project", "region", "url", "message"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--project-number", default="", help="without it, phases are not tried from outside")
    parser.add_argument("--prefix", default="entracte")
    parser.add_argument("--console", action="store_true", help="have a document edited in the Firestore console")
    parser.add_argument("--to", type=Path, default=Path("smoke.json"), metavar="FILE")
    options = parser.parse_args(argv)
    number = options.project_number
    place = Place(
        url=options.url.rstrip("/"),
        token=environ.get("ENTRACTE_TOKEN", ""),
        iam_token=environ.get("ENTRACTE_IAM_TOKEN", ""),
        phases=phases_of(options.project, options.region, options.prefix, number) if number else {},
    )
    findings: list[Finding] = []
    with httpx.Client(timeout=_TIMEOUT_S) as http:
        for part in (
            closed_doors(http, place),
            a_run(http, place, options.message, lambda: time.sleep(1)),
            doctors(options),
        ):
            for finding in part:
                print(
                    {True: "ok   ", False: "WRONG", None: "     "}[finding.as_expected],
                    finding.name,
                    "·",
                    finding.found,
                )
                findings.append(finding)
    kept = {"project": options.project, "at": datetime.now(UTC).isoformat(timespec="seconds")}
    options.to.write_text(json.dumps({**kept, "findings": [asdict(it) for it in findings]}, indent=2) + "\n")
    print(f"Kept in {options.to}.")
    return 1 if any(it.as_expected is False for it in findings) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
