"""The plan's own prices, put in front of a price book."""

from __future__ import annotations

from collections.abc import Iterator

from planner.plan.types import Plan
from pricing.book import PriceBook
from pricing.offers import Basis, Price, PurchaseOption
from pricing.own import OwnPrice

_TABLES = {"on-demand": "on_demand", "spot": "spot", "capacity-block": "capacity_blocks"}


def with_own_prices(book: PriceBook, plan: Plan) -> PriceBook:
    """The book with the plan's own prices, and with no others."""
    return book.with_own(tuple(_own_prices(book, plan)))


def source_of(plan: Plan, index: int) -> str:
    """What a bill names as the source of an own price."""
    return f"the plan, prices.own[{index}]: {plan.own_prices[index].source}"


def _own_prices(book: PriceBook, plan: Plan) -> Iterator[OwnPrice]:
    for index, own in enumerate(plan.own_prices):
        region = own.region or plan.region
        price = Price(
            usd=own.usd,
            unit=own.unit,
            observed=own.date,
            grade="",
            source=source_of(plan, index),
            basis=Basis.OWN,
            tier_from=own.tier_from_gb,
            tier_to=float("inf") if own.tier_to_gb is None else own.tier_to_gb,
        )
        if own.item is not None:
            yield OwnPrice(key=("metered", book.service_of(own.item), own.item, region, own.offering), price=price)
            continue
        option = PurchaseOption.parse(own.purchase or "")
        key = (_TABLES.get(option.id, "commitments"), own.instance_type or plan.fleet.instance_types[0], region)
        yield OwnPrice(key=(*key, option.id) if option.years else key, price=price)
