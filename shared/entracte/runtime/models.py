"""The models of a network, opened as it and the settings say. Part of the composition; see compose.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from entracte.agents.models import Model as ModelOptions
from entracte.agents.network import Network
from entracte.core.asking.roles import allowed_models
from entracte.errors import ConfigurationError
from entracte.ports.embedder import Embedder
from entracte.ports.model import Model
from entracte.ports.secrets import Secrets
from entracte.runtime.once import once
from entracte.runtime.settings import Settings

if TYPE_CHECKING:
    from entracte.adapters.models.google.cloud import Cloud


def models_of(
    network: Network, secrets_port: Secrets, cloud: Cloud | None, *, record: str = ""
) -> Callable[[str], Model]:
    """Opens the network's models by name, each once. A key that no model names is looked up under its usual name.

    Args:
        record: File that their replies are recorded in; empty for none.
    """
    recording = _recording(record) if record else None

    @once
    def opened(name: str) -> Model:
        from entracte.adapters.models.registry import open_model

        options = network.model_options.get(name) or ModelOptions(name)
        model = open_model(
            name,
            base_url=options.base_url,
            api_key=_key(options, secrets_port),
            max_retries=options.max_retries,
            cloud=cloud,
        )
        return recording(model) if recording is not None else model

    return opened


def embedder_of(network: Network, secrets_port: Secrets, cloud: Cloud | None) -> Embedder | None:
    """The network's embedding model; None where it names none, so that who searches goes by words."""
    if not (name := network.blueprint.roles.embed):
        return None
    from entracte.adapters.models.registry import open_embedder

    options = network.model_options.get(name) or ModelOptions(name)
    return open_embedder(
        name,
        base_url=options.base_url,
        api_key=_key(options, secrets_port),
        max_retries=options.max_retries,
        cloud=cloud,
    )


def _key(options: ModelOptions, secrets_port: Secrets) -> Callable[[], str] | None:
    """Gives the key: the one that is named, else the one of the provider's usual name; None where none is needed."""
    from entracte.adapters.models.keys import secret_name

    name = options.api_key.name if options.api_key is not None else secret_name(options.name, options.base_url)
    return (lambda: secrets_port.get(name)) if name else None


def _recording(file: str) -> Callable[[Model], Model]:
    from entracte.adapters.models.scripted.recorder import Recording

    return Recording(file).of


def cloud_of(settings: Settings) -> Cloud:
    """Where models on Vertex AI are asked: on one's own machine anywhere, unless a location was chosen."""
    from entracte.adapters.models.google.cloud import Cloud

    location = settings.vertex_location or ("" if settings.on_cloud_run else "global")
    return Cloud(project=settings.project, location=location, transport=settings.vertex_transport)


def check_location(network: Network, settings: Settings) -> None:
    """A deployment on Vertex AI has to choose where its data may go; nobody else can.

    Raises:
        ConfigurationError: It has not.
    """
    on_vertex = sorted(name for name in allowed_models(network.blueprint) if name.startswith("vertex/"))
    if on_vertex and settings.on_cloud_run and not settings.vertex_location:
        raise ConfigurationError(
            f"No location was chosen for {', '.join(on_vertex)}.",
            remedy="Set ENTRACTE_VERTEX_LOCATION: eu or us keep what is sent there, global promises nothing.",
            code="no_location",
        )
