"""Terraform on this machine, with the registry's providers or, where TFSTUB points at them, with stand-ins for them."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import stand_in

_TIMEOUT_S = 600
_UNREACHABLE = ("Failed to query available provider packages", "could not connect to registry.terraform.io")


class TerraformMissing(Exception):
    """Terraform or its providers are not here; says which, and what to do."""


@dataclass(frozen=True, slots=True)
class Ended:
    """A command that has ended.

    Attributes:
        said: What it wrote, both to its output and to its error output.
    """

    code: int
    said: str


@dataclass(frozen=True, slots=True)
class Terraform:
    """Runs Terraform's commands.

    Attributes:
        program: Path.
        environment: What it finds there beside what is in ours.
    """

    program: str
    environment: Mapping[str, str]

    def run(self, folder: Path, *arguments: str) -> Ended:
        """Run a command in a folder, to its end."""
        environment = {**os.environ, **self.environment, "CHECKPOINT_DISABLE": "1", "TF_IN_AUTOMATION": "1"}
        done = subprocess.run(
            [self.program, *arguments],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=_TIMEOUT_S,
        )
        return Ended(done.returncode, done.stdout.strip())

    def init(self, folder: Path) -> Ended:
        """Fetch a folder's modules and providers, but no state.

        Raises:
            TerraformMissing: The registry cannot be reached.
        """
        ended = self.run(folder, "init", "-backend=false", "-input=false", "-no-color")
        if ended.code and any(sign in ended.said for sign in _UNREACHABLE):
            raise TerraformMissing("The providers' registry cannot be reached, and TFSTUB points at no stand-ins.")
        return ended


@contextmanager
def found(sources: Path) -> Iterator[Terraform]:
    """Terraform for the configuration below a folder.

    Raises:
        TerraformMissing: It is not installed, or TFSTUB points at nothing.
    """
    program = shutil.which("terraform")
    if program is None:
        raise TerraformMissing("Terraform is not installed: https://developer.hashicorp.com/terraform/install")
    with TemporaryDirectory(prefix="entracte-") as workplace:
        if place := os.environ.get("TFSTUB"):
            if not (Path(place) / "stub.py").is_file():
                raise TerraformMissing(f"TFSTUB is {place}, where there is no stub.py.")
            with stand_in.serving(Path(place), sources, Path(workplace)) as environment:
                yield Terraform(program, environment)
        else:
            plugins = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "entracte" / "terraform"
            plugins.mkdir(parents=True, exist_ok=True)
            quick = {"TF_REGISTRY_DISCOVERY_RETRY": "0", "TF_REGISTRY_CLIENT_TIMEOUT": "10"}
            yield Terraform(program, {"TF_PLUGIN_CACHE_DIR": str(plugins), **quick})
