"""Prices that a study varies: the plan's own ones, and those of the GPU nodes by purchase option.

Each becomes, or already is, an entry of `prices.own`, so that `planner compare --set` shows the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from planner.decide.enumerate import purchase_options
from planner.estimate.request import Request
from planner.plan.own_prices import OwnPrice, Prices
from planner.plan.types import Plan
from pricing.book import PriceBook
from pricing.offers import Price, PurchaseOption

WHAT_IF = "what-if"


@dataclass(frozen=True, kw_only=True)
class TurnedPrice:
    """One price, USD per unit. path, prefix, suffix: how `--set` writes it. index: its place in `prices.own`. entry:
    the entry at that place."""

    key: str
    usd: float
    unit: str
    source: str
    path: str
    index: int
    entry: OwnPrice
    prefix: str = ""
    suffix: str = ""

    def plan_at(self, plan: Plan, usd: float) -> Plan:
        """The plan with this price at another value."""
        own = list(plan.own_prices)
        own[self.index : self.index + 1] = [self.entry.model_copy(update={"usd": usd})]
        return plan.model_copy(update={"prices": Prices.model_construct(book=plan.price_date, own=tuple(own))})


def prices_to_turn(request: Request) -> Iterator[TurnedPrice]:
    """The plan's own prices, and the book's price of the GPU nodes for each purchase option that is compared.

    Spot has a parameter of its own. Nothing of the book where several instance types are compared: an option has a
    price for each.
    """
    plan = request.plan
    for index, own in enumerate(plan.own_prices):
        key = f"prices.own.{index}.usd"
        unit = "USD/h" if own.unit == "Hrs" else f"USD/{own.unit}"
        yield TurnedPrice(key=key, usd=own.usd, unit=unit, source=own.source, path=key, index=index, entry=own)
    if len(plan.fleet.instance_types) != 1:
        return
    brought = brought_options(plan)
    for option in purchase_options(plan):
        discounted = option.family == "on-demand" and plan.purchase.private_discount
        if option.starts_on_spot or option.id in brought or discounted:
            continue
        price = _of_nodes(request.book, plan.fleet.instance_types[0], plan.region, option)
        if price is not None:
            yield _of_book(request, option, price)


def brought_options(plan: Plan) -> set[str | None]:
    """Purchase options for which the plan brings a price in its Region."""
    return {own.purchase for own in plan.own_prices if own.region in (None, plan.region)}


def _of_nodes(book: PriceBook, instance_type: str, region: str, option: PurchaseOption) -> Price | None:
    try:
        if option.family == "on-demand":
            return book.on_demand(instance_type, region)
        if option.family == "capacity-block":
            return book.capacity_block(instance_type, region).price
        return book.commitment(instance_type, region, option).price
    except LookupError:
        return None


def _of_book(request: Request, option: PurchaseOption, price: Price) -> TurnedPrice:
    plan, index = request.plan, len(request.plan.own_prices)
    entry = OwnPrice.model_construct(
        purchase=option.id, usd=price.usd, unit="Hrs", source=WHAT_IF, date=request.book.as_of
    )
    written = f"{{purchase: {option.id}, unit: Hrs, source: {WHAT_IF}, date: {entry.date}, usd: "
    path, suffix = f"prices.own.{index}", "}"
    if plan.price_date is not None and not isinstance(plan.prices, Prices):
        path, written, suffix = "prices", f"{{book: {plan.price_date}, own: [{written}", "}]}"
    return TurnedPrice(
        key=f"prices.{option.id}",
        usd=price.usd,
        unit="USD/h",
        source=price.source,
        path=path,
        index=index,
        entry=entry,
        prefix=written,
        suffix=suffix,
    )
