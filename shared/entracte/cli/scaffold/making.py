"""The files of a new network: those beside this one with its name put in, and a deployment like dev's."""

from __future__ import annotations

import keyword
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from entracte.errors import ConfigurationError, InvalidInput

TEMPLATES = Path(__file__).parent
PLACEHOLDER = "newname"
"""What stands for the network's name in the templates."""

FILES = {
    "__init__.py.txt": "shared/{name}/__init__.py",
    "network.py.txt": "shared/{name}/network.py",
    "stock.py.txt": "shared/{name}/stock.py",
    "tools.py.txt": "shared/{name}/tools.py",
    "demo.yaml": "shared/{name}/demo.yaml",
    "policy.yaml": "shared/{name}/policy.yaml",
    "test_network.py.txt": "tests/{name}/test_network.py",
}
"""Template, and where it goes."""

MODEL_DEPLOYMENT = "terraform/environments/dev"
SNAPSHOTS = "tests/terraform/snapshots"
_NAME = re.compile(r"[a-z][a-z0-9_]{2,18}[a-z0-9]")


def make_network(root: Path, name: str) -> list[Path]:
    """Write a new network into a checkout; the files made, named from its root.

    Nothing is written unless all of it can be.

    Raises:
        InvalidInput: The name cannot be one of a package and of a deployment, or is taken.
        ConfigurationError: The checkout has no deployment to begin with.
    """
    if not _NAME.fullmatch(name) or keyword.iskeyword(name) or name in sys.stdlib_module_names:
        raise InvalidInput(
            f"{name!r} is no name for a network.",
            remedy="4 to 20 lower-case letters, digits and _, beginning with a letter; no module of Python's own.",
        )
    taken = [
        f"{part}/{name}" for part in ("shared", "tests", "terraform/environments") if (root / part / name).exists()
    ]
    if taken:
        raise InvalidInput(f"{taken[0]} is there already.", remedy="Choose another name, or remove it.")
    made = dict(_files(root, name))
    for place, text in made.items():
        (root / place).parent.mkdir(parents=True, exist_ok=True)
        (root / place).write_text(text, encoding="utf-8")
    return sorted(made)


def deployment_of(name: str) -> str:
    """The prefix of a network's deployment: Google's names have hyphens."""
    return name.replace("_", "-")


def _files(root: Path, name: str) -> Iterator[tuple[Path, str]]:
    for template, target in FILES.items():
        yield Path(target.format(name=name)), (TEMPLATES / template).read_text("utf-8").replace(PLACEHOLDER, name)
    model = root / MODEL_DEPLOYMENT
    sources = [file for file in sorted(model.rglob("*")) if file.is_file() and _belongs(file.relative_to(model))]
    if not sources:
        raise ConfigurationError(f"{MODEL_DEPLOYMENT} is not there: a new deployment is made like it.")
    for file in sources:
        place = Path("terraform/environments", name, file.relative_to(model))
        yield place, _renamed(file.read_text("utf-8"), name)
    snapshot = root / SNAPSHOTS / "dev.txt"
    if snapshot.is_file():
        yield Path(SNAPSHOTS, f"{name}.txt"), _sorted(_renamed(snapshot.read_text("utf-8"), name))


def _belongs(place: Path) -> bool:
    """Whether it is a file of the deployment, not Terraform's or somebody's own."""
    return place.suffix != ".tfvars" and not any(part.startswith(".") for part in place.parts)


def _renamed(text: str, name: str) -> str:
    """What is said of dev, said of this deployment."""
    prefix = deployment_of(name)
    return (
        text.replace("entracte-dev", prefix)
        .replace("entracte/dev", f"entracte/{prefix}")
        .replace('"../../../dist"', f'"../../../dist/{name}"')
    )


def _sorted(page: str) -> str:
    """A snapshot in its own order: its parts begin with their titles, and all but the counts are sorted by line."""
    first, *parts = page.rstrip("\n").split("\n\n")
    lines = (part.splitlines() for part in parts)
    return "\n\n".join([first, *("\n".join([title, *sorted(rest)]) for title, *rest in lines)]) + "\n"
