"""Price tables as files (runtime/prices.py)."""

from datetime import date

import pytest

from entracte.core.pricing import Price
from entracte.errors import ConfigurationError
from entracte.runtime.prices import read_prices

TODAY = date(2026, 11, 30)


def test_the_default_model_has_a_price():
    """By whichever way it is asked; it doubles with the new year."""
    prices = read_prices()
    for model in ("vertex/gemini-3.8-flash", "gemini/gemini-3.8-flash"):
        assert [prices.of(model, on).output for on in (TODAY, date(2027, 1, 1))] == [3_750_000, 7_500_000]
    assert prices.of("scripted/anything", TODAY) == Price(prompt=0, output=0)
    assert prices.of("openai/whatever-this-is", TODAY) is None


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "own.yaml",
            "version: 1\nmodels:\n  openai/qwen: {prompt: 0, output: 0}\n  scripted/*: {prompt: 5, output: 6}\n",
        ),
        (
            "own.json",
            '{"version": 1, "models": {"openai/qwen": {"prompt": 0, "output": 0},'
            ' "scripted/*": [{"prompt": 5, "output": 6}]}}',
        ),
    ],
)
def test_a_deployers_own_prices_go_before_those_that_are_known(tmp_path, name, text):
    """YAML or JSON; the rest stays."""
    (tmp_path / name).write_text(text)
    prices = read_prices(str(tmp_path / name))
    assert prices.of("openai/qwen", TODAY) == Price(prompt=0, output=0)
    assert prices.of("scripted/x", TODAY) == Price(prompt=5, output=6)
    assert prices.of("vertex/gemini-3.8-flash", TODAY) is not None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"version": 1, "models": {"a/b": {"prompt": -1, "output": 2}}}', "models/a/b"),
        ('{"version": 2, "models": {}}', "version"),
        ('{"version": 1, "models": {"a/b": {"prompt": 1, "output": 2, "per": "k"}}}', "models/a/b"),
        ("{", "is not JSON"),
    ],
)
def test_a_table_that_is_none_stops_the_start_and_says_where(tmp_path, text, told):
    """Never run under prices that are not understood."""
    file = tmp_path / f"{abs(hash(text))}.json"
    file.write_text(text)
    with pytest.raises(ConfigurationError, match=told):
        read_prices(str(file))


def test_a_table_that_is_not_there_is_named():
    """The setting names it."""
    with pytest.raises(ConfigurationError, match=r"'nowhere\.json' cannot be read"):
        read_prices("nowhere.json")
