"""A network in the cloud: the composition of the functions."""

from __future__ import annotations

import secrets

from entracte.adapters.gcp.bus import PubSubBus
from entracte.adapters.gcp.store import FirestoreStore
from entracte.adapters.system.clock import SystemClock
from entracte.agents.network import Network
from entracte.ports.secrets import Secrets
from entracte.runtime.compose import Runtime, compose
from entracte.runtime.models import check_location, cloud_of
from entracte.runtime.prices import read_prices
from entracte.runtime.services.announcing import open_announcer
from entracte.runtime.settings import Settings
from entracte.runtime.tracing import tracing_of
from entracte.runtime.upkeep.alerting import AlertLines


def deployed(network: Network, settings: Settings) -> Runtime:
    """A network on Firestore and Pub/Sub, as the functions run it."""
    check_location(network, settings)
    clock, secrets_port = SystemClock(), secrets_of(settings)
    announce = open_announcer(settings, secrets_port, clock)
    return compose(
        network,
        observers=(AlertLines(),),
        store=FirestoreStore(settings.project, settings.database),
        bus=PubSubBus(settings.project, prefix=settings.topic_prefix),
        clock=clock,
        secrets_port=secrets_port,
        announce=announce,
        send_link=announce.send_link,
        prices=read_prices(settings.prices),
        cloud=cloud_of(settings),
        worker=f"cloud:{secrets.token_hex(8)}",
        timeout_s=settings.function_timeout_s,
        daily_cost_micro_usd=settings.daily_cost_micro_usd,
        retention=settings.retention,
        tracing=tracing_of(settings),
    )


def secrets_of(settings: Settings) -> Secrets:
    """Where the functions' secrets are."""
    if settings.secrets == "secret-manager":
        from entracte.adapters.gcp.secrets import SecretManagerSecrets

        return SecretManagerSecrets(settings.project, prefix=settings.topic_prefix)
    from entracte.adapters.system.secrets import EnvironmentSecrets

    return EnvironmentSecrets(settings.variables)
