"""``entracte cost`` (commands/cost.py, views/bill_view.py, runtime/cloud_pricing.py)."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from entracte.runtime.cloud_pricing import read_cloud_prices
from tests.cli.conftest import Done

ASKED = "Which plan is Ada Lovelace on, and since when?"


@pytest.fixture
def cost(call: Callable[..., Done]) -> Callable[..., Done]:
    """Runs the sample once, then says what it costs."""
    call("run", ASKED)
    return lambda *options: call("cost", *options)


def test_a_run_s_bill_names_its_model_and_what_is_around_it(cost: Callable[..., Done]):
    """With the day of the prices, and waiting for the model apart from the rest."""
    done = cost()
    assert done.code == 0, done.err
    names = [line.strip().split("  ")[0] for line in done.out.splitlines()]
    for name in ("documents read", "messages", "execute: instance", "plan: waiting for the model", "together"):
        assert name in names
    assert "prices of 2026-11-30" in done.out and "model: $0" in done.out


def test_the_same_for_programs(cost: Callable[..., Done]):
    """Each line in USD, for one run."""
    bill = json.loads(cost("--json").out)
    assert bill["as_of"] == "2026-11-30"
    assert {"name", "quantity", "low_usd", "high_usd"} == set(bill["cloud"][0])
    assert all(0 < line["low_usd"] <= line["high_usd"] for line in bill["cloud"] if line["quantity"] != "0.0 s")


def test_prices_of_another_region_go_in_their_place(cost: Callable[..., Done], tmp_path: Path):
    """A file of the same shape; one that lacks a price is named."""
    known = read_cloud_prices()
    usd = {name: getattr(known, name) * 2 for name in known.__slots__ if name not in ("as_of", "region")}
    (tmp_path / "eu.json").write_text(json.dumps({"as_of": "2027-01-01", "region": "europe-west4", "usd": usd}))
    assert "europe-west4, prices of 2027-01-01" in cost("--prices", "eu.json").out
    del usd["message_tib"]
    (tmp_path / "eu.json").write_text(json.dumps({"as_of": "2027-01-01", "region": "europe-west4", "usd": usd}))
    done = cost("--prices", "eu.json")
    assert done.code == 2 and "eu.json" in done.err and "message_tib" in done.err
