"""A plan function's cold start up to a model's first reply: everything imported, one question asked of a fake service.

Beside it the same with the bare client of the service and nothing of ours: the libraries that every phase function
needs anyway, the client, one question.
"""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from textwrap import dedent

from imports import PHASE

from entracte.testing.model_contract import TEXT
from entracte.testing.model_server import ModelServer, completion
from entracte.testing.wires.turn import Says
from entracte.testing.wires.vertex_wire import grpc_server

ROOT = Path(__file__).resolve().parents[2]
RUNS = 5

_OURS = """
import sys; sys.path.insert(0, {plan!r}); import main
from entracte.adapters.models.google.cloud import Cloud
from entracte.adapters.models.registry import open_model
from entracte.core.modelling import ModelRequest, Part
model = open_model({model!r}, base_url={url!r}, cloud=Cloud(project="demo", location="global"))
request = ModelRequest(purpose="plan", run="r", frame="r", agent="desk", step=1, model={model!r}, system="Help.",
                       parts=(Part("input", "Which plan is Ada on?"),))
assert model.generate(request, deadline_s=30).value == "Pro."
"""

_BARE = {
    "vertex/gemini-m-1": """
import grpc
from google.cloud.aiplatform_v1beta1.services.prediction_service import PredictionServiceClient
from google.cloud.aiplatform_v1beta1.services.prediction_service.transports.grpc import PredictionServiceGrpcTransport
channel = grpc.insecure_channel({url!r}.removeprefix("http://"))
client = PredictionServiceClient(transport=PredictionServiceGrpcTransport(channel=channel))
asked = {{"model": "projects/demo/locations/global/publishers/google/models/gemini-m-1",
         "contents": [{{"role": "user", "parts": [{{"text": "Which plan is Ada on?"}}]}}]}}
assert client.generate_content(asked, timeout=30).candidates[0].content.parts[0].text == "Pr"
""",
    "openai/m-1": """
import httpx
answer = httpx.post({url!r} + "/chat/completions", timeout=30,
                    json={{"model": "m-1", "messages": [{{"role": "user", "content": "Which plan is Ada on?"}}]}})
assert answer.json()["choices"][0]["message"]["content"] == "Pro."
""",
}

_TIMED = """
import time; began = time.perf_counter()
{code}
print(time.perf_counter() - began)
"""


def cold_start_s() -> dict[str, dict[str, float]]:
    """By model: seconds of ours, of the bare client, and their ratio; medians, taken in turn."""
    says = Says(request=TEXT, text="Pro.")
    figures = {}
    with ExitStack() as stack:
        port, _ = stack.enter_context(grpc_server((says,) * 4 * RUNS))
        server = stack.enter_context(ModelServer(*[completion("Pro.")] * 4 * RUNS))
        for model, url in {"vertex/gemini-m-1": f"http://127.0.0.1:{port}", "openai/m-1": server.base_url}.items():
            ours, bare = [], []
            plan = str(ROOT / "functions" / "plan")
            for run in range(RUNS + 1):
                pair = (
                    _seconds(_OURS.format(plan=plan, model=model, url=url)),
                    _seconds(f"import {', '.join(PHASE)}\n" + _BARE[model].format(url=url)),
                )
                if run:  # the first one warms the disk's cache up
                    ours.append(pair[0])
                    bare.append(pair[1])
            own, theirs = median(ours), median(bare)
            figures[model] = {"s": round(own, 2), "bare_s": round(theirs, 2), "ratio": round(own / theirs, 3)}
    return figures


def _seconds(code: str) -> float:
    nowhere = {"FIRESTORE_EMULATOR_HOST": "127.0.0.1:1", "PUBSUB_EMULATOR_HOST": "127.0.0.1:1"}
    settings = {"ENTRACTE_NETWORK": "crm:network", "ENTRACTE_PROJECT": "demo-bench", "HOST": "127.0.0.1"}
    done = subprocess.run(
        [sys.executable, "-c", _TIMED.format(code=dedent(code))],
        env={**os.environ, **nowhere, **settings, "PYTHONPATH": str(ROOT / "shared")},
        check=True,
        capture_output=True,
        text=True,
    )
    return float(done.stdout.split()[-1])
