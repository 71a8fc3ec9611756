"""From nodes to a source: aliases filled in, and every key and value placed."""

from __future__ import annotations

from typing import Any

from entracte.core.policy.faults import Fault, ManifestError, Path
from entracte.core.policy.source import Place, Source
from entracte.core.policy.text.nodes import MAX_DEPTH, MAX_NODES, Entries, Items, Node, Scalar, read_nodes


def read_source(text: str, file: str) -> tuple[Source, list[Fault]]:
    """The text as a value with places, and the faults that did not stop the reading.

    Raises:
        ManifestError: Not YAML, several documents, or beyond a limit.
    """
    root, faults = read_nodes(text, file)
    unfolding = _Unfolding(file)
    value = unfolding.value(root, ()) if root is not None else None
    return Source(file, value, unfolding.values, unfolding.keys), faults


class _Unfolding:
    """Counts while it goes: a few lines of nested aliases can stand for billions of values."""

    def __init__(self, file: str) -> None:
        self.values: dict[Path, Place] = {}
        self.keys: dict[Path, Place] = {}
        self._file = file

    def value(self, node: Node, path: Path) -> Any:
        if len(self.values) >= MAX_NODES or len(path) > MAX_DEPTH:
            expected = f"at most {MAX_NODES:,} values and {MAX_DEPTH} levels"
            raise ManifestError([Fault(*node.place, "the manifest with its aliases", expected, "more", self._file)])
        self.values[path] = node.place
        match node:
            case Scalar():
                return node.value
            case Items():
                return [self.value(item, (*path, index)) for index, item in enumerate(node.nodes)]
            case Entries():
                for key, (place, _) in node.nodes.items():
                    self.keys[*path, key] = place
                return {key: self.value(item, (*path, key)) for key, (_, item) in node.nodes.items()}
