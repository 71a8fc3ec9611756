"""Settings: the only reader of the environment."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Literal, get_args

from msgspec import Struct

from entracte.core.runs.retention import RETENTION
from entracte.errors import ConfigurationError

Auth = Literal["loopback", "google", "firebase", "iap", "keys"]

FOLDER = ".entracte"
"""Folder that holds the embedded store; found by walking up from the current folder."""


class Settings(Struct, frozen=True, kw_only=True):
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
        prices: File with prices of models that go before those known here (ENTRACTE_PRICES): a path, or
            ``package:resource``; see `entracte.runtime.prices`.
        record: File that replies of models are recorded in, as a script to be replayed (ENTRACTE_RECORD).
        vertex_location: Where models on Vertex AI are asked (ENTRACTE_VERTEX_LOCATION): ``eu``, ``us``, a region, or
            ``global``, which promises no data residency. A deployment has to choose; elsewhere it is ``global``.
        vertex_transport: ``grpc``, or ``rest`` where no gRPC gets through (ENTRACTE_VERTEX_TRANSPORT).
        secrets: Where the functions' secrets are (ENTRACTE_SECRETS): ``secret-manager``, which it is on Cloud Run, or
            ``environment``.
        notify: Who is told of gates (ENTRACTE_NOTIFY, comma-separated): ``console:``, ``webhook+https://…``,
            ``mailto:…``, ``slack+https://…``, ``gchat+https://…``. Such an address may be as good as a password;
            ``slack+secret:NAME`` and its like name a secret that holds it.
        notify_from: Address that mails come from (ENTRACTE_NOTIFY_FROM).
        notify_loopback: Webhooks may go to this machine (ENTRACTE_NOTIFY_LOOPBACK).
        smtp: Mail server, ``smtp://[user@]host[:port]`` or ``smtps://…`` (ENTRACTE_SMTP).
        public_url: What links to gates begin with (ENTRACTE_PUBLIC_URL). Those that reach one person only are signed
            with the secret ENTRACTE_LINK_KEY, and decide the gate.
        console_confirmed: A test edit has shown that edits in the Firestore console carry their author
            (ENTRACTE_CONSOLE_CONFIRMED).
        service_accounts: This deployment's own, which never decide a gate; ``*`` stands for any text
            (ENTRACTE_SERVICE_ACCOUNTS, comma-separated). By default all of the project's.
        auth: What proves who calls the API (ENTRACTE_AUTH, comma-separated): ``loopback``, which takes all requests
            from this machine for one user's, or some of ``google``, ``firebase``, ``iap`` (their tokens), ``keys``.
        audience: Whom tokens of Google and IAP must be for (ENTRACTE_AUDIENCE, comma-separated); for a phase, what
            pushes may be for beside the address that they are sent to.
        users: Who may come in with a token (ENTRACTE_USERS, comma-separated): e-mails or user ids; ``*`` stands for any
            text, as in ``*@example.com``. Everybody who has the secret ENTRACTE_API_KEYS list their key may as well.
        operators: Who may see and do what any owner may (ENTRACTE_OPERATORS, comma-separated).
        certs_url: Where the issuers' public keys are, if elsewhere (ENTRACTE_CERTS_URL).
        behind_iam: Cloud Run checks the tokens of requests before they come here (ENTRACTE_BEHIND_IAM).
        push_account: E-mail of who then calls a phase (ENTRACTE_PUSH_ACCOUNT).
        tools_account: E-mail of the service account as which tools act (ENTRACTE_TOOLS_ACCOUNT); those that use
            `entracte.toolbox.google_credentials`.
        cors_origins: Sites whose pages may call the API (ENTRACTE_CORS_ORIGINS, comma-separated).
        requests_per_minute: Of one caller, to one instance of the API or the gateway (ENTRACTE_REQUESTS_PER_MINUTE).
        daily_cost_micro_usd: What the runs of one owner may cost a day; 0 for no cap (ENTRACTE_DAILY_COST_MICRO_USD).
        retention_days: How long closed runs and what belongs to them are kept; 0 or empty for ever
            (ENTRACTE_RETENTION_DAYS).
        otlp_endpoint: Receiver that spans are sent to by HTTP, at ``/v1/traces`` below it (ENTRACTE_OTLP_ENDPOINT,
            else OTEL_EXPORTER_OTLP_ENDPOINT). Without one, nothing is traced.
        service: Name of this service in traces (OTEL_SERVICE_NAME, else K_SERVICE).
        host: What the functions framework listens on (HOST).
        on_cloud_run: Seen by K_SERVICE.
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
    prices: str = ""
    record: str = ""
    vertex_location: str = ""
    vertex_transport: Literal["grpc", "rest"] = "grpc"
    secrets: Literal["secret-manager", "environment"] = "environment"
    notify: tuple[str, ...] = ()
    notify_from: str = ""
    notify_loopback: bool = False
    smtp: str = ""
    public_url: str = ""
    console_confirmed: bool = False
    service_accounts: tuple[str, ...] = ()
    auth: tuple[Auth, ...] = ("loopback",)
    audience: tuple[str, ...] = ()
    users: tuple[str, ...] = ()
    operators: tuple[str, ...] = ()
    certs_url: str = ""
    behind_iam: bool = False
    push_account: str = ""
    tools_account: str = ""
    cors_origins: tuple[str, ...] = ()
    requests_per_minute: int = 600
    daily_cost_micro_usd: int = 0
    retention_days: int = RETENTION.days
    otlp_endpoint: str = ""
    service: str = "entracte"
    host: str = "0.0.0.0"
    on_cloud_run: bool = False
    structured_logs: bool = False
    variables: Mapping[str, str] = {}

    def __repr__(self) -> str:
        return f"Settings(network={self.network!r}, project={self.project!r}, …)"  # others may hold secrets

    @property
    def retention(self) -> timedelta | None:
        """How long what has closed is kept; None for ever."""
        return timedelta(days=self.retention_days) if self.retention_days else None


def read_settings(environ: Mapping[str, str] | None = None) -> Settings:
    """Settings from environment variables.

    Raises:
        ConfigurationError: A variable has a value that cannot be used; names it.
    """
    variables = os.environ if environ is None else environ
    default = Settings()

    def text(name: str, otherwise: str) -> str:
        return variables.get(f"ENTRACTE_{name}", "").strip() or otherwise

    def texts(name: str, otherwise: str = "") -> tuple[str, ...]:
        return tuple(part.strip() for part in text(name, otherwise).split(",") if part.strip())

    project = text("PROJECT", variables.get("GOOGLE_CLOUD_PROJECT", ""))
    return Settings(
        network=text("NETWORK", ""),
        store=text("STORE", ""),
        project=project,
        database=text("DATABASE", default.database),
        topic_prefix=text("TOPIC_PREFIX", default.topic_prefix),
        function_timeout_s=_whole(
            "ENTRACTE_FUNCTION_TIMEOUT_S", text("FUNCTION_TIMEOUT_S", str(default.function_timeout_s)), 60, 3600
        ),
        user=text("USER", default.user),
        model=text("MODEL", ""),
        model_base_url=text("MODEL_BASE_URL", ""),
        prices=text("PRICES", ""),
        record=text("RECORD", ""),
        vertex_location=_location(text("VERTEX_LOCATION", "")),
        vertex_transport=_vertex_transport(text("VERTEX_TRANSPORT", "grpc")),
        secrets=_secrets(text("SECRETS", "secret-manager" if "K_SERVICE" in variables else "environment")),
        notify=texts("NOTIFY"),
        notify_from=text("NOTIFY_FROM", ""),
        notify_loopback=_yes("ENTRACTE_NOTIFY_LOOPBACK", text("NOTIFY_LOOPBACK", "false")),
        smtp=text("SMTP", ""),
        public_url=_web_address("ENTRACTE_PUBLIC_URL", text("PUBLIC_URL", "")),
        console_confirmed=_yes("ENTRACTE_CONSOLE_CONFIRMED", text("CONSOLE_CONFIRMED", "false")),
        service_accounts=texts("SERVICE_ACCOUNTS", _accounts_of(project)),
        auth=_auth(texts("AUTH", "loopback")),
        audience=texts("AUDIENCE"),
        users=texts("USERS"),
        operators=texts("OPERATORS"),
        certs_url=_web_address("ENTRACTE_CERTS_URL", text("CERTS_URL", "")),
        behind_iam=_yes("ENTRACTE_BEHIND_IAM", text("BEHIND_IAM", "false")),
        push_account=text("PUSH_ACCOUNT", ""),
        tools_account=text("TOOLS_ACCOUNT", ""),
        cors_origins=tuple(_web_address("ENTRACTE_CORS_ORIGINS", origin) for origin in texts("CORS_ORIGINS")),
        requests_per_minute=_number(
            "ENTRACTE_REQUESTS_PER_MINUTE", text("REQUESTS_PER_MINUTE", str(default.requests_per_minute)), 1, 10**6
        ),
        daily_cost_micro_usd=_number("ENTRACTE_DAILY_COST_MICRO_USD", text("DAILY_COST_MICRO_USD", "0"), 0, 10**15),
        retention_days=_number(
            "ENTRACTE_RETENTION_DAYS",
            variables.get("ENTRACTE_RETENTION_DAYS", str(default.retention_days)).strip() or "0",
            0,
            36_500,
            "whole number of days",
        ),
        otlp_endpoint=_web_address(
            "ENTRACTE_OTLP_ENDPOINT", text("OTLP_ENDPOINT", variables.get("OTEL_EXPORTER_OTLP_ENDPOINT", "").strip())
        ),
        service=variables.get("OTEL_SERVICE_NAME", "") or variables.get("K_SERVICE", "") or default.service,
        host=variables.get("HOST", "") or default.host,
        on_cloud_run="K_SERVICE" in variables,
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


def folder_of(store: str) -> Path:
    """The folder that a store's file lies in, as an absolute path; without a file, `FOLDER` in the current one."""
    return Path(FOLDER).absolute() if store in ("memory", "firestore") else store_file(store).absolute().parent


