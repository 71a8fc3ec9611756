"""Budgets and their shares (budget.py)."""

import pytest
from hypothesis import given, strategies as st

from entracte.agents import Budget
from entracte.core.budget import Limits, Share, spend
from entracte.core.modelling import Usage
from entracte.errors import ConfigurationError

FIELDS = Share.__struct_fields__
SHARES = st.builds(Share, **{name: st.integers(-50, 10_000) for name in FIELDS})


def total(*shares):
    """All of them together."""
    whole = Share()
    for share in shares:
        whole = whole.plus(share)
    return whole


@given(SHARES, st.integers(1, 9))
def test_parts_together_are_never_more_than_the_whole(share, parts):
    """Frames that run at the same time cannot all spend the same remainder."""
    part = share.cut(parts)
    for name in FIELDS:
        assert 0 <= getattr(part, name) * parts <= max(0, getattr(share, name))


@given(SHARES, st.integers(1, 8), st.data())
def test_what_is_given_and_returned_adds_up(share, children, data):
    """Each child spends some of its part and returns the rest: nothing is won or lost on the way."""
    part = share.cut(children + 1)
    left = share
    for _ in range(children):
        left = left.minus(part)
    spent = [Share(**{n: data.draw(st.integers(0, getattr(part, n))) for n in FIELDS}) for _ in range(children)]
    assert total(left, *(part.minus(child) for child in spent)) == share.minus(total(*spent))


def test_a_whole_share_is_what_the_limits_say():
    """The root frame may spend all of it."""
    limits = Limits(actions=1, writes=2, tokens=3, cost_micro_usd=4)
    assert Share.whole(limits) == Share(actions=1, writes=2, tokens=3, cost_micro_usd=4)


def test_a_caller_can_only_lower_the_networks_limits():
    """What the caller leaves out stays the network's."""
    own = Limits(actions=10, tokens=500, depth=2)
    assert own.at_most({"actions": 99, "tokens": 5}) == Limits(actions=10, tokens=5, depth=2)


def test_a_budget_has_a_floor():
    """A run without a step, or one call at a time less than none, is a slip."""
    for bad in ({"actions": -1}, {"wall_s": 0}, {"depth": 0}, {"parallel_calls": 9}, {"token": 1}):
        with pytest.raises(ConfigurationError):
            Budget(**bad)


def test_thinking_counts_and_cached_tokens_count_once():
    """Cached tokens are part of the prompt's."""
    usage = Usage(prompt_tokens=100, cached_tokens=80, thinking_tokens=10, output_tokens=5, cost_micro_usd=7)
    assert spend(usage) == Share(tokens=115, cost_micro_usd=7)
    assert (usage + usage).tokens == 230
