"""The store in Firestore, and in its emulator where ``FIRESTORE_EMULATOR_HOST`` says so."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any, Final

from google.api_core import exceptions, retry
from google.cloud.firestore_v1 import types
from google.cloud.firestore_v1.services.firestore import FirestoreClient

from entracte.adapters.gcp.firestore.connect import connect, emulator_of_environment, metadata
from entracte.adapters.gcp.firestore.faults import commit_fault, faults, read_fault
from entracte.adapters.gcp.firestore.query import query_request
from entracte.adapters.gcp.firestore.values import decode_fields
from entracte.adapters.gcp.firestore.write import commit_request, version
from entracte.core.paths import check_document
from entracte.ports.answerable import answerable
from entracte.ports.storable import storable_writes
from entracte.ports.store import Create, Query, Stored, Update, Version, Write

_BatchGetRequest: Final = types.BatchGetDocumentsRequest.pb()


class FirestoreStore:
    """Documents in one database of Firestore."""

    def __init__(
        self, project: str, database: str = "(default)", *, emulator: str | None = None, timeout_s: float = 15.0
    ) -> None:
        """Connect to nothing yet.

        Args:
            emulator: ``host:port`` of an emulator, or empty for Google Cloud; None for what the environment says.
            timeout_s: Seconds that one call may take, its retries included.
        """
        self._database = f"projects/{project}/databases/{database}"
        self._documents = f"{self._database}/documents"
        self._emulator = emulator_of_environment() if emulator is None else emulator
        self._metadata = metadata(self._database, self._emulator)
        self._timeout_s = timeout_s
        self._retry = retry.Retry(
            predicate=retry.if_exception_type(exceptions.ServiceUnavailable, exceptions.InternalServerError),
            initial=0.1,
            maximum=2.0,
            timeout=timeout_s,
        )
        self._lock = threading.Lock()
        self._client: FirestoreClient | None = None
        self._closed = False

    def load(self, paths: Sequence[str]) -> Mapping[str, Stored]:
        for path in paths:
            check_document(path)
        if not paths:
            return {}
        names = [f"{self._documents}/{path}" for path in dict.fromkeys(paths)]
        request = types.BatchGetDocumentsRequest.wrap(_BatchGetRequest(database=self._database, documents=names))
        with faults(self._database, read_fault):
            answers = self._connected().batch_get_documents(
                request, retry=self._retry, timeout=self._timeout_s, metadata=self._metadata
            )
            found = [types.BatchGetDocumentsResponse.pb(answer) for answer in answers]
        loaded = [self._stored(answer.found) for answer in found if answer.HasField("found")]
        return {stored.path: stored for stored in loaded}

    def commit(self, writes: Sequence[Write]) -> Mapping[str, Version]:
        storable = [write for write, _ in storable_writes(writes)]
        if not storable:
            return {}
        request = commit_request(self._database, self._documents, storable)
        with faults(self._database, commit_fault):
            # No retry: it would find the first try, which only the caller can tell from another's commit.
            answer = self._connected().commit(request, retry=None, timeout=self._timeout_s, metadata=self._metadata)
        results = types.CommitResponse.pb(answer).write_results
        return {
            write.path: version(result.update_time)
            for write, result in zip(storable, results, strict=True)
            if isinstance(write, (Create, Update))
        }

    def query(self, query: Query) -> Sequence[Stored]:
        request = query_request(self._documents, answerable(query))
        with faults(self._database, read_fault):
            answers = self._connected().run_query(
                request, retry=self._retry, timeout=self._timeout_s, metadata=self._metadata
            )
            found = [types.RunQueryResponse.pb(answer) for answer in answers]
        return [self._stored(answer.document) for answer in found if answer.HasField("document")]

    def close(self) -> None:
        with self._lock:
            self._closed = True
            if self._client is not None:
                self._client.transport.close()
                self._client = None

    def _connected(self) -> FirestoreClient:
        """The client, made when it is first needed: the functions framework forks after it has loaded the function,
        and gRPC's threads and connections do not survive a fork.
        """
        with self._lock:
            if self._closed:
                raise RuntimeError("The store is closed.")
            if self._client is None:
                self._client = connect(self._emulator)
            return self._client

    def _stored(self, document: Any) -> Stored:
        return Stored(
            path=document.name.removeprefix(f"{self._documents}/"),
            fields=decode_fields(document.fields),
            version=version(document.update_time),
        )
