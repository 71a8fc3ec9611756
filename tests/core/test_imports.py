"""What importing a part brings along."""

import subprocess
import sys

import pytest

SDKS = {"google", "grpc", "httpx", "flask", "fastapi", "starlette", "functions_framework", "typer", "rich", "sqlite3"}
PHASES = [f"entracte.core.phases.{phase}" for phase in ("plan", "execute", "evaluate")]


def loaded_by(module):
    """Modules that a fresh interpreter loads when it imports the module."""
    code = f"import sys; before = set(sys.modules); import {module}; print(*set(sys.modules) - before)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=_ENVIRONMENT)
    return done.stdout.split()


_ENVIRONMENT = {"PYTHONPATH": ":".join(path for path in sys.path if path)}


@pytest.mark.parametrize(
    "module", [*PHASES, "entracte.agents", "entracte.runtime.engine.engine", "entracte.runtime.upkeep.sweep"]
)
def test_a_part_loads_without_cloud_web_and_database_packages(module):
    """Functions start cold: each package is imported where it is used."""
    assert {name.partition(".")[0] for name in loaded_by(module)} & SDKS == set()


@pytest.mark.parametrize("module", PHASES)
def test_a_phase_loads_nothing_that_is_built_on_the_core(module):
    """Pure functions of documents: no adapter, no runtime."""
    own = {name for name in loaded_by(module) if name.startswith("entracte.")}
    assert {name.split(".")[1] for name in own} == {"core", "errors"}
