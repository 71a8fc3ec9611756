"""Facts about loading and committing (see `store_contract`)."""

from __future__ import annotations

import re

import pytest

from entracte.errors import InvalidInput, StaleWrite
from entracte.ports.store import (
    MAX_COMMIT_BYTES,
    MAX_COMMIT_WRITES,
    Create,
    Delete,
    Store,
    Stored,
    Update,
    Verify,
    Version,
    Write,
)

A, B, C = "things/a", "things/b", "things/a/parts/c"


def version_of(store: Store, path: str) -> Version:
    """The present version of a document that is there."""
    return store.load([path])[path].version


class CommitContract:
    """Optimistic commits of whole sets of writes."""

    def test_documents_are_read_as_they_were_written(self, store: Store) -> None:
        """At the versions that the commit answered; what is absent is absent from the answer."""
        versions = store.commit([Create(A, {"n": 1}), Create(C, {"text": "x"})])
        assert store.load([A, B, C, A]) == {
            A: Stored(path=A, fields={"n": 1}, version=versions[A]),
            C: Stored(path=C, fields={"text": "x"}, version=versions[C]),
        }

    def test_nothing_is_loaded_and_committed_at_no_cost(self, store: Store) -> None:
        """A handler need not look whether it has anything to do."""
        assert (store.load([]), store.commit([])) == ({}, {})

    def test_a_document_may_have_no_fields(self, store: Store) -> None:
        """To be there can be all that it says."""
        store.commit([Create(A, {})])
        assert store.load([A])[A].fields == {}

    def test_a_document_is_created_once(self, store: Store) -> None:
        """The second writer is told, and the first one's document stays."""
        store.commit([Create(A, {"by": "first"})])
        with pytest.raises(StaleWrite):
            store.commit([Create(A, {"by": "second"})])
        assert store.load([A])[A].fields == {"by": "first"}

    def test_an_update_replaces_the_named_fields_and_keeps_the_others(self, store: Store) -> None:
        """So that a field which only a newer version knows survives an older writer."""
        created = store.commit([Create(A, {"n": 1, "newer": {"kept": True}})])
        updated = store.commit([Update(A, {"n": 2, "more": [3]}, created[A])])
        assert store.load([A]) == {
            A: Stored(path=A, fields={"n": 2, "newer": {"kept": True}, "more": [3]}, version=updated[A])
        }

    def test_a_map_is_replaced_as_one_value(self, store: Store) -> None:
        """Keys inside it are data, whatever characters they have: they do not name fields."""
        created = store.commit([Create(A, {"map": {"old": 1, "a": {"b": 1}}})])
        value = {"a.b": 2, "`": 3, "\\": 4, "/": 5, "a b": 6, "$": 7, "'": 8, '"': 9, "é": 10, "\n\0": None}
        store.commit([Update(A, {"map": value}, created[A])])
        assert store.load([A])[A].fields == {"map": value}

    def test_an_update_of_an_older_version_is_refused(self, store: Store) -> None:
        """Somebody else wrote in between; their write stays."""
        created = store.commit([Create(A, {"n": 1})])
        store.commit([Update(A, {"n": 2}, created[A])])
        with pytest.raises(StaleWrite):
            store.commit([Update(A, {"n": 3}, created[A])])
        assert store.load([A])[A].fields == {"n": 2}

    def test_an_update_of_an_absent_document_is_refused(self, store: Store) -> None:
        """It was deleted since it was read."""
        created = store.commit([Create(A, {"n": 1})])
        store.commit([Delete(A)])
        with pytest.raises(StaleWrite):
            store.commit([Update(A, {"n": 2}, created[A])])
        assert store.load([A]) == {}

    def test_every_write_gives_a_version_that_was_never_there(self, store: Store) -> None:
        """Not even when the document was deleted in between and came again."""
        seen = []
        for n in range(3):
            created = store.commit([Create(A, {"n": n})])
            updated = store.commit([Update(A, {"n": n + 1}, created[A])])
            store.commit([Delete(A)])
            seen += [created[A], updated[A]]
        assert len(set(seen)) == len(seen)

    def test_verifying_changes_nothing(self, store: Store) -> None:
        """Not even the version, so that readers do not disturb each other."""
        created = store.commit([Create(A, {"n": 1})])
        answer = store.commit([Verify(A, created[A]), Create(B, {})])
        assert set(answer) == {B}
        assert store.load([A]) == {A: Stored(path=A, fields={"n": 1}, version=created[A])}

    def test_verifying_an_older_version_refuses_the_commit(self, store: Store) -> None:
        """What the commit relied on no longer holds."""
        created = store.commit([Create(A, {"n": 1})])
        store.commit([Update(A, {"n": 2}, created[A])])
        with pytest.raises(StaleWrite):
            store.commit([Create(B, {}), Verify(A, created[A])])
        assert set(store.load([A, B])) == {A}

    def test_verifying_an_absent_document_refuses_the_commit(self, store: Store) -> None:
        """Deleting is a change, too."""
        created = store.commit([Create(A, {"n": 1})])
        store.commit([Delete(A)])
        with pytest.raises(StaleWrite):
            store.commit([Verify(A, created[A]), Create(B, {})])
        assert store.load([A, B]) == {}

    def test_deleting_needs_no_version_and_no_document(self, store: Store) -> None:
        """Retention does not care; what lies below stays until it is deleted itself."""
        store.commit([Create(A, {}), Create(C, {})])
        assert store.commit([Delete(A), Delete(B)]) == {}
        assert set(store.load([A, B, C])) == {C}

    def test_deleting_what_has_changed_is_refused(self, store: Store) -> None:
        """With a version, a document goes only as it was read; one that has gone already has changed, too."""
        created = store.commit([Create(A, {"n": 1}), Create(B, {})])
        store.commit([Update(A, {"n": 2}, created[A])])
        with pytest.raises(StaleWrite):
            store.commit([Delete(A, created[A]), Delete(B)])
        assert store.load([A])[A].fields == {"n": 2}
        store.commit([Delete(B, created[B])])
        with pytest.raises(StaleWrite):
            store.commit([Delete(A), Delete(B, created[B])])
        assert set(store.load([A, B])) == {A}

    def test_all_writes_are_done_or_none(self, store: Store) -> None:
        """Whatever stands before or after the one that fails."""
        before = store.commit([Create(A, {"n": 1}), Create(B, {"n": 1})])
        absent = "things/absent"
        stale: list[Write] = [Create(B, {}), Update(absent, {"n": 2}, before[A]), Verify(absent, before[A])]
        for wrong in stale:
            with pytest.raises(StaleWrite):
                store.commit([Update(A, {"n": 2}, before[A]), Create(C, {}), wrong, Create("things/d", {})])
        assert store.load([A, B, C, "things/d"]) == {
            A: Stored(path=A, fields={"n": 1}, version=before[A]),
            B: Stored(path=B, fields={"n": 1}, version=before[B]),
        }

    def test_a_store_keeps_its_own_copy(self, store: Store) -> None:
        """Neither what was given nor what was read is tied to what is kept."""
        given = {"list": [{"n": 1}]}
        store.commit([Create(A, given)])
        given["list"][0]["n"] = 2
        read = store.load([A])[A].fields
        read["list"][0]["n"] = 3
        assert store.load([A])[A].fields == {"list": [{"n": 1}]}

    def test_a_document_stands_once_in_a_commit(self, store: Store) -> None:
        """Stores differ in what two writes of one document in a commit would mean."""
        created = store.commit([Create(A, {"n": 1})])
        with pytest.raises(InvalidInput, match=r"things/a stands twice"):
            store.commit([Verify(A, created[A]), Update(A, {"n": 2}, created[A])])

    def test_an_update_changes_something(self, store: Store) -> None:
        """In Firestore one that names no field would change no version."""
        created = store.commit([Create(A, {"n": 1})])
        with pytest.raises(InvalidInput, match=r"things/a that names no field. Use Verify"):
            store.commit([Update(A, {}, created[A])])

    @pytest.mark.parametrize(
        "path", ["", "things", "things/a/parts", "things//a/b", "things/.", "things/..", "things/__a__", "a/\n", "a/b/"]
    )
    def test_what_is_no_path_is_refused(self, store: Store, path: str) -> None:
        """By every way into the store, naming it."""
        words = f"^{re.escape(repr(path))} is not the path of a document"
        with pytest.raises(InvalidInput, match=words):
            store.load([path])
        with pytest.raises(InvalidInput, match=words):
            store.commit([Create(path, {})])

    @pytest.mark.parametrize(
        "path", ["a/b.1.2", "a/...", "a/ b", "a/b:c", "a/日本", "a/__b", "a/%2F", "a/" + "x" * 1500]
    )
    def test_ids_may_hold_any_other_character(self, store: Store, path: str) -> None:
        """They come from callers, too."""
        store.commit([Create(path, {"n": 1})])
        assert store.load([path])[path].path == path

    def test_a_commit_takes_as_many_writes_as_it_may_and_no_more(self, store: Store) -> None:
        """Beyond, Firestore would refuse it; its emulator would not."""
        writes = [Create(f"things/{n:03}", {"n": n}) for n in range(MAX_COMMIT_WRITES + 1)]
        with pytest.raises(InvalidInput, match="501 writes; at most 500"):
            store.commit(writes)
        assert len(store.commit(writes[:-1])) == MAX_COMMIT_WRITES

    def test_a_commit_takes_as_many_bytes_as_it_may_and_no_more(self, store: Store) -> None:
        """Beyond, Firestore's client would try again for most of a minute."""
        share = MAX_COMMIT_BYTES // 5
        writes = [Create(f"things/{n}", {"text": "x" * (share - 400)}) for n in range(5)]
        with pytest.raises(InvalidInput, match="at most 4,194,304 are possible"):
            store.commit([*writes, Create("things/more", {"text": "x" * 2000})])
        assert len(store.commit(writes)) == len(writes)

    def test_a_document_does_not_outgrow_its_limit_by_updates(self, store: Store) -> None:
        """Nothing is changed by the update that would be too much; one that replaces what was there is not."""
        created = store.commit([Create(A, {"one": "x" * 600_000})])
        with pytest.raises(InvalidInput):
            store.commit([Update(A, {"two": "x" * 600_000}, created[A])])
        updated = store.commit([Update(A, {"one": "y" * 600_000}, created[A])])
        assert store.load([A])[A] == Stored(path=A, fields={"one": "y" * 600_000}, version=updated[A])
