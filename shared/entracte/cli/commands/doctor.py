"""``entracte doctor``: what is wrong with a deployment, and how to mend it."""

from __future__ import annotations

from typing import Annotated

import typer
from msgspec import to_builtins

from entracte.cli.invocation import invocation


def doctor(
    context: typer.Context,
    project: Annotated[
        str, typer.Option(metavar="ID", help="Project (else ENTRACTE_PROJECT; of a local stack, demo-entracte).")
    ] = "",
    prefix: Annotated[str, typer.Option(metavar="NAME", help="What its names begin with; entracte by default.")] = "",
    database: Annotated[
        str, typer.Option(metavar="ID", help="Firestore database; named as the prefix by default.")
    ] = "",
    region: Annotated[str, typer.Option(metavar="REGION", help="Of its functions.")] = "",
    console: Annotated[
        bool, typer.Option("--console", help="Have a document edited, to see whose name a console edit carries.")
    ] = False,
) -> None:
    """Say what is wrong with a deployment. Of each fault, how to mend it.

    Where FIRESTORE_EMULATOR_HOST and PUBSUB_EMULATOR_HOST are set, it looks at the local stack instead. Nothing is
    changed, but for the one document of --console. What cannot be seen from here is listed as such (?).

    Exit code: 0 nothing is wrong, 1 something is.
    """
    from entracte.cli.doctor.consulting import consult
    from entracte.cli.failures import FAILED

    called = invocation(context)
    findings = []
    for finding in consult(
        called.screen, project=project, prefix=prefix, database=database, region=region, console=console
    ):
        findings.append(finding)
        if not called.options.as_json:
            mark = {"ok": "ok", "wrong": "WRONG", "unknown": "?"}[finding.verdict]
            called.screen.print(f"{mark:5}  {finding.name}{f': {finding.told}' if finding.told else ''}")
            if finding.remedy:
                called.screen.print(f"       → {finding.remedy}")
    wrong = sum(finding.verdict == "wrong" for finding in findings)
    if called.options.as_json:
        called.screen.json([to_builtins(finding) for finding in findings])
    else:
        unseen = sum(finding.verdict == "unknown" for finding in findings)
        called.screen.note(f"{len(findings)} looked at: {wrong} wrong, {unseen} that cannot be seen from here.")
    raise typer.Exit(FAILED if wrong else 0)
