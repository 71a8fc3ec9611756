"""Prices and what usage costs (pricing.py)."""

from datetime import date

from hypothesis import given, strategies as st

from entracte.core.modelling import Usage
from entracte.core.pricing import Price, Prices

TODAY = date(2026, 11, 30)
FLASH = Price(prompt=750_000, cached=75_000, output=3_750_000)


def test_each_kind_of_token_has_its_price():
    """1,000 fresh, 9,000 cached, 100 thinking and 100 output tokens: 750 + 675 + 750 micro-USD."""
    usage = Usage(prompt_tokens=10_000, cached_tokens=9_000, thinking_tokens=100, output_tokens=100)
    assert FLASH.cost_micro_usd(usage) == 750 + 675 + 750


def test_cached_tokens_without_a_price_of_their_own_are_as_dear_as_the_rest():
    """Rather too much than too little."""
    price = Price(prompt=750_000, output=0)
    assert price.cost_micro_usd(Usage(prompt_tokens=1000, cached_tokens=1000)) == 750


@given(st.lists(st.tuples(*[st.integers(0, 10_000)] * 3), max_size=8))
def test_calls_together_never_cost_less_than_their_tokens(counts):
    """Each is rounded up, so that a sum of many small ones is no less than the whole."""
    usages = [Usage(prompt_tokens=p, thinking_tokens=t, output_tokens=o) for p, t, o in counts]
    assert sum(map(FLASH.cost_micro_usd, usages)) >= FLASH.cost_micro_usd(sum(usages, Usage())) - len(usages)
    assert sum(map(FLASH.cost_micro_usd, usages)) * 10**6 >= sum(
        u.prompt_tokens * 750_000 + (u.output_tokens + u.thinking_tokens) * 3_750_000 for u in usages
    )


def test_a_name_counts_before_patterns_and_a_long_pattern_before_a_short_one():
    """So that an exception can be made for one model."""
    one, two, three = (Price(prompt=n, output=n) for n in (1, 2, 3))
    prices = Prices({"*/gemini-*": [one], "vertex/gemini-*": [two], "vertex/gemini-4": [three]})
    found = {name: prices.of(name, TODAY) for name in ("gemini/gemini-4", "vertex/gemini-5", "vertex/gemini-4", "x/y")}
    assert list(found.values()) == [one, two, three, None]


def test_prices_follow_each_other_in_time():
    """The newest that holds already counts; before the first there is none."""
    old = Price(prompt=1, output=1, since=date(2026, 1, 1))
    new = Price(prompt=2, output=2, since=date(2027, 1, 1))
    prices = Prices({"a/b": [new, old]})
    days = (date(2025, 12, 31), date(2026, 12, 31), date(2027, 1, 1))
    assert [prices.of("a/b", day) for day in days] == [None, old, new]


def test_a_call_of_unknown_price_is_counted_as_such_and_not_as_free():
    """Its cost is not known, which is not the same as nothing."""
    usage = Usage(prompt_tokens=10, model_calls=2)
    assert Prices().priced("a/b", usage, TODAY) == Usage(prompt_tokens=10, model_calls=2, unpriced_calls=2)
    free = Prices({"a/b": [Price(prompt=0, output=0)]})
    assert free.priced("a/b", usage, TODAY) == usage


def test_a_cost_that_the_service_tells_stays():
    """It knows best."""
    told = Usage(prompt_tokens=10, cost_micro_usd=7, model_calls=1)
    assert Prices({"a/b": [FLASH]}).priced("a/b", told, TODAY) == told
