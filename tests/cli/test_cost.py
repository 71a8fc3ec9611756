"""What models cost, as people are told (cli/views/cost_words.py)."""

import pytest
from msgspec.structs import asdict

from entracte.cli.terminal.quantities import money
from entracte.cli.views.cost_words import by_model, closing_cost, cost_words
from entracte.core.modelling import Usage


@pytest.mark.parametrize(
    ("micro_usd", "shown"),
    [(0, "$0"), (1, "under $0.0001"), (12_345, "$0.0123"), (999_999, "$1.0000"), (12_500_000, "$12.50")],
)
def test_money_is_shown_as_fine_as_it_matters(micro_usd: int, shown: str):
    """Never as nothing where it was something."""
    assert money(micro_usd) == shown


@pytest.mark.parametrize(
    ("usage", "words", "closing"),
    [
        (Usage(model_calls=2), "$0", ""),
        (Usage(model_calls=2, cost_micro_usd=12_345), "$0.0123", "$0.0123"),
        (
            Usage(model_calls=2, unpriced_calls=2),
            "not known: the price of 2 model calls is not known",
            "cost not known",
        ),
        (
            Usage(model_calls=2, unpriced_calls=1, cost_micro_usd=12_345),
            "at least $0.0123: the price of 1 model call is not known",
            "cost not known",
        ),
    ],
)
def test_a_cost_that_is_not_known_is_said_to_be_so(usage: Usage, words: str, closing: str):
    """And never shown as nothing."""
    assert (cost_words(usage), closing_cost(usage)) == (words, closing)


def test_each_model_that_answered_has_its_line():
    """By the version that the service named."""
    one = asdict(Usage(prompt_tokens=10, model_calls=1, cost_micro_usd=200))
    entries = [
        {"served": "flash-001", "usage": one},
        {"served": "", "usage": asdict(Usage())},
        {"served": "pro-001", "usage": asdict(Usage(output_tokens=3, model_calls=1, unpriced_calls=1))},
        {"served": "flash-001", "usage": one},
    ]
    assert by_model(entries) == [
        "flash-001: 2 calls, 20 tokens, $0.0004",
        "pro-001: 1 call, 3 tokens, not known: the price of 1 model call is not known",
    ]
