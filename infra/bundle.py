"""Makes the source zip of each function, which Google's buildpack installs and starts.

    python3 infra/dev.py bundle [--network MODULE:NAME] [--to FOLDER]

A zip holds main.py, requirements.txt, the runtime and the network's package as trees: a wheel of the same name could
install stale code from the buildpack's cache. The same sources give the same bytes, whatever machine and day it is:
Terraform names the object by its hash, so that a function is deployed again exactly when its bytes change.
``dist/bundles.json`` tells Terraform what there is.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
import tomllib
import zipfile
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from environment import PROJECT, ROOT
from extras import extras_of
from locked import Pin, closure, pins

RUNTIME = "python313"
"""The newest that the buildpack installs with pip: from 3.14 on it takes uv. The lock's hashes cover 3.11 and newer."""

MANIFEST = "bundles.json"

LEFT_OUT = ("entracte/cli", "entracte/testing")
"""Parts of the runtime that no function can import: their libraries are on no list."""

_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The earliest time that a zip can hold."""

BASE = (
    "functions-framework",  # listed, or the buildpack would add one of its own choice, without a hash
    "google-cloud-firestore",
    "google-cloud-pubsub",
    "google-cloud-secret-manager",
    "httpx",
    "jsonschema-rs",
    "msgspec",
    "pydantic",
    "ruamel-yaml",
    "sqlglot",
    "stamina",
)
MODEL = ("google-cloud-aiplatform",)
SERVED = ("mcp",)

LIBRARIES: Mapping[str, tuple[str, ...]] = {
    "api": ("fastapi", "itsdangerous"),
    "approve": ("itsdangerous",),
    "evaluate": MODEL,
    "gate_edit": ("google-events",),
    "mcp": SERVED,
    "memorize": MODEL,
    "plan": MODEL,
}
"""What a function lists beside BASE: those that ask no model do not carry the model's library. What only some networks
need is not here but in extras.py."""


class BundleFailed(Exception):
    """A zip cannot be made; says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """A source zip.

    Attributes:
        sha256: Hex digest of the file.
    """

    function: str
    file: Path
    sha256: str
    size_bytes: int


def bundle(function: str, network: str, folder: Path, root: Path = ROOT) -> Bundle:
    """Write the zip of one function into a folder.

    Args:
        network: ``package.module:name``; the package is carried whole.
        root: Of the repository.

    Raises:
        BundleFailed: There is no such function or package, or a library is not in the lock.
    """
    package = network.partition(":")[0].partition(".")[0]
    main = root / "functions" / function / "main.py"
    for source in (main, root / "shared" / package / "__init__.py"):
        if not source.is_file():
            raise BundleFailed(f"{source.relative_to(root)} is not there.")
    entries = {"main.py": main.read_bytes(), "requirements.txt": _requirements(function, package, root).encode()}
    for tree in dict.fromkeys(("entracte", package)):
        entries |= {name: file.read_bytes() for name, file in _sources(root / "shared", tree)}
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{function}.zip"
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in sorted(entries.items()):
            archive.writestr(_entry(name), content)
    raw = file.read_bytes()
    return Bundle(function=function, file=file, sha256=hashlib.sha256(raw).hexdigest(), size_bytes=len(raw))


def libraries(function: str, package: str, root: Path = ROOT) -> set[str]:
    """What a function lists: its own libraries, and those of the network, whose package every function imports.

    A network's own libraries are the extra of its name in pyproject.toml, in which ``entracte[telemetry]`` stands for
    what is listed there. Which of ours it needs besides, its source says.
    """
    extras: dict[str, list[str]] = tomllib.loads(PROJECT.read_text())["project"].get("optional-dependencies", {})
    wanted = (package, *extras_of(function, root / "shared" / package))
    return {*BASE, *LIBRARIES.get(function, ()), *(name for extra in wanted for name in named_by(extra, extras))}


def named_by(extra: str, extras: Mapping[str, list[str]]) -> Iterator[str]:
    """Libraries that an extra lists, those of the extras that it names included."""
    for requirement in extras.get(extra, ()):
        if own := re.fullmatch(r"entracte\[([a-z0-9_, -]+)\]", requirement):
            for other in own.group(1).split(","):
                yield from named_by(other.strip(), extras)
        else:
            yield re.split(r"[^A-Za-z0-9._-]", requirement, maxsplit=1)[0]


def _requirements(function: str, package: str, root: Path) -> str:
    try:
        chosen = closure(libraries(function, package, root), pins())
    except KeyError as error:
        raise BundleFailed(f"{function}: {error.args[0]}") from None
    return f"# Made by infra/bundle.py from infra/requirements.lock.\n{_lines(chosen)}\n"


def _lines(chosen: Collection[Pin]) -> str:
    return "\n".join(pin.text for pin in chosen)


def _sources(root: Path, tree: str) -> Iterator[tuple[str, Path]]:
    """Code and data files of a package, named from `root`: the patterns are those of pyproject.toml."""
    patterns = tomllib.loads(PROJECT.read_text())["tool"]["setuptools"]["package-data"]["*"]
    for file in sorted((root / tree).rglob("*")):
        name = file.relative_to(root).as_posix()
        if file.is_file() and not name.startswith(LEFT_OUT) and any(file.match(p) for p in ("*.py", *patterns)):
            yield name, file


def _entry(name: str) -> zipfile.ZipInfo:
    """An entry that says nothing of this machine. Not compressed: the same text comes out different elsewhere."""
    entry = zipfile.ZipInfo(name, _EPOCH)
    entry.create_system = 3  # Unix, on Windows too
    entry.external_attr = 0o100644 << 16
    return entry


def write_manifest(made: Collection[Bundle], network: str, folder: Path) -> None:
    """Tell Terraform what there is."""
    files = {b.function: {"file": b.file.name, "sha256": b.sha256, "size_bytes": b.size_bytes} for b in made}
    manifest = {"functions": files, "network": network, "runtime": RUNTIME}
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=2, sort_keys=True) + "\n")


def functions(root: Path = ROOT) -> list[str]:
    """Names of all functions."""
    return sorted(main.parent.name for main in root.glob("functions/*/main.py"))


def main(argv: list[str]) -> int:
    """Make the zips; 1 if one could not be made."""
    parser = argparse.ArgumentParser(prog="bundle", description="Make the source zip of each function.")
    parser.add_argument("--network", default="crm:network", metavar="MODULE:NAME", help="network (%(default)s)")
    parser.add_argument("--to", type=Path, default=ROOT / "dist", metavar="FOLDER", help="where to (dist)")
    options = parser.parse_args(argv)
    try:
        made = [bundle(name, options.network, options.to) for name in functions()]
    except BundleFailed as fault:
        print(f"error: {fault}", file=sys.stderr)
        return 1
    write_manifest(made, options.network, options.to)
    for b in made:
        print(f"{b.function:<10} {b.size_bytes / 1e6:6.2f} MB  {b.sha256[:12]}  {b.file}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
