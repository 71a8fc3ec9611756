"""Models by name (registry.py)."""

import subprocess
import sys
from importlib.util import find_spec

import pytest

from entracte.adapters.models import registry
from entracte.adapters.models.google.cloud import Cloud
from entracte.adapters.models.openai.model import OpenAIModel
from entracte.adapters.models.registry import open_model
from entracte.errors import ConfigurationError


def test_the_provider_is_what_stands_before_the_first_slash(tmp_path):
    """The rest is the service's own name, slashes and all."""
    model = open_model("openai/qwen/qwen3", base_url="http://localhost:8080/v1")
    assert isinstance(model, OpenAIModel)
    assert repr(model) == "OpenAIModel('qwen/qwen3', host='localhost:8080')"
    script = tmp_path / "script.yaml"
    script.write_text("version: 1\nreplies: []\n", encoding="utf-8")
    assert repr(open_model(f"scripted/{script}")) == f"Script({str(script)!r}, 0 replies)"


@pytest.mark.parametrize("name", ["qwen3", "ollama/qwen3", "openai/", "/m", "", "OpenAI/m"])
def test_an_unknown_name_is_refused_with_the_form_and_the_known_providers(name):
    """When the network is built."""
    with pytest.raises(ConfigurationError) as caught:
        open_model(name)
    assert str(caught.value) == (
        f"{name!r} is no model. A model is named provider/name; "
        "known providers: anthropic, gemini, openai, scripted, vertex."
    )


def test_opening_a_model_loads_no_http_library():
    """Functions start cold: a library is loaded when the first question is asked."""
    code = (
        "import sys; from entracte.adapters.models.registry import open_model; "
        "from entracte.adapters.models.google.cloud import Cloud; "
        "names = ['openai/m', 'anthropic/m', 'gemini/m', 'vertex/m', 'vertex/claude-m']; "
        "here = {'base_url': 'http://localhost/v1', 'api_key': str, 'cloud': Cloud(location='eu')}; "
        "print(*[open_model(name, **here).__class__.__name__ for name in names]); "
        "heavy = {'httpx', 'stamina', 'ruamel.yaml', 'google.api_core', 'google.auth', 'google.genai', 'grpc'}; "
        "print(*sorted(heavy & set(sys.modules)))"
    )
    environment = {"PYTHONPATH": ":".join(path for path in sys.path if path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.split() == ["OpenAIModel", "AnthropicModel", "GeminiModel", "VertexModel", "VertexClaude"]


@pytest.mark.parametrize(
    ("name", "package", "extra"),
    [
        ("gemini/m", "google.genai", "gemini"),
        ("vertex/m", "google.cloud.aiplatform_v1beta1", "vertex"),
    ],
)
def test_a_package_that_is_not_installed_is_named_with_its_extra(name, package, extra, monkeypatch):
    """When the network is built, not in the middle of a run."""
    monkeypatch.setattr(registry, "find_spec", lambda wanted: None if wanted == package else find_spec(wanted))
    with pytest.raises(ConfigurationError) as caught:
        open_model(name, api_key=str, cloud=Cloud(location="eu"))
    assert str(caught.value) == (
        f"{name} needs the package {package}, which is not installed. Install entracte[{extra}]."
    )
