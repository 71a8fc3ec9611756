"""Where true values lie (vault.py)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from entracte.adapters.masking.sealing import Sealer
from entracte.adapters.memory.store import MemoryStore
from entracte.core.addresses import vault_path
from entracte.ports.store import Delete, Query, Stored
from entracte.runtime.masking import vault as vaults
from entracte.runtime.masking.vault import REMEMBERED, Vault
from entracte.testing.clock import FakeClock
from tests.masking.clinic import EMAIL, SEALING_KEY


def a_vault(store: MemoryStore, clock: FakeClock) -> Vault:
    """That of a process of its own."""
    return Vault(store, Sealer(lambda: SEALING_KEY, "MASK"), clock.now)


def keep(vault: Vault, value: Any = EMAIL) -> str:
    """Keep a value of Ada's; its placeholder."""
    name = vault.name("ada", "email", value)
    vault.keep("ada", {name: value})
    return name


def test_a_placeholder_tells_nothing_of_its_value_and_is_its_owners_alone() -> None:
    """The same value has another one for somebody else, and in another deployment: it cannot be worked out from it."""
    here, elsewhere = (a_vault(MemoryStore(), FakeClock()) for _ in range(2))
    names = {here.name("ada", "email", EMAIL), here.name("bob", "email", EMAIL), elsewhere.name("ada", "email", EMAIL)}
    assert len(names) == 3
    assert here.name("ada", "email", EMAIL) in names


def test_an_owner_whose_values_were_deleted_may_come_back() -> None:
    """A process that has seen them relies on that for a while only; then they are kept again."""
    store, clock = MemoryStore(), FakeClock()
    vault = a_vault(store, clock)
    keep(vault)
    found = store.query(Query(collection="sealed", parent=vault_path("ada")))
    store.commit([Delete(document.path) for document in found])
    clock.advance(seconds=REMEMBERED.total_seconds() + 1)
    name = keep(vault)
    assert a_vault(store, clock).open("ada", [name]) == {name: EMAIL}


def test_what_is_opened_is_not_lost_while_another_thread_begins_to_remember_anew() -> None:
    """Or a placeholder of ours would be taken for one that the model has made up."""

    class Interrupted(MemoryStore):
        def load(self, paths: Sequence[str]) -> Mapping[str, Stored]:
            found = super().load(paths)
            if interrupting:
                interrupting.pop()
                clock.advance(seconds=REMEMBERED.total_seconds() + 1)
                keep(vault, "b@example.com")
            return found

    store, clock = Interrupted(), FakeClock()
    interrupting: list[bool] = []
    vault = a_vault(store, clock)
    first, second = keep(vault), keep(a_vault(store, clock), "c@example.com")
    interrupting.append(True)
    assert vault.open("ada", [first, second]) == {first: EMAIL, second: "c@example.com"}


def test_a_vault_that_remembers_as_much_as_it_may_still_opens_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is opened together is more than it remembers: none of it may be taken for unknown."""
    monkeypatch.setattr(vaults, "_MAX_REMEMBERED", 3)
    store, clock = MemoryStore(), FakeClock()
    values = {f"⟨email-aaaaaaaa{letter}a⟩": f"{letter}@x.example" for letter in "abcdefgh"}
    a_vault(store, clock).keep("ada", values)
    kept = a_vault(store, clock)
    first = dict(list(values.items())[:2])
    assert kept.open("ada", first) == first
    assert kept.open("ada", values) == values
