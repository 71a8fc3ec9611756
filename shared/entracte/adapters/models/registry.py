"""Models by name: ``provider/name``. Each provider is imported only when it is used."""

from __future__ import annotations

from collections.abc import Callable

from entracte.errors import ConfigurationError
from entracte.ports.model import Model

PROVIDERS = ("openai", "scripted")


def open_model(
    name: str, *, base_url: str = "", api_key: Callable[[], str] | None = None, max_retries: int = 3
) -> Model:
    """A model that is ready to be asked; nothing is sent yet.

    Args:
        name: ``provider/name``, such as ``openai/gpt-5-mini`` or ``scripted/crm:demo.yaml``.
        base_url: Address of a compatible service; empty for the provider's own.
        api_key: Gives the key when it is needed.
        max_retries: Tries after the first, where the service asks for another.

    Raises:
        ConfigurationError: No such provider, or its settings are incomplete.
    """
    match name.partition("/"):
        case "openai", "/", model if model:
            from entracte.adapters.models.openai import OpenAIModel

            return OpenAIModel(model, base_url=base_url, api_key=api_key, max_retries=max_retries)
        case "scripted", "/", file if file:
            from entracte.adapters.models.scripted import Script

            return Script.load(file)
        case _:
            raise ConfigurationError(
                f"{name!r} is no model. A model is named provider/name; known providers: {', '.join(PROVIDERS)}.",
                code="unknown_model",
            )
