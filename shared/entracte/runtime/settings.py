"""Settings: the only reader of the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from entracte.errors import ConfigurationError

FOLDER = ".entracte"
"""Folder that holds the embedded store; found by walking up from the current folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a deployment chooses.

    Attributes:
        network: ``package.module:name`` of the network (ENTRACTE_NETWORK).
        store: ``memory``, ``firestore``, or the path of an SQLite file (ENTRACTE_STORE).
        project: Google Cloud project (ENTRACTE_PROJECT, else GOOGLE_CLOUD_PROJECT).
        database: Firestore database (ENTRACTE_DATABASE).
        topic_prefix: Topics are ``{prefix}-{kind}`` (ENTRACTE_TOPIC_PREFIX).
        function_timeout_s: Seconds that one delivery may take (ENTRACTE_FUNCTION_TIMEOUT_S).
        user: Owner of what is made where nobody has signed in (ENTRACTE_USER).
        model, model_base_url: In place of the network's models (ENTRACTE_MODEL, ENTRACTE_MODEL_BASE_URL).
        structured_logs: One JSON object a line, as Cloud Logging reads them; set on Cloud Run (K_SERVICE).
        variables: Where secrets are looked up locally; never shown.
    """

    network: str = ""
    store: str = ""
    project: str = ""
    database: str = "(default)"
    topic_prefix: str = "entracte"
    function_timeout_s: int = 540
    user: str = "local"
    model: str = ""
    model_base_url: str = ""
    structured_logs: bool = False
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)


def read_settings(environ: Mapping[str, str] | None = None) -> Settings:
    """Settings from environment variables.

    Raises:
        ConfigurationError: A variable has a value that cannot be used; names it.
    """
    variables = os.environ if environ is None else environ
    default = Settings()

    def text(name: str, otherwise: str) -> str:
        return variables.get(f"ENTRACTE_{name}", "").strip() or otherwise

    return Settings(
        network=text("NETWORK", ""),
        store=text("STORE", ""),
        project=text("PROJECT", variables.get("GOOGLE_CLOUD_PROJECT", "")),
        database=text("DATABASE", default.database),
        topic_prefix=text("TOPIC_PREFIX", default.topic_prefix),
        function_timeout_s=_whole(
            "ENTRACTE_FUNCTION_TIMEOUT_S", text("FUNCTION_TIMEOUT_S", str(default.function_timeout_s)), 60, 3600
        ),
        user=text("USER", default.user),
        model=text("MODEL", ""),
        model_base_url=text("MODEL_BASE_URL", ""),
        structured_logs="K_SERVICE" in variables,
        variables=variables,
    )


def store_file(store: str, start: Path | None = None) -> Path:
    """The SQLite file: the one named, else the nearest one above the current folder, else a new one in it."""
    if store:
        return Path(store)
    here = start or Path.cwd()
    for folder in (here, *here.parents):
        if (found := folder / FOLDER / "entracte.db").exists():
            return found
    return here / FOLDER / "entracte.db"


def _whole(name: str, text: str, low: int, high: int) -> int:
    if not text.isdigit() or not low <= int(text) <= high:
        raise ConfigurationError(f"{name} is {text!r}; expected a whole number of seconds from {low} to {high}.")
    return int(text)
