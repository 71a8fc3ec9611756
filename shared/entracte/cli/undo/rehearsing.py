"""A dry run of an undo: live records are read, and nothing is written."""

from __future__ import annotations

from msgspec.structs import replace

from entracte.cli.invocation import Invocation
from entracte.cli.records.records import Json
from entracte.cli.records.undo_row import UndoRow, rows_of_dry_run
from entracte.cli.runners.opening import network_reference, open_client, settings_of


def rehearse(called: Invocation, run: Json, *, to: str, replan: bool) -> list[UndoRow]:
    """What an undo would do, newest effect first.

    Raises:
        NotFound: `to` is no effect of the run.
    """
    if called.options.url:
        with open_client(called.options) as client:
            return rows_of_dry_run(client.dry_run(run["id"], to=to, replan=replan))
    return rows_of_dry_run(_local(called, run, to=to, replan=replan))


def _local(called: Invocation, run: Json, *, to: str, replan: bool) -> list[Json]:
    """In this process, with a network that nothing is published to: no other run is brought forward by it."""
    from entracte.adapters.system.clock import SystemClock
    from entracte.adapters.system.secrets import EnvironmentSecrets
    from entracte.cli.records.local_records import NoBus
    from entracte.runtime.compose import compose
    from entracte.runtime.engine.workers import worker_name
    from entracte.runtime.loading import network_of
    from entracte.runtime.local.embedded import open_store
    from entracte.runtime.services.dry_run import dry_run
    from entracte.runtime.services.rendering import step_json

    settings = replace(settings_of(called.options), network=network_reference(called.options, run))
    runtime = compose(
        network_of(settings),
        store=open_store(settings.store),
        bus=NoBus(),
        clock=SystemClock(),
        secrets_port=EnvironmentSecrets(settings.variables),
        worker=worker_name(),
    )
    try:
        found = runtime.runs.get(run["id"], owner=settings.user)
        return [step_json(step) for step in dry_run(runtime.engine, found, to=to, replan=replan)]
    finally:
        runtime.close()
