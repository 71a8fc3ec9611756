"""Models by name: ``provider/name``. Each provider is imported only when it is used."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING

from entracte.errors import ConfigurationError
from entracte.ports.model import Model

if TYPE_CHECKING:
    from entracte.adapters.models.google.cloud import Cloud
    from entracte.ports.embedder import Embedder

_PREDICTION = "google.cloud.aiplatform_v1beta1"

PROVIDERS = ("anthropic", "gemini", "openai", "scripted", "vertex")


def open_model(
    name: str,
    *,
    base_url: str = "",
    api_key: Callable[[], str] | None = None,
    max_retries: int = 3,
    cloud: Cloud | None = None,
) -> Model:
    """A model that is ready to be asked; nothing is sent yet.

    Args:
        name: ``provider/name``, such as ``vertex/gemini-3.8-flash`` or ``scripted/crm:demo.yaml``.
        base_url: Address of a compatible service; empty for the provider's own.
        api_key: Gives the key when it is needed.
        max_retries: Tries after the first, where the service asks for another.
        cloud: Where models on Vertex AI are asked.

    Raises:
        ConfigurationError: No such provider, or its settings are incomplete.
    """
    match name.partition("/"):
        case "anthropic", "/", model if model:
            from entracte.adapters.models.anthropic.model import AnthropicModel

            return AnthropicModel(model, base_url=base_url, api_key=api_key, max_retries=max_retries)
        case "gemini", "/", model if model:
            _need("google.genai", name, "gemini")
            from entracte.adapters.models.google.gemini import GeminiModel

            return GeminiModel(model, base_url=base_url, api_key=api_key, max_retries=max_retries)
        case "openai", "/", model if model:
            from entracte.adapters.models.openai.model import OpenAIModel

            return OpenAIModel(model, base_url=base_url, api_key=api_key, max_retries=max_retries)
        case "scripted", "/", file if file:
            from entracte.adapters.models.scripted.model import Script

            return Script.load(file)
        case "vertex", "/", model if model:
            return _on_vertex(model, base_url, max_retries, cloud)
        case _:
            raise ConfigurationError(
                f"{name!r} is no model. A model is named provider/name; known providers: {', '.join(PROVIDERS)}.",
                code="unknown_model",
            )


def _need(package: str, model: str, extra: str) -> None:
    """Find a package that not everybody installs, without importing it.

    Raises:
        ConfigurationError: It is not there.
    """
    if find_spec(package) is None:
        raise ConfigurationError(
            f"{model} needs the package {package}, which is not installed.",
            remedy=f"Install entracte[{extra}].",
            code="not_installed",
        )


def _on_vertex(model: str, base_url: str, max_retries: int, cloud: Cloud | None) -> Model:
    from entracte.adapters.models.google.cloud import Cloud

    where = cloud or Cloud()
    if model.startswith("claude-"):
        from entracte.adapters.models.anthropic.model import VertexClaude

        return VertexClaude(model, cloud=where, base_url=base_url, max_retries=max_retries)
    _need(_PREDICTION, f"vertex/{model}", "vertex")
    from entracte.adapters.models.google.vertex import VertexModel

    return VertexModel(model, cloud=where, base_url=base_url, max_retries=max_retries)


def open_embedder(
    name: str,
    *,
    base_url: str = "",
    api_key: Callable[[], str] | None = None,
    max_retries: int = 3,
    cloud: Cloud | None = None,
) -> Embedder:
    """An embedding model that is ready to be asked; nothing is sent yet. Its arguments are `open_model`'s.

    Raises:
        ConfigurationError: No such provider, or its settings are incomplete.
    """
    match name.partition("/"):
        case "openai", "/", model if model:
            from entracte.adapters.models.openai.embedder import OpenAIEmbedder

            return OpenAIEmbedder(model, base_url=base_url, api_key=api_key, max_retries=max_retries)
        case "vertex", "/", model if model:
            _need(_PREDICTION, name, "vertex")
            from entracte.adapters.models.google.cloud import Cloud
            from entracte.adapters.models.google.embedder import VertexEmbedder

            return VertexEmbedder(model, cloud=cloud or Cloud(), base_url=base_url, max_retries=max_retries)
        case _:
            raise ConfigurationError(
                f"{name!r} is no embedding model. One is named openai/NAME or vertex/NAME.", code="unknown_model"
            )
