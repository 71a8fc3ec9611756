"""Which records and which runner the options mean."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from entracte.cli.options import Options
from entracte.cli.records.records import Json, Records
from entracte.cli.runners.model_choice import NETWORKS_OWN, ModelChoice
from entracte.cli.runners.runner import OnEvent, Runner
from entracte.errors import ConfigurationError
from entracte.runtime.settings import Settings, read_settings, store_file

if TYPE_CHECKING:
    from entracte.client import Client

SAMPLE = "crm:network"


@contextmanager
def open_records(options: Options, *, new: bool = False) -> Iterator[Records]:
    """Runs as they are kept, until the end of the block.

    Args:
        new: Make the store where there is none.

    Raises:
        ConfigurationError: There is no store, or it is none of Entracte's.
    """
    records: Records
    if options.url:
        from entracte.cli.records.remote_records import RemoteRecords

        records = RemoteRecords(open_client(options))
    else:
        from entracte.cli.records.local_records import LocalRecords
        from entracte.runtime.local.embedded import open_store

        settings = settings_of(options)
        if settings.store != "memory" and not new and not (file := store_file(settings.store)).exists():
            raise ConfigurationError(
                f"There is no store {file}: nothing has been run here.",
                remedy="Make a run, go to the folder where one was made, or name the store's file with --store.",
            )
        records = LocalRecords(open_store(settings.store), owner=settings.user, retention=settings.retention)
    try:
        yield records
    finally:
        records.close()


def open_runner(
    options: Options,
    *,
    choice: ModelChoice = NETWORKS_OWN,
    run: Json | None = None,
    on_event: OnEvent | None = None,
) -> Runner:
    """Something that makes runs; the caller closes it.

    Args:
        run: Go on with this run: with the network that made it, unless --network names another.
        on_event: Is told what happens in the runs.

    Raises:
        ConfigurationError: No network is named, or what was named cannot be used.
    """
    if options.url:
        if choice.base_url:
            raise ConfigurationError(
                "--base-url is for networks on this machine.",
                remedy="Behind --url, --model names one of those that the network allows.",
            )
        from entracte.cli.runners.remote_runner import RemoteRunner

        return RemoteRunner(open_client(options), on_event, model=choice.model)
    from entracte.cli.runners.local_runner import LocalRunner

    settings = settings_of(options)
    if choice.base_url and not (choice.model or settings.model):
        raise ConfigurationError("--base-url needs --model.", remedy="Name the model that is served there.")
    if choice.model:
        from entracte.adapters.models.registry import open_model
        from entracte.runtime.models import cloud_of

        # A mistyped name is told now, not by a run that fails. Keys are looked up with the first question.
        open_model(choice.model, base_url=choice.base_url, api_key=str, cloud=cloud_of(settings))
    settings = replace(
        settings,
        network=network_reference(options, run),
        model=choice.model or settings.model,
        model_base_url=choice.base_url or settings.model_base_url,
    )
    return LocalRunner.open(settings, on_event, run=run["id"] if run is not None else "")


def network_reference(options: Options, run: Json | None = None) -> str:
    """The network as ``package.module:name``: the one that is named, else the one that made the run, else the sample.

    Raises:
        ConfigurationError: None is named, and a run that some other network made must not go on with the sample.
    """
    named = options.network or settings_of(options).network
    if run is None:
        return named or _sample()
    found = options.network or (run["network"] if ":" in run["network"] else named)
    if not found:
        raise ConfigurationError(
            f"Run {run['id']} was made by a network that has no address, {run['network']!r}.",
            remedy="Name it: --network package.module:name.",
        )
    return str(found)


def store_above(options: Options) -> Path | None:
    """The store's file if nobody named it and it lies in a folder above: whoever shares it may not expect so."""
    if options.url or settings_of(options).store:
        return None
    file = store_file("")
    return file if file.parent.parent != Path.cwd() else None


def settings_of(options: Options) -> Settings:
    """The environment's settings, with what the options say in their place."""
    settings = read_settings()
    settings = replace(
        settings,
        network=options.network or settings.network,
        store=options.store or settings.store,
        user=options.user or settings.user,
    )
    if settings.store == "firestore":
        raise ConfigurationError(
            "The command line does not open Firestore itself.",
            remedy="Give --url and the address of the deployment's API, or --store and a file.",
        )
    return settings


def is_kept(options: Options) -> bool:
    """Whether what is run can be looked at afterwards."""
    return bool(options.url) or settings_of(options).store != "memory"


def open_client(options: Options) -> Client:
    """The API behind --url; the caller closes it."""
    from entracte.client import Client

    variables = read_settings().variables
    token, iam_token = variables.get("ENTRACTE_TOKEN", ""), variables.get("ENTRACTE_IAM_TOKEN", "")
    return Client(options.url, token=options.token or token, iam_token=iam_token)


def _sample() -> str:
    if find_spec("crm") is None:
        raise ConfigurationError(
            "No network is named.", remedy="Give --network package.module:name, or set ENTRACTE_NETWORK."
        )
    return SAMPLE
