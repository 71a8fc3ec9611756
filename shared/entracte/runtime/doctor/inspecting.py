"""Opening a deployment to look at it, as doctor does; `deployed` opens one to run it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from entracte.ports.store import Store
from entracte.runtime.settings import Settings

if TYPE_CHECKING:
    from entracte.adapters.gcp.apis import GoogleApis


@contextmanager
def inspected(settings: Settings) -> Iterator[tuple[GoogleApis, Store]]:
    """Google's APIs and the store of a deployment; the emulators', where the environment names them.

    Raises:
        ConfigurationError: Nothing on this machine may ask Google Cloud.
    """
    from entracte.adapters.gcp.apis import GoogleApis, access_token
    from entracte.adapters.gcp.store import FirestoreStore

    emulators = emulators_of(settings)
    apis = GoogleApis(emulators, (lambda: "owner") if emulators else access_token())
    store = FirestoreStore(settings.project, settings.database)
    try:
        yield apis, store
    finally:
        store.close()
        apis.close()


def emulators_of(settings: Settings) -> dict[str, str]:
    """Addresses of the emulators that the environment names, by service; empty for Google Cloud."""
    hosts = {name: settings.variables.get(f"{name.upper()}_EMULATOR_HOST", "") for name in ("firestore", "pubsub")}
    return {name: f"http://{host}" for name, host in hosts.items() if host}
