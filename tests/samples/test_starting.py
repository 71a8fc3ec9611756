"""Each sample as a stranger starts it: by name, on the command line, in an empty folder."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

import bundle
from entracte.adapters.models.minimal import minimal
from entracte.testing.model_server import Answer, Asked, ModelServer, completion, completion_stream
from tests.cli.conftest import Shell, new_shell

ASKED = {
    "analyser": (
        "How can a change of the sales be taken back?",
        "shared/sales/changes.py:3 says: While a statement runs",
    ),
    "sales": ("Which tea sold best in April and May, and why?", "Sencha sold best: 13400 g in 19 orders"),
    "writer": ("How does a letter burn?", "A letter on rag paper burns slowly"),
}
"""For each sample a request that its script knows, and how the answer begins."""


def in_folder(folder: Path) -> Shell:
    """A shell in a folder; the code that is asked about is our own."""
    shell = new_shell(folder)
    return Shell(folder, {**shell.environment, "ANALYSER_FOLDER": str(bundle.ROOT)})


def answered(asked: Asked) -> Answer:
    """A model that finds nothing to do, and says so."""
    schema = asked.body.get("response_format", {}).get("json_schema", {}).get("schema", {})
    *choices, last = schema.get("anyOf", [schema])  # of calls and an answer, the answer comes last
    reply = {**minimal(last), "answer": "Nothing to do."} if choices else minimal(last)
    text = json.dumps(reply) if schema else "Nothing to do."
    return completion_stream(text) if asked.body.get("stream") else completion(text)


@pytest.mark.parametrize("name", ASKED)
def test_it_answers_by_its_script(tmp_path: Path, name: str):
    """No key, no model, no file: the answer alone goes to standard output."""
    request, beginning = ASKED[name]
    done = in_folder(tmp_path).run("--network", f"{name}:network", "run", request)
    assert (done.code, done.out[: len(beginning)]) == (0, beginning), done.err


@pytest.mark.parametrize("name", ASKED)
def test_it_asks_the_model_that_is_named(tmp_path: Path, name: str):
    """In the script's place, over the wire, with the sample's own prompts."""
    with ModelServer(*[answered] * 10) as server:
        done = in_folder(tmp_path).run(
            "--network", f"{name}:network", "run", "Hello.", "--model", "openai/small", "--base-url", server.base_url
        )
        assert (done.code, done.out) == (0, "Nothing to do.\n"), done.err
    assert {asked.body["model"] for asked in server.requests} == {"small"}


@pytest.mark.parametrize("name", ASKED)
def test_a_bundle_carries_the_sample_that_is_deployed_and_no_other(tmp_path: Path, name: str):
    """With its script, policy and data."""
    made = bundle.bundle("plan", f"{name}:network", tmp_path)
    with zipfile.ZipFile(made.file) as archive:
        held = archive.namelist()
    assert {entry.partition("/")[0] for entry in held} == {"main.py", "requirements.txt", "entracte", name}
    there = (bundle.ROOT / "shared" / name).rglob("*.*")
    sources = {f.relative_to(bundle.ROOT / "shared").as_posix() for f in there if f.suffix != ".pyc"}
    assert sources <= set(held)
