"""Whether a request still fits into its frame's budget: asked before it is sent, not after it was paid.

A request may take its prompt and as much output as its limit allows. Where less is left, the limit is lowered; where
hardly anything is left for a reply, the request is not made. A request that others follow leaves enough for the answer.
"""

from __future__ import annotations

from msgspec.structs import replace

from entracte.core.asking.measuring import prompt_tokens
from entracte.core.budget import Limits, Share, spend
from entracte.core.documents.frame import Frame
from entracte.core.documents.run import Run
from entracte.core.modelling import ModelRequest, Usage
from entracte.core.pricing import MILLION, Price
from entracte.core.situation import Situation

LEAST_OUTPUT_TOKENS = 256
"""A reply that may not be longer than this is hardly worth its prompt."""

ANSWER_TOKENS = 1024
"""Output that is kept for the final answer."""


def affordable(s: Situation, run: Run, frame: Frame, request: ModelRequest) -> ModelRequest | str:
    """The request as it may be sent, with a lower limit of output where need be; or what is lacking, in words."""
    return affordable_at(s.prices.of(request.model, s.now.date()), run, frame.share, request)


def affordable_after(s: Situation, run: Run, request: ModelRequest) -> ModelRequest | str:
    """The same for what is asked after the answer, when the run has counted what its frames used."""
    left = Share.whole(run.limits).minus(spend(run.usage))
    return affordable_at(s.prices.of(request.model, s.now.date()), run, left, request)


def affordable_at(price: Price | None, run: Run, share: Share, request: ModelRequest) -> ModelRequest | str:
    """The same for a share of the run at a price, which may not be known."""
    if price is None and run.cost_bound:
        return (
            f"cost_micro_usd (limit {run.limits.cost_micro_usd:,} for the run; the price of {request.model} is not "
            "known, so that nobody can tell whether the limit is kept. Name it in the price table, ENTRACTE_PRICES)"
        )
    prompt = prompt_tokens(request)
    least = min(LEAST_OUTPUT_TOKENS, request.max_output_tokens)
    kept = _kept_for_the_answer(request, prompt, price)
    room = _output_within(share.minus(kept), prompt, price)
    if room < least:
        return _lacking(share, kept.plus(_most(prompt, least, price)), run.limits)
    return replace(request, max_output_tokens=min(request.max_output_tokens, room))


def _kept_for_the_answer(request: ModelRequest, prompt: int, price: Price | None) -> Share:
    """What a request leaves to the one that gives the answer: one about as large as itself."""
    if request.purpose in ("summarise", "refine") or (request.purpose == "plan" and not request.tools):
        return Share()  # it is that one, or comes after it
    return _most(prompt, min(ANSWER_TOKENS, request.max_output_tokens), price)


def _most(prompt: int, output: int, price: Price | None) -> Share:
    """The most that such a request takes."""
    cost = price.cost_micro_usd(Usage(prompt_tokens=prompt, output_tokens=output)) if price is not None else 0
    return Share(tokens=prompt + output, cost_micro_usd=cost)


def _output_within(share: Share, prompt: int, price: Price | None) -> int:
    """Tokens of output for which a share has room beside the prompt."""
    room = share.tokens - prompt
    if price is not None and price.output:
        left = share.cost_micro_usd - price.cost_micro_usd(Usage(prompt_tokens=prompt))
        room = min(room, left * MILLION // price.output)
    elif price is not None and price.cost_micro_usd(Usage(prompt_tokens=prompt)) > share.cost_micro_usd:
        return 0
    return room


def _lacking(left: Share, need: Share, limits: Limits) -> str:
    name = "tokens" if left.tokens < need.tokens else "cost_micro_usd"
    return (
        f"{name} (limit {getattr(limits, name):,} for the run; {max(0, getattr(left, name)):,} left here, and about "
        f"{getattr(need, name):,} needed to go on)"
    )