def _accounts_of(project: str) -> str:
    """The accounts that Google names after a project, and those that it names after the project's number."""
    return f"*@{project or '*'}.iam.gserviceaccount.com,*@developer.gserviceaccount.com,*@appspot.gserviceaccount.com"


def _location(text: str) -> str:
    if not re.fullmatch(r"[a-z0-9-]*", text):
        raise ConfigurationError(f"ENTRACTE_VERTEX_LOCATION is {text!r}; expected eu, us, global or a region.")
    return text


def _vertex_transport(text: str) -> Literal["grpc", "rest"]:
    match text:
        case "grpc" | "rest":
            return text
        case _:
            raise ConfigurationError(f"ENTRACTE_VERTEX_TRANSPORT is {text!r}; expected grpc or rest.")


def _secrets(text: str) -> Literal["secret-manager", "environment"]:
    match text:
        case "secret-manager" | "environment":
            return text
        case _:
            raise ConfigurationError(f"ENTRACTE_SECRETS is {text!r}; expected secret-manager or environment.")


def _yes(name: str, text: str) -> bool:
    if text.lower() not in ("true", "false"):
        raise ConfigurationError(f"{name} is {text!r}; expected true or false.")
    return text.lower() == "true"


def _web_address(name: str, text: str) -> str:
    if text and not text.startswith(("https://", "http://")):
        raise ConfigurationError(f"{name} is {text!r}; expected an address that begins with https://.")
    return text


def _auth(kinds: tuple[str, ...]) -> tuple[Auth, ...]:
    known: tuple[Auth, ...] = get_args(Auth)
    found = tuple(kind for kind in known if kind in kinds)
    if not found or len(found) != len(kinds) or ("loopback" in found and len(found) > 1):
        raise ConfigurationError(
            f"ENTRACTE_AUTH is {','.join(kinds)!r}; expected loopback, or some of {', '.join(known[1:])}."
        )
    return found


def _whole(name: str, text: str, low: int, high: int) -> int:
    return _number(name, text, low, high, "whole number of seconds")


def _number(name: str, text: str, low: int, high: int, what: str = "whole number") -> int:
    if not text.isdigit() or not low <= int(text) <= high:
        raise ConfigurationError(f"{name} is {text!r}; expected a {what} from {low} to {high}.")
    return int(text)
