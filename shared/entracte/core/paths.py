"""Paths of documents: collections and ids in turn, as in Firestore: ``runs/{run}/frames/{frame}``.

Firestore's rules, plus one: no control characters, which consoles and URLs cannot show.
https://firebase.google.com/docs/firestore/quotas#collections_documents_and_fields
"""

from __future__ import annotations

import re

from entracte.errors import InvalidInput

MAX_SEGMENT_BYTES = 1500
MAX_PATH_BYTES = 6 * 1024

_SEGMENT = r"(?!\.\.?(?:/|\Z))(?!__[^/]*__(?:/|\Z))[^/\x00-\x1f\x7f\ud800-\udfff]+"
_COLLECTION = re.compile(_SEGMENT)
_DOCUMENT = re.compile(rf"{_SEGMENT}/{_SEGMENT}(?:/{_SEGMENT}/{_SEGMENT})*")


def check_document(path: str) -> None:
    """Refuse what is not the path of a document.

    Raises:
        InvalidInput: Names the path and the rule.
    """
    if not _DOCUMENT.fullmatch(path) or _too_long(path):
        raise _refused("path of a document", path, "collection and id in turn, such as runs/r1/frames/f1")


def check_collection(name: str) -> None:
    """Refuse what is not the name of a collection.

    Raises:
        InvalidInput: Names it and the rule.
    """
    if not _COLLECTION.fullmatch(name) or _too_long(name):
        raise _refused("name of a collection", name, "one part of a path, such as frames")


def split(path: str) -> tuple[str, str, str]:
    """Parent document (empty at the top), collection and id of a document."""
    rest, _, id_ = path.rpartition("/")
    parent, _, collection = rest.rpartition("/")
    return parent, collection, id_


def order(path: str) -> list[str]:
    """Sorts paths as Firestore does, part by part: ``runs/r/…`` comes before ``runs/r-1/…``."""
    return path.split("/")


def _too_long(path: str) -> bool:
    if len(path) * 4 <= MAX_SEGMENT_BYTES:
        return False
    return len(path.encode()) > MAX_PATH_BYTES or any(len(s.encode()) > MAX_SEGMENT_BYTES for s in path.split("/"))


def _refused(what: str, found: str, example: str) -> InvalidInput:
    return InvalidInput(
        f"{found[:100]!r} is not the {what}: expected {example}.",
        remedy="Parts may not be empty, '.', '..' or '__…__', hold control characters, or exceed 1,500 bytes.",
        code="bad_path",
    )
