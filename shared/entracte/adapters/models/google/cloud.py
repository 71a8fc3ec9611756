"""Where on Google Cloud models are asked: project, location, and the address and access that follow from them."""

from __future__ import annotations

import threading
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

from entracte.adapters.models.service import host_of
from entracte.errors import ConfigurationError

if TYPE_CHECKING:
    from google.cloud.aiplatform_v1beta1.services.prediction_service import PredictionServiceClient

SCOPES = ("https://www.googleapis.com/auth/cloud-platform",)


class Cloud(Struct, frozen=True, kw_only=True):
    """What a deployment chooses for its models on Vertex AI.

    Attributes:
        project: Google Cloud project; empty for the one of the credentials.
        location: ``global``, ``us``, ``eu``, or a region; empty when none was chosen.
        transport: How Google's client speaks: ``rest`` where no gRPC gets through.
    """

    project: str = ""
    location: str = ""
    transport: Literal["grpc", "rest"] = "grpc"


class VertexAddress:
    """Vertex AI in one location.

    Args:
        model: Name of the model that is to be asked there, for errors.
        base_url: Instead of the location's own address. With http, which is for tests, nobody is signed in.

    Attributes:
        host: Where it is.
        url: The same with its scheme.
        location: As chosen.

    Raises:
        ConfigurationError: No location was chosen.
    """

    def __init__(self, cloud: Cloud, *, model: str, base_url: str = "") -> None:
        if not cloud.location:
            raise ConfigurationError(
                f"No location was chosen for {model}.",
                remedy="Set ENTRACTE_VERTEX_LOCATION: eu or us keep what is sent there, global promises nothing.",
                code="no_location",
            )
        self._cloud = cloud
        self._signing_in = threading.Lock()
        self._insecure = base_url.startswith("http://")
        self.location = cloud.location
        self.host = host_of(base_url) if base_url else _host(cloud.location)
        self.url = f"{'http' if self._insecure else 'https'}://{self.host}"

    def model_path(self, name: str, publisher: str) -> str:
        """Full resource name of a publisher's model; a name that is full already stays."""
        if name.startswith("projects/"):
            return name
        return f"projects/{self._project}/locations/{self.location}/publishers/{publisher}/models/{name}"

    def token(self) -> str:
        """An access token; empty where nobody is signed in."""
        if self._insecure:
            return ""
        from google.auth.transport.requests import Request

        with self._signing_in:
            credentials = self._signed_in[0]
            if not credentials.valid:
                credentials.refresh(Request())
            return str(credentials.token)

    @cached_property
    def prediction_client(self) -> PredictionServiceClient:
        """The generated client. It keeps its channel, which comes back by itself after a freeze."""
        from google.cloud.aiplatform_v1beta1.services.prediction_service import PredictionServiceClient

        if self._insecure:
            return PredictionServiceClient(transport=self._insecure_transport())
        return PredictionServiceClient(
            credentials=self._signed_in[0],
            client_options={"api_endpoint": self.host},
            transport=self._cloud.transport,
        )

    def _insecure_transport(self) -> Any:
        from google.auth.credentials import AnonymousCredentials

        class Nobody(AnonymousCredentials):
            """The REST session renews credentials that are refused; there is nothing to renew."""

            def refresh(self, request: Any) -> None:
                """Stay nobody."""

        from google.cloud.aiplatform_v1beta1.services.prediction_service.transports import grpc, rest

        if self._cloud.transport == "rest":
            nobody = Nobody()  # type: ignore[no-untyped-call]  # its base class has no annotations
            return rest.PredictionServiceRestTransport(host=self.host, url_scheme="http", credentials=nobody)
        import grpc as plain_grpc

        return grpc.PredictionServiceGrpcTransport(channel=plain_grpc.insecure_channel(self.host))

    @property
    def _project(self) -> str:
        project = self._cloud.project or ("" if self._insecure else self._signed_in[1])
        if not project:
            raise ConfigurationError("No Google Cloud project is known.", remedy="Set ENTRACTE_PROJECT.")
        return project

    @cached_property
    def _signed_in(self) -> tuple[Any, str]:
        """Application default credentials, and the project that they name."""
        import google.auth

        credentials, project = google.auth.default(scopes=SCOPES)
        return credentials, project or ""


def _host(location: str) -> str:
    """The address of a location. Multi-regions have their own form.

    Source: https://cloud.google.com/vertex-ai/generative-ai/docs/learn/locations.
    """
    match location:
        case "global":
            return "aiplatform.googleapis.com"
        case "us" | "eu":
            return f"aiplatform.{location}.rep.googleapis.com"
        case _:
            return f"{location}-aiplatform.googleapis.com"
