"""What only the Firestore store does: what its errors mean, what is tried again, and what others wrote."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import grpc
import pytest
from google.api_core.exceptions import NotFound, from_grpc_status
from google.auth.exceptions import RefreshError
from google.cloud import firestore
from google.cloud.firestore_v1 import types
from hypothesis import given

from entracte.adapters.gcp.firestore.faults import commit_fault, read_fault
from entracte.adapters.gcp.firestore.write import commit_request
from entracte.adapters.gcp.store import FirestoreStore
from entracte.core.values import plain_fields
from entracte.errors import (
    AmbiguousCommit,
    ConfigurationError,
    EntracteError,
    InvalidInput,
    StaleWrite,
    StoreUnavailable,
)
from entracte.ports.store import Create, Update
from entracte.testing.store_value_contract import EXAMPLES, FIELDS

PLACE = "projects/p/databases/(default)"

OTHERWISE: tuple[type[EntracteError], type[EntracteError]] = (AmbiguousCommit, StoreUnavailable)

MEANINGS: Mapping[grpc.StatusCode, tuple[type[EntracteError], type[EntracteError]]] = {
    grpc.StatusCode.ABORTED: (StaleWrite, StoreUnavailable),
    grpc.StatusCode.ALREADY_EXISTS: (StaleWrite, StoreUnavailable),
    grpc.StatusCode.FAILED_PRECONDITION: (StaleWrite, ConfigurationError),
    grpc.StatusCode.INVALID_ARGUMENT: (InvalidInput, InvalidInput),
    grpc.StatusCode.NOT_FOUND: (StaleWrite, ConfigurationError),
    grpc.StatusCode.PERMISSION_DENIED: (ConfigurationError, ConfigurationError),
    grpc.StatusCode.RESOURCE_EXHAUSTED: (StoreUnavailable, StoreUnavailable),
    grpc.StatusCode.UNAUTHENTICATED: (ConfigurationError, ConfigurationError),
}


class BusyServer:
    """Speaks Firestore's protocol on a port of its own, counts calls, and is unavailable for the first few reads."""

    def __init__(self, *, refused_reads: int) -> None:
        self.calls: list[str] = []
        self._refused_reads = refused_reads
        handlers = {
            "BatchGetDocuments": grpc.unary_stream_rpc_method_handler(self._read),
            "Commit": grpc.unary_unary_rpc_method_handler(self._commit),
        }
        self._server = grpc.server(ThreadPoolExecutor(2))
        service = grpc.method_handlers_generic_handler("google.firestore.v1.Firestore", handlers)
        self._server.add_generic_rpc_handlers((service,))
        self.address = f"127.0.0.1:{self._server.add_insecure_port('127.0.0.1:0')}"
        self._server.start()

    def _read(self, request: bytes, context: grpc.ServicerContext) -> Iterator[bytes]:
        self.calls.append("read")
        if len(self.calls) <= self._refused_reads:
            context.abort(grpc.StatusCode.UNAVAILABLE, "busy")
        yield types.BatchGetDocumentsResponse.pb()(missing="x").SerializeToString()

    def _commit(self, request: bytes, context: grpc.ServicerContext) -> bytes:
        self.calls.append("commit")
        context.abort(grpc.StatusCode.UNAVAILABLE, "busy")
        raise AssertionError("abort raises")

    def stop(self) -> None:
        self._server.stop(None).wait(10)


@pytest.mark.parametrize("code", [code for code in grpc.StatusCode if code is not grpc.StatusCode.OK])
def test_every_error_of_the_client_has_a_meaning(code: grpc.StatusCode):
    """What is not known to have done nothing may have been committed."""
    error = from_grpc_status(code, "why")
    faults = (commit_fault(PLACE, error), read_fault(PLACE, error))
    assert tuple(type(fault) for fault in faults) == MEANINGS.get(code, OTHERWISE)
    assert all("why" in fault.message and PLACE in fault.message for fault in faults)


