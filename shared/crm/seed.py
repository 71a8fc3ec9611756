"""The records of a new database: the same five hundred customers in every Python version.

Only `Random.random` is used, the one method whose sequence never changes
(https://docs.python.org/3/library/random.html#notes-on-reproducibility).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date, timedelta
from decimal import Decimal
from functools import cache
from pathlib import Path
from random import Random
from typing import Final, Literal, TypeVar

from pydantic import BaseModel, ConfigDict
from ruamel.yaml import YAML

from crm.records import Customer, Invoice, InvoiceStatus, Plan
from crm.words import words

T = TypeVar("T")

HOW_MANY: Final = 500
_SEED: Final = 1843  # the year of Lovelace's notes on the analytical engine

_PLANS: Final[tuple[tuple[float, Plan], ...]] = ((0.5, "Free"), (0.78, "Pro"), (0.93, "Team"), (1.0, "Enterprise"))
"""Plans, and the share of customers that are on one so far in the list."""

_A_YEAR: Final[dict[Plan, Decimal]] = {"Pro": Decimal(144), "Team": Decimal(588), "Enterprise": Decimal(4800)}
"""What a plan costs, in US dollars."""

_WITHOUT_NOTE: Final = 8
"""Empty notes in the hat from which a note is drawn, beside one of each."""


class _Bill(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    customer_id: int
    issued: date
    amount_usd: Decimal
    status: InvoiceStatus


class _Names(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    first: tuple[str, ...]
    last: tuple[str, ...]


class _Seed(BaseModel):
    """The file seed.yaml."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: Literal[1]
    cast: tuple[Customer, ...]
    invoices: tuple[_Bill, ...]
    names: dict[str, _Names]
    domains: tuple[str, ...]
    notes: tuple[str, ...]


@cache
def all_customers() -> tuple[Customer, ...]:
    """Every customer, by id."""
    random, seed = Random(_SEED), _seed()
    cast = {customer.id: customer for customer in seed.cast}
    people = [(country, f"{a} {b}") for country, names in seed.names.items() for a in names.first for b in names.last]
    notes = ("",) * _WITHOUT_NOTE + seed.notes
    taken: Counter[str] = Counter()
    made: list[Customer] = []
    for number in range(1, HOW_MANY + 1):
        country, name = people.pop(int(random.random() * len(people)))
        domain, note, share, day = _pick(random, seed.domains), _pick(random, notes), random.random(), random.random()
        address = ".".join(words(name))
        taken[address] += 1
        drawn = Customer(
            id=number,
            name=name,
            email=f"{address}{taken[address] if taken[address] > 1 else ''}@{domain}.example",
            plan=next(plan for limit, plan in _PLANS if share < limit),
            since=date(2016, 1, 4) + timedelta(days=int(day * 3800)),
            country=country,
            notes=note,
        )
        made.append(cast.get(number, drawn))
    return tuple(made)


@cache
def all_invoices() -> tuple[Invoice, ...]:
    """Every invoice, by day: one a year of a paying customer, of the newest ones a sixth unpaid."""
    random, seed = Random(_SEED + 1), _seed()
    cast = {customer.id for customer in seed.cast}
    bills = list(seed.invoices)
    for customer in all_customers():
        day, unpaid = random.random(), random.random() < 1 / 6
        if customer.id in cast or customer.plan == "Free":
            continue
        for year in (2024, 2025, 2026):
            issued = date(year, 1, 1) + timedelta(days=int(day * 180))
            status: InvoiceStatus = "open" if unpaid and year == 2026 else "paid"
            if issued >= customer.since:
                bills.append(
                    _Bill(customer_id=customer.id, issued=issued, amount_usd=_A_YEAR[customer.plan], status=status)
                )
    bills.sort(key=lambda bill: (bill.issued, bill.customer_id))
    return tuple(Invoice(number=f"R-{number:05d}", **dict(bill)) for number, bill in enumerate(bills, start=1))


@cache
def _seed() -> _Seed:
    return _Seed.model_validate(YAML(typ="safe").load(Path(__file__).with_name("seed.yaml")))


def _pick(random: Random, choices: Sequence[T]) -> T:
    return choices[int(random.random() * len(choices))]
