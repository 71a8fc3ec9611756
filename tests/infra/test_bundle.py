"""Source zips of the functions (infra/bundle.py)."""

from __future__ import annotations

import ast
import hashlib
import json
import re
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Iterator
from importlib.metadata import distributions
from pathlib import Path

import pytest

import bundle
from extras import ASK_MODELS, EXTRAS, OPEN_NETWORK, RUN_TOOLS
from locked import closure, pins

NETWORK = "crm:network"
FUNCTIONS = bundle.functions()

LOAD = """
import json, sys, time

class Absent:
    "What the requirements do not list is not there."
    modules = set(sys.stdin.read().split())

    def find_spec(self, name, path=None, target=None):
        if name in self.modules:
            raise ModuleNotFoundError(f"{name} is not listed", name=name)

sys.meta_path.insert(0, Absent())
began = time.perf_counter()
from functions_framework import create_app
create_app(sys.argv[1], "main.py")
seconds = time.perf_counter() - began
sources = {module.__name__: module.__file__ for module in [*sys.modules.values()] if getattr(module, "__file__", None)}
json.dump({"seconds": seconds, "sources": sources}, sys.stdout)
"""
"""Starts a function as the functions framework does, without the modules named on standard input."""


@pytest.fixture(scope="module")
def zips(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the zip of each function."""
    folder = tmp_path_factory.mktemp("dist")
    assert bundle.main(["--network", NETWORK, "--to", str(folder)]) == 0
    return folder


def names(zip_file: Path) -> list[str]:
    """What a zip holds, in its order."""
    with zipfile.ZipFile(zip_file) as archive:
        return archive.namelist()


def requirements(zip_file: Path) -> str:
    """The requirements that a zip brings along."""
    with zipfile.ZipFile(zip_file) as archive:
        return archive.read("requirements.txt").decode()


def listed(zip_file: Path) -> set[str]:
    """Names of the libraries that a zip's requirements list."""
    return set(re.findall(r"^([a-z0-9.-]+)==", requirements(zip_file), re.MULTILINE))


def test_the_same_sources_give_the_same_bytes(tmp_path: Path):
    """Terraform deploys a function again exactly when its bytes change."""
    first, second = (bundle.bundle("plan", NETWORK, tmp_path / name) for name in ("a", "b"))
    assert first.file.read_bytes() == second.file.read_bytes()
    assert first.sha256 == hashlib.sha256(second.file.read_bytes()).hexdigest()


def test_an_entry_says_nothing_of_time_and_machine(zips: Path):
    """Sorted by name, at one time, with one mode, not compressed: another zlib would give other bytes."""
    with zipfile.ZipFile(zips / "plan.zip") as archive:
        entries = archive.infolist()
    told = {(e.date_time, e.create_system, e.external_attr, e.compress_type) for e in entries}
    assert told == {((1980, 1, 1, 0, 0, 0), 3, 0o100644 << 16, zipfile.ZIP_STORED)}
    assert [entry.filename for entry in entries] == sorted(entry.filename for entry in entries)


def test_a_zip_carries_its_entry_point_the_runtime_and_the_network_with_their_data(zips: Path):
    """What the buildpack finds: all of it, and nothing that is only for other programs."""
    held = names(zips / "plan.zip")
    wanted = {
        "main.py",
        "requirements.txt",
        "entracte/errors.py",
        "crm/network.py",
        "crm/policy.yaml",
        "crm/schema.sql",
    }
    assert wanted <= set(held)
    assert {name.partition("/")[0] for name in held} == {"main.py", "requirements.txt", "entracte", "crm"}
    assert not [name for name in held if "__pycache__" in name or name.startswith(bundle.LEFT_OUT)]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_requirements_are_pinned_by_hash_and_name_the_framework(zips: Path, function: str):
    """Without such a line the buildpack adds a framework of its own choice, without a hash."""
    text = requirements(zips / f"{function}.zip")
    pinned = re.findall(r"^[a-z0-9.-]+==[^\n]*\\\n +--hash=sha256:[0-9a-f]{64}", text, re.MULTILINE)
    assert len(pinned) == len(listed(zips / f"{function}.zip"))
    assert re.search(r"^functions-framework==", text, re.MULTILINE)


def test_only_functions_that_ask_a_model_carry_its_library(zips: Path):
    """It is by far the largest. Tools ask what a text means only where a network remembers."""
    carrying = {name for name in FUNCTIONS if "google-cloud-aiplatform" in listed(zips / f"{name}.zip")}
    assert carrying == {"plan", "evaluate", "memorize"} & set(FUNCTIONS)


SIGNS = {
    "google-genai": ("network.py", 'Models(main="gemini/gemini-3.8-flash")', ASK_MODELS),
    "mcp": ("policy.yaml", "version: 1\nservers:\n  files: {}\n", RUN_TOOLS),
    "markdownify": ("tools.py", "from entracte.toolbox.web import open_url", RUN_TOOLS),
    "google-cloud-aiplatform": ("network.py", "from entracte.toolbox.memory import recall", ASK_MODELS | RUN_TOOLS),
    "phonenumbers": ("network.py", "from entracte.harness import Mask", OPEN_NETWORK),
}
"""Library, and what asks for it in a network's package."""


@pytest.mark.parametrize("library", SIGNS)
def test_only_networks_that_need_a_library_carry_it(tmp_path: Path, library: str):
    """And of these only the functions that come to import it; the gateway always speaks MCP, and plan asks models."""
    file, source, functions = SIGNS[library]
    package = tmp_path / "shared" / "mine"
    package.mkdir(parents=True)
    everybody = {*FUNCTIONS, "memorize"}
    always = {"mcp": {"mcp"}, "google-cloud-aiplatform": {*ASK_MODELS}}.get(library, set())
    without = {name for name in everybody if library in bundle.libraries(name, "mine", tmp_path)}
    (package / file).write_text(source)
    carrying = {name for name in everybody if library in bundle.libraries(name, "mine", tmp_path)}
    assert (without, carrying) == (always, set(functions))


def test_every_extra_is_one_of_the_project():
    """One that pyproject.toml does not have would carry nothing, silently."""
    import tomllib

    known = tomllib.loads((Path(bundle.__file__).parents[1] / "pyproject.toml").read_text())["project"]
    assert {extra.name for extra in EXTRAS} <= set(known["optional-dependencies"])


def test_nothing_that_a_listed_library_needs_is_missing():
    """Told by the libraries themselves, as they are installed here."""
    from packaging.requirements import Requirement

    installed = {canonical(d.name): d for d in distributions()}
    chosen = {pin.name for pin in closure({name for f in FUNCTIONS for name in bundle.libraries(f, "crm")}, pins())}
    needed = {
        canonical(requirement.name)
        for name in chosen & set(installed)
        for requirement in map(Requirement, installed[name].requires or ())
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""})
    }
    assert needed - chosen == set()


