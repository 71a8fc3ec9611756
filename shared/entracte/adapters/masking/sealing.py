"""Authenticated encryption of single values (AES-256-GCM), with keys that can be changed."""

from __future__ import annotations

import base64
import binascii
import hashlib
import secrets
from collections.abc import Callable

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from entracte.errors import ConfigurationError, TerminalError

KEY_BYTES = 32
_NONCE_BYTES = 12


class Sealer:
    """Seals and opens.

    Args:
        read_keys: Gives the keys when they are first needed: base64 of 32 bytes each, divided by commas. The first
            seals; the others only open what they sealed before.
        name: Of the secret that holds them, for errors.
    """

    def __init__(self, read_keys: Callable[[], str], name: str) -> None:
        self._read_keys = read_keys
        self._name = name
        self._keys: dict[str, bytes] = {}

    def seal(self, plain: bytes, *, about: str) -> tuple[str, bytes]:
        """The id of the key, and the sealed bytes.

        Args:
            about: Where it is kept. Opened as anything else, it does not open: sealed values cannot change places.
        """
        id, key = next(iter(self._known().items()))
        nonce = secrets.token_bytes(_NONCE_BYTES)
        return id, nonce + AESGCM(key).encrypt(nonce, plain, about.encode())

    def open(self, key_id: str, sealed: bytes, *, about: str) -> bytes:
        """What was sealed.

        Raises:
            ConfigurationError: The key that sealed it is not among the keys.
            TerminalError: It was changed, or belongs somewhere else.
        """
        known = self._known()
        if key_id not in known:
            raise ConfigurationError(
                f"A value was sealed with key {key_id}; the secret {self._name} holds {', '.join(known)}.",
                remedy="Keep old keys behind the new one, divided by commas.",
            )
        try:
            return AESGCM(known[key_id]).decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], about.encode())
        except InvalidTag:
            raise TerminalError(f"{about} was changed, or sealed for another place.", code="seal_broken") from None

    def _known(self) -> dict[str, bytes]:
        if not self._keys:
            keys = [self._decoded(text.strip()) for text in self._read_keys().split(",") if text.strip()]
            if not keys:
                raise ConfigurationError(f"The secret {self._name} holds no key.", remedy=_REMEDY)
            self._keys = {key_id(key): key for key in keys}
        return self._keys

    def _decoded(self, text: str) -> bytes:
        try:
            key = base64.b64decode(text, altchars=b"-_" if {"-", "_"} & set(text) else None, validate=True)
        except (ValueError, binascii.Error):
            key = b""
        if len(key) != KEY_BYTES:
            raise ConfigurationError(
                f"The secret {self._name} holds a key that is not base64 of {KEY_BYTES} bytes.", remedy=_REMEDY
            )
        return key


def key_id(key: bytes) -> str:
    """Name of a key that says nothing about it."""
    return hashlib.sha256(b"entracte key id\0" + key).hexdigest()[:8]


_REMEDY = "Make one with: openssl rand -base64 32"
