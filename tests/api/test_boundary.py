"""What every request passes (api/boundary.py)."""

from __future__ import annotations

import logging

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from entracte.api.boundary import SAFE_HEADERS


def test_a_request_keeps_the_name_that_its_caller_gave_it(api: TestClient):
    """So that logs of both sides can be put together."""
    assert api.get("/healthz", headers={"X-Request-Id": "a-b_c.7"}).headers["x-request-id"] == "a-b_c.7"


@pytest.mark.parametrize("given", ["", "a b", "x" * 129, "a\tb", "ü", "<script>", "a;b"])
def test_a_name_that_could_do_harm_in_a_log_is_replaced(api: TestClient, given: str):
    """By one that nobody else has."""
    names = {api.get("/nope", headers={"X-Request-Id": given.encode("latin-1")}).json()["request_id"] for _ in range(2)}
    assert len(names) == 2
    assert all(len(name) == 32 and name.isalnum() for name in names)


@pytest.mark.parametrize("path", ["/healthz", "/nope", "/v1/runs", "/", "/openapi.json"])
def test_every_answer_has_the_headers_of_safety(api: TestClient, path: str):
    """Errors and redirects too."""
    headers = api.get(path).headers
    assert {name: headers.get(name) for name in SAFE_HEADERS} == SAFE_HEADERS


def test_pages_of_other_sites_are_not_let_in(api: TestClient):
    """No answer says that they may read it, and a preflight is refused."""
    asked = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    for response in (api.options("/v1/runs", headers=asked), api.get("/v1/network", headers=asked)):
        assert not [name for name in response.headers if name.startswith("access-control")]
    assert api.options("/v1/runs", headers=asked).status_code == 405


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> pytest.LogCaptureFixture:
    """Entracte's log."""
    monkeypatch.setattr(logging.getLogger("entracte"), "propagate", True)
    caplog.set_level("INFO", "entracte")
    return caplog


def test_a_request_is_one_line_of_log(api: TestClient, lines: pytest.LogCaptureFixture):
    """Without what was asked, and without a way to forge a second line."""
    api.get("/v1/runs/a%0Aforged?wait=0", headers={"X-Request-Id": "r-1"})
    (line,) = [record.getMessage() for record in lines.records if record.name == "entracte"]
    start, _, rest = line.partition(" duration_ms=")
    assert start == "request_answered method=GET path=/v1/runs/a%0Aforged status=404"
    assert rest.endswith(" request_id=r-1")


def test_a_fault_is_in_the_log_under_the_name_that_the_caller_is_told(app: FastAPI, lines: pytest.LogCaptureFixture):
    """With its traceback, which the caller is not told."""

    def fail(request: object) -> str:
        raise RuntimeError("inside")

    app.state.identify = fail
    problem = TestClient(app).get("/v1/runs").json()
    (fault,) = [record for record in lines.records if record.levelname == "ERROR"]
    assert fault.getMessage() == f"request_failed request_id={problem['request_id']}"
    assert "RuntimeError: inside" in lines.text