def test_a_networks_extra_may_name_extras_of_ours():
    """A network that masks, and one that sends spans, says so once, and every function carries the libraries."""
    extras = {
        "clinic": ["stripe>=9", "entracte[masking, telemetry]"],
        "masking": ["cryptography", "phonenumbers"],
        "telemetry": ["opentelemetry-sdk"],
    }
    assert set(bundle.named_by("clinic", extras)) == {"stripe", "cryptography", "phonenumbers", "opentelemetry-sdk"}
    assert set(bundle.named_by("none", extras)) == set()


def test_a_library_that_the_lock_lacks_is_named():
    """Rather than left to fail in Google's build."""
    with pytest.raises(KeyError, match=r"no-such not in the lock; add to pyproject\.toml and run dev\.py lock"):
        closure({"pydantic", "no-such"}, pins())


def test_a_network_that_is_not_there_is_named(tmp_path: Path):
    """With the place where it was looked for."""
    with pytest.raises(bundle.BundleFailed, match=r"shared/nowhere/__init__\.py is not there"):
        bundle.bundle("plan", "nowhere:network", tmp_path)


def test_the_manifest_tells_terraform_what_there_is(zips: Path):
    """File, hash, network and runtime, each said in one place."""
    manifest = json.loads((zips / "bundles.json").read_text())
    assert sorted(manifest["functions"]) == FUNCTIONS
    assert (manifest["network"], manifest["runtime"]) == (NETWORK, "python313")
    for entry in manifest["functions"].values():
        assert entry["sha256"] == hashlib.sha256((zips / entry["file"]).read_bytes()).hexdigest()


