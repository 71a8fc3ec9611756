"""Where the true values of placeholders lie: sealed, one document each, named by a keyed hash of the value.

They are immutable and named by what they hold, as chunks of payloads are: whoever finds one there need not write it, so
that no two processes can get in each other's way. They are written before the commit that refers to them.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from entracte.adapters.masking.sealing import Sealer
from entracte.core.addresses import sealed_path
from entracte.core.documents.base import SCHEMA
from entracte.core.masking.placeholders import placeholder
from entracte.core.payload import canonical
from entracte.errors import RetryableError, StaleWrite
from entracte.ports.store import Create, Store, Stored

PEPPER = "pepper"
"""Document that holds the key of an owner's hashes. It stays when the sealing key is changed, so that the same value
keeps its placeholder."""

_WRITES_A_COMMIT = 100
_MAX_REMEMBERED = 20_000

REMEMBERED = timedelta(minutes=10)
"""How long a process relies on what it has seen: an owner's values may be deleted, and the owner come back."""


class Vault:
    """Keeps and opens the values of owners. What it has opened it remembers for a while."""

    def __init__(self, store: Store, sealer: Sealer, now: Callable[[], datetime]) -> None:
        self._store = store
        self._sealer = sealer
        self._now = now
        self._peppers: dict[str, bytes] = {}
        self._opened: dict[str, Any] = {}  # by path
        self._since = now()

    def name(self, owner: str, kind: str, value: Any) -> str:
        """The placeholder of a value: the same for the same value of the same owner, and telling nothing of it."""
        mac = hmac.digest(self._pepper(owner), canonical(value).encode(), "sha256")
        return placeholder(kind, base64.b32encode(mac)[:10].decode().lower())

    def keep(self, owner: str, values: Mapping[str, Any]) -> None:
        """Keep values by their placeholders."""
        opened = self._remembered()
        wanted = {sealed_path(owner, name[1:-1]): value for name, value in values.items()}
        new = {path: value for path, value in wanted.items() if path not in opened}
        if not new:
            return
        there = self._store.load(tuple(new))
        missing = [self._sealed(path, value) for path, value in new.items() if path not in there]
        for start in range(0, len(missing), _WRITES_A_COMMIT):
            self._create(missing[start : start + _WRITES_A_COMMIT])
        opened.update(new)

    def open(self, owner: str, names: Iterable[str]) -> dict[str, Any]:
        """True values by placeholder; those that the owner has no such value of are left out.

        Raises:
            ConfigurationError: The key of one of them is missing.
            TerminalError: One of them was tampered with.
        """
        opened = self._remembered()
        paths = {sealed_path(owner, name[1:-1]): name for name in names}
        true = {path: opened[path] for path in paths if path in opened}
        if unknown := tuple(path for path in paths if path not in true):
            stored = self._store.load(unknown)
            read = {path: json.loads(self._plain(path, found)) for path, found in stored.items()}
            opened.update(read)
            true |= read
        return {paths[path]: value for path, value in true.items()}

    def _pepper(self, owner: str) -> bytes:
        self._remembered()
        peppers = self._peppers
        if (pepper := peppers.get(owner)) is None:
            path = sealed_path(owner, PEPPER)
            if path not in self._store.load((path,)):
                self._create([self._sealed(path, secrets.token_hex(32))])
            found = self._store.load((path,)).get(path)
            if found is None:
                raise RetryableError("The key of an owner's placeholders could not be kept.", code="vault")
            peppers[owner] = pepper = hashlib.sha256(self._plain(path, found)).digest()
        return pepper

    def _sealed(self, path: str, value: Any) -> Create:
        key, data = self._sealer.seal(canonical(value).encode(), about=path)
        return Create(path, {"schema_version": SCHEMA, "key": key, "data": data})

    def _plain(self, path: str, found: Stored) -> bytes:
        return self._sealer.open(found.fields["key"], found.fields["data"], about=path)

    def _create(self, writes: list[Create]) -> None:
        """Write them. Those that somebody else has just written hold the same."""
        try:
            self._store.commit(writes)
        except StaleWrite:
            if len(writes) > 1:
                for write in writes:
                    self._create([write])

    def _remembered(self) -> dict[str, Any]:
        """What has been seen lately, by path. Begun anew rather than cleared: other threads are reading the old one."""
        now = self._now()
        if now - self._since > REMEMBERED or max(len(self._opened), len(self._peppers)) > _MAX_REMEMBERED:
            self._opened, self._peppers, self._since = {}, {}, now
        return self._opened
