"""What doctor looks at: the deployment that options and settings mean, and a test edit if it was asked for."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from entracte.cli.terminal.screen import Screen
from entracte.core.doctor.database import Index
from entracte.core.doctor.finding import Finding
from entracte.errors import ConfigurationError
from entracte.ports.store import Store, Update
from entracte.runtime.doctor.console_trial import try_the_console
from entracte.runtime.doctor.examining import Deployment, examine
from entracte.runtime.doctor.inspecting import emulators_of, inspected
from entracte.runtime.settings import Settings, read_settings

CONSOLE = "https://console.cloud.google.com/firestore/databases/{database}/data/panel/{path}?project={project}"
_LOCAL_PROJECT = "demo-entracte"
"""That of `infra/stack.py`, unless it is told another."""

_LOCAL_WAIT_S, _PERSONS_WAIT_S = 30.0, 300.0


def consult(
    screen: Screen, *, project: str, prefix: str, database: str, region: str, console: bool
) -> Iterator[Finding]:
    """Everything that is found, as it is found.

    Raises:
        ConfigurationError: No project is named, or nothing on this machine may ask Google Cloud.
    """
    from msgspec.structs import replace

    settings = read_settings()
    local = bool(emulators_of(settings))
    prefix = prefix or settings.topic_prefix
    named = settings.database if settings.database != "(default)" else prefix
    settings = replace(
        settings,
        project=project or settings.project or (_LOCAL_PROJECT if local else ""),
        database=database or (settings.database if local else named),
    )
    if not settings.project:
        raise ConfigurationError("No project is named.", remedy="Give --project, or set ENTRACTE_PROJECT.")
    it = Deployment(
        project=settings.project,
        database=settings.database,
        prefix=prefix,
        region=region,
        indexes=_indexes(),
        local=local,
    )
    with inspected(settings) as (apis, store):
        yield from examine(apis, it)
        if console:
            yield _test_edit(screen, store, settings, local=local)


def _test_edit(screen: Screen, store: Store, settings: Settings, *, local: bool) -> Finding:
    def edit(path: str) -> None:
        if local:  # nobody has a console here, so that it is edited in their place
            found = store.load((path,))[path]
            store.commit((Update(path, {**found.fields, "decision": "yes"}, found.version),))
        else:
            page = CONSOLE.format(project=settings.project, database=settings.database, path=path)
            screen.note(f"Open {page.replace('gates/', 'gates~2F')} and write yes into decision. Waiting…")

    return try_the_console(
        store, datetime.now(UTC), edit=edit, pause=_until(_LOCAL_WAIT_S if local else _PERSONS_WAIT_S), local=local
    )


def _until(wait_s: float) -> Callable[[], bool]:
    """Pauses that end after a while."""
    end = time.monotonic() + wait_s

    def pause() -> bool:
        time.sleep(0.5)
        return time.monotonic() < end

    return pause


def _indexes() -> Sequence[Index] | None:
    """What the queries need, where this is a checkout: the list stands beside Terraform, not in the package."""
    from ruamel.yaml import YAML

    from entracte.cli.scaffold.checkout import checkout

    try:
        file = checkout("doctor's list of indexes") / Path("infra/firestore/indexes.yaml")
    except ConfigurationError:
        return None
    listed = YAML(typ="safe").load(file.read_text("utf-8"))
    entries = [entry for part in ("queries", "client") for found in listed[part].values() for entry in found]
    return [(entry["collection"], entry["scope"], tuple(entry["fields"])) for entry in entries]
