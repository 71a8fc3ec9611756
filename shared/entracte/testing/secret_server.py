"""Secret Manager as a fake that speaks its real wire protocol: gRPC, asked by the real client library."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from google.cloud.secretmanager_v1 import SecretManagerServiceClient


@dataclass
class SecretServer:
    """What it holds, and what it was asked.

    Attributes:
        versions: Values by secret, oldest first; what comes last is ``latest``.
        failing: Name of a gRPC status that every request is answered with, such as ``UNAVAILABLE``; empty for none.
        asked: Resource names that were asked for.
        client: Asks it.
    """

    client: SecretManagerServiceClient
    versions: dict[str, list[str]] = field(default_factory=dict)
    failing: str = ""
    asked: list[str] = field(default_factory=list)


@contextmanager
def secret_server() -> Iterator[SecretServer]:
    """An empty server, until the end of the block."""
    import grpc
    from google.cloud.secretmanager_v1 import (
        AccessSecretVersionRequest,
        AccessSecretVersionResponse,
        SecretManagerServiceClient,
    )
    from google.cloud.secretmanager_v1.services.secret_manager_service.transports.grpc import (
        SecretManagerServiceGrpcTransport,
    )

    server = grpc.server(ThreadPoolExecutor(1))
    port = server.add_insecure_port("127.0.0.1:0")
    channel = grpc.insecure_channel(f"127.0.0.1:{port}")
    fake = SecretServer(SecretManagerServiceClient(transport=SecretManagerServiceGrpcTransport(channel=channel)))

    def access(request: Any, context: Any) -> Any:
        fake.asked.append(request.name)
        if fake.failing:
            context.abort(grpc.StatusCode[fake.failing], "As the test has it.")
        path, _, _ = request.name.rpartition("/versions/")
        versions = fake.versions.get(path.rpartition("/")[2], [])
        if not versions:
            context.abort(grpc.StatusCode.NOT_FOUND, f"Secret [{path}] not found or has no versions.")
        name = f"{path}/versions/{len(versions)}"
        return AccessSecretVersionResponse.pb(
            AccessSecretVersionResponse(name=name, payload={"data": versions[-1].encode(errors="surrogateescape")})
        )

    read = AccessSecretVersionRequest.pb().FromString
    handler = grpc.unary_unary_rpc_method_handler(access, read, lambda message: message.SerializeToString())
    service = "google.cloud.secretmanager.v1.SecretManagerService"
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, {"AccessSecretVersion": handler}),))
    server.start()
    try:
        yield fake
    finally:
        channel.close()
        server.stop(None).wait()