GUARDED = {
    "ENTRACTE_AUTH": "google,keys",
    "ENTRACTE_AUDIENCE": "https://api.example",
    "ENTRACTE_USERS": "*",
    "ENTRACTE_BEHIND_IAM": "true",
    "ENTRACTE_PUSH_ACCOUNT": "push@example.com",
    "K_SERVICE": "deployed",
}
"""Without which nothing starts in the cloud."""


@pytest.fixture(scope="module")
def modules() -> dict[str, set[str]]:
    """Modules of each library that is installed here. Straight from RECORD: `Distribution.files` takes 20 s."""
    return {
        canonical(library.name): {
            line.partition(".py,")[0].removesuffix("/__init__").replace("/", ".")
            for line in (library.read_text("RECORD") or "").splitlines()
            if ".py," in line
        }
        for library in distributions()
    }


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_starts_from_its_zip_with_no_library_that_it_does_not_list(
    zips: Path, modules: dict[str, set[str]], tmp_path: Path, function: str, record_property: pytest.RecordProperty
):
    """In the libraries of this environment, the others hidden, with no source on the path but the zip's own."""
    with zipfile.ZipFile(zips / f"{function}.zip") as archive:
        archive.extractall(tmp_path)
    hidden = set().union(*(modules[name] for name in modules.keys() - listed(zips / f"{function}.zip")))
    path = f"{tmp_path}:{sysconfig.get_path('purelib')}"
    environment = {"PYTHONPATH": path, "ENTRACTE_NETWORK": NETWORK, "ENTRACTE_PROJECT": "demo-p", **GUARDED}
    # -S: without the editable install, and whatever else an environment loads of itself.
    command = [sys.executable, "-S", "-c", LOAD, function]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, input="\n".join(hidden), capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    record_property("import_s", round(told["seconds"], 2))
    record_property("size_bytes", (zips / f"{function}.zip").stat().st_size)
    ours = {name: file for name, file in told["sources"].items() if name.partition(".")[0] in ("crm", "entracte")}
    assert ours and all(Path(file).is_relative_to(tmp_path) for file in ours.values())


PLACES = {
    "entracte/api/": "fastapi",
    "entracte/adapters/gcp/gate_edit": "google-events",
    "entracte/adapters/masking/": "*",
    "entracte/adapters/mcp/": "*",
    "entracte/adapters/models/": "*",
    "entracte/adapters/telemetry/": "*",
    "entracte/gateway/": "*",
    "entracte/toolbox/web/": "*",
}
"""Code that some functions or networks only ever run, and the library that these list for it (``LIBRARIES``,
infra/extras.py). Models have one each, and MCP's SDK brings others along."""


def test_what_is_imported_late_is_listed_too(zips: Path, modules: dict[str, set[str]]):
    """Code that every function may come to run imports what every function lists; the rest has its place."""
    owner = {module: library for library, named in modules.items() for module in named}
    everywhere = {pin.name for pin in closure(bundle.BASE, pins())}
    with zipfile.ZipFile(zips / "approve.zip") as archive:
        sources = {name: archive.read(name) for name in archive.namelist() if name.startswith("entracte/")}
    late = {
        (file, owner[module])
        for file, source in sources.items()
        if file.endswith(".py")
        for module in imported(ast.parse(source))
        if module in owner and owner[module] not in everywhere
    }
    assert {
        (file, library)
        for file, library in late
        if not any(file.startswith(place) and named in ("*", library) for place, named in PLACES.items())
    } == set()


def imported(tree: ast.AST) -> Iterator[str]:
    """Modules that a source imports anywhere, with all packages that they lie in."""
    for node in ast.walk(tree):
        match node:
            case ast.Import():
                names = [alias.name for alias in node.names]
            case ast.ImportFrom(module=str(module), level=0):
                names = [module, *(f"{module}.{alias.name}" for alias in node.names)]
            case _:
                continue
        for parts in (name.split(".") for name in names):
            yield from (".".join(parts[:length]) for length in range(1, len(parts) + 1))


def canonical(name: str) -> str:
    """As the lock writes it."""
    return re.sub(r"[-_.]+", "-", name).lower()