def test_a_token_that_could_not_be_had_means_that_nothing_was_sent():
    """The metadata server may be slow to start."""
    error = RefreshError("no answer")
    assert type(commit_fault(PLACE, error)) is StoreUnavailable
    assert type(read_fault(PLACE, error)) is StoreUnavailable


def test_a_missing_database_is_no_conflict():
    """It would be tried again for ever."""
    error = NotFound("The database (default) does not exist for project p")
    assert type(commit_fault(PLACE, error)) is ConfigurationError


def test_a_read_is_tried_again_and_a_commit_is_not():
    """The second try of a commit would find the first; only its author can tell it from another's."""
    server = BusyServer(refused_reads=1)
    store = FirestoreStore("demo-busy", emulator=server.address, timeout_s=10)
    assert store.load(["things/a"]) == {}
    with pytest.raises(AmbiguousCommit, match="busy"):
        store.commit([Create("things/a", {})])
    store.close()
    server.stop()
    assert server.calls == ["read", "read", "commit"]


def test_an_emulator_that_is_down_is_an_error_in_time():
    """A handler must still have time to nack."""
    store = FirestoreStore("demo-down", emulator="127.0.0.1:9", timeout_s=0.3)  # "discard": nobody listens there
    with pytest.raises(StoreUnavailable, match="projects/demo-down/databases"):
        store.load(["things/a"])
    with pytest.raises(AmbiguousCommit, match="projects/demo-down/databases"):
        store.commit([Create("things/a", {})])
    store.close()


def test_a_closed_store_says_so():
    """Rather than open a connection again."""
    store = FirestoreStore("demo-closed", emulator="127.0.0.1:9")
    store.close()
    with pytest.raises(RuntimeError, match="The store is closed"):
        store.load(["things/a"])


@EXAMPLES
@given(fields=FIELDS)
def test_a_commit_is_never_larger_than_it_was_counted(fields: dict[str, Any]):
    """So one within the limit is never refused by Firestore for its size."""
    path = "sessions/s/artifacts/日本"
    plain, size = plain_fields(path, fields)
    database = f"projects/{'p' * 30}/databases/{'d' * 63}"
    request = commit_request(database, f"{database}/documents", [Update(path, plain, 2**60)])
    assert types.CommitRequest.pb(request).ByteSize() <= size + len(path.encode()) + 300


@pytest.mark.emulator
def test_what_a_person_put_into_a_document_is_read_as_plain_data(firestore_emulator: str):
    """The console offers kinds that no store writes, and finer times."""
    project = f"demo-{uuid4().hex[:12]}"
    console = firestore.Client(project=project)
    console.document("gates/g").set(
        {
            "place": firestore.GeoPoint(1.5, -2),
            "link": console.document("runs/r"),
            "at": datetime(2026, 11, 30, 12, 0, 0, 123_456, UTC),
            "n": float("inf"),
        }
    )
    store = FirestoreStore(project, emulator=firestore_emulator)
    fields = store.load(["gates/g"])["gates/g"].fields
    store.close()
    console.close()
    assert fields == {
        "place": {"latitude": 1.5, "longitude": -2},
        "link": f"projects/{project}/databases/(default)/documents/runs/r",
        "at": datetime(2026, 11, 30, 12, 0, 0, 123_000, UTC),
        "n": float("inf"),
    }


@pytest.mark.emulator
def test_a_store_goes_where_the_environment_says(firestore_emulator: str):
    """As Google's own clients do, so that bus and store never end up in different places."""
    project = f"demo-{uuid4().hex[:12]}"
    store, same = FirestoreStore(project), FirestoreStore(project, emulator=firestore_emulator)
    store.commit([Create("things/a", {"n": 1})])
    assert same.load(["things/a"])["things/a"].fields == {"n": 1}
    store.close()
    same.close()


@pytest.mark.emulator
def test_databases_of_a_project_are_apart(firestore_emulator: str):
    """A deployment may share a project."""
    project = f"demo-{uuid4().hex[:12]}"
    one, other = (FirestoreStore(project, name, emulator=firestore_emulator) for name in ("(default)", "other"))
    one.commit([Create("things/a", {})])
    assert other.load(["things/a"]) == {}
    one.close()
    other.close()
