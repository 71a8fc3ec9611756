"""Putting placeholders in and taking them out, whole values at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar, cast

from entracte.adapters.masking.finder import Finder
from entracte.core.masking.placeholders import LITERAL, filled, mapped, placeholders_in
from entracte.core.payload import canonical
from entracte.runtime.masking.vault import Vault

V = TypeVar("V")


class Masking:
    """Masks JSON values, and gives back what they were.

    A card number that is an integer becomes a placeholder too, and an integer again.
    """

    def __init__(self, finder: Finder, vault: Vault) -> None:
        self._finder = finder
        self._vault = vault

    def mask(self, owner: str, value: V) -> V:
        """The value with placeholders in place of what is found; those in it already stay."""
        return self._masked(owner, value, literal=False)

    def mask_true(self, owner: str, value: V) -> V:
        """As `mask`, of a value that tools gave or are given: what looks like a placeholder in it is none.

        `reveal` gives exactly this value back.
        """
        return self._masked(owner, value, literal=True)

    def mask_as_known(self, owner: str, value: Any, known: Sequence[Any]) -> Any:
        """As `mask_true`, of a record that is kept already, perhaps as other patterns masked it: what is equal to it in
        truth is equal to it here, so that comparing the masked values compares the true ones.
        """
        for masked in known:
            value_as = self._as_known(owner, value, masked)
            if value_as is not None:
                return value_as
        match value:
            case dict():
                return {
                    self.mask_true(owner, key): self.mask_as_known(owner, item, self._within(owner, known, key))
                    for key, item in value.items()
                }
            case _:
                return self.mask_true(owner, value)

    def _as_known(self, owner: str, value: Any, masked: Any) -> Any:
        return masked if masked is not None and canonical(self.reveal(owner, masked)) == canonical(value) else None

    def _within(self, owner: str, known: Sequence[Any], key: str) -> list[Any]:
        """What the known records have under a key."""
        found = ((masked, item) for record in known if isinstance(record, dict) for masked, item in record.items())
        return [item for masked, item in found if self.reveal(owner, masked) == key]

    def reveal(self, owner: str, value: V, *, but: frozenset[str] = frozenset()) -> V:
        """The value with what its placeholders stand for; unknown ones stay.

        Args:
            but: Placeholders that stay as well.

        Raises:
            ConfigurationError, TerminalError: As `Vault.open` does.
        """
        names = placeholders_in(value) - but
        return cast(V, filled(value, self._vault.open(owner, names))) if names else value

    def unknown(self, owner: str, value: Any) -> frozenset[str]:
        """Placeholders in the value that stand for nothing: a model has made them up."""
        names = placeholders_in(value)
        return names - self._vault.open(owner, names).keys() if names else names

    def scrub(self, text: str) -> str:
        """The text with the kind in place of what is found, for good."""
        for found in reversed(self._finder.find(text)):
            if not found.literal:
                text = f"{text[: found.start]}⟨{found.kind}⟩{text[found.end :]}"
        return text

    def _masked(self, owner: str, value: V, *, literal: bool) -> V:
        kept: dict[str, Any] = {}

        def name(kind: str, true: Any) -> str:
            found = self._vault.name(owner, kind, true)
            kept[found] = true
            return found

        def of_text(text: str) -> str:
            parts: list[str] = []
            at = 0
            for found in self._finder.find(text):
                if found.literal and not literal:
                    continue
                kind = LITERAL if found.literal else found.kind
                parts += [text[at : found.start], name(kind, text[found.start : found.end])]
                at = found.end
            return "".join((*parts, text[at:])) if parts else text

        def of_leaf(leaf: Any) -> Any:
            if isinstance(leaf, str):
                return of_text(leaf)
            return name("card", leaf) if self._finder.is_card(leaf) else leaf

        masked = mapped(value, of_leaf, of_text, kinds=(str, int))
        if kept:
            self._vault.keep(owner, kept)
        return cast(V, masked)
