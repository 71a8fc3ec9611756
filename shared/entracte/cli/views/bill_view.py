"""A run's bill, as a table."""

from __future__ import annotations

from collections.abc import Iterator

from entracte.cli.records.report import Report
from entracte.cli.views.cost_words import by_model, cost_words
from entracte.core.cloud_costs import CloudPrices, Line, Move, bill

_RUNS = 1000


def lines_of(report: Report, prices: CloudPrices) -> tuple[Line, ...]:
    """The run's bill from its journal."""
    moves = [
        Move(entry["phase"], entry["duration_ms"], bool(entry["usage"]["model_calls"])) for entry in report.journal
    ]
    return bill(moves, prices)


def bill_view(report: Report, prices: CloudPrices) -> Iterator[str]:
    """The lines of the view: what the model costs, then the cloud around it, for a thousand runs like this."""
    yield f"run {report.run['id']}, {report.run['status']}"
    yield f"  model: {cost_words(report.usage)}"
    yield from (f"    {line}" for line in by_model(report.journal))
    lines = lines_of(report, prices)
    yield f"  Google Cloud, {prices.region}, prices of {prices.as_of}, for {_RUNS:,} runs like this one:"
    width = max(len(line.name) for line in lines)
    for line in lines:
        yield f"    {line.name:{width}}  {line.quantity:>10}  {_range(line.low_usd, line.high_usd)}"
    low, high = (sum(getattr(line, end) for line in lines) for end in ("low_usd", "high_usd"))
    yield f"    {'together':{width}}  {'':>10}  {_range(low, high)}"
    yield "  From: instances are full. To: each request is alone on one. Storage, traffic and free quota are not in it."


def _range(low_usd: float, high_usd: float) -> str:
    low, high = (f"${usd * _RUNS:,.4f}" for usd in (low_usd, high_usd))
    return low if low == high else f"{low} to {high}"
