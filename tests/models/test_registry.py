"""Models by name (registry.py)."""

import subprocess
import sys

import pytest

from entracte.adapters.models.openai import OpenAIModel
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
        "open_model('openai/m', base_url='http://localhost/v1'); "
        "print(*sorted({'httpx', 'openai', 'stamina', 'ruamel.yaml'} & set(sys.modules)))"
    )
    environment = {"PYTHONPATH": ":".join(path for path in sys.path if path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.split() == []
