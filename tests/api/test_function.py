"""The API inside the functions framework (api/function.py, functions/api)."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path

import functions_framework.aio
import pytest
from fastapi.testclient import TestClient

MAIN = """
    import functions_framework.aio
    from entracte.api.app import create_app
    from entracte.runtime.doors.mounting import Mounted
    from entracte.testing.world import World
    from tests.api.conftest import owner_header
    from tests.api.echo import EchoModel, echo_network

    app = create_app(World(echo_network(), EchoModel()).process, identify=owner_header)

    @functions_framework.aio.http
    async def api(request):
        return Mounted(app)
"""


@pytest.fixture
def function(tmp_path: Path) -> Iterator[TestClient]:
    """A client of the function, with the framework's own routing around it."""
    source = tmp_path / "main.py"
    source.write_text(textwrap.dedent(MAIN))
    with TestClient(functions_framework.aio.create_asgi_app("api", str(source)), follow_redirects=False) as client:
        yield client


def test_the_framework_passes_everything_on(function: TestClient):
    """Paths, methods, queries, headers and bodies, there and back."""
    started = function.post("/v1/runs", json={"message": "hi"}, headers={"X-Request-Id": "r-1"})
    assert (started.status_code, started.headers["x-request-id"]) == (202, "r-1")
    assert function.get(started.headers["location"]).json() == started.json()
    assert function.get("/v1/runs?limit=1").json()["items"] == [started.json()]
    assert function.patch(f"/v1/sessions/{started.json()['session']}/state", json={"facts": "x"}).status_code == 200
    assert function.get("/").headers["location"] == "/docs"
    assert function.get("/healthz").json() == {"status": "ok"}


def test_errors_are_problems_in_the_framework_too(function: TestClient):
    """And not the framework's own texts."""
    for method, path, status in (("GET", "/nope", 404), ("PUT", "/v1/runs", 405), ("GET", "/v1/runs/x", 404)):
        response = function.request(method, path)
        assert (response.status_code, response.headers["content-type"]) == (status, "application/problem+json")
