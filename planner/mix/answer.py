"""The mix of commitments for an hourly demand: what `planner mix` prints."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from planner.errors import UsageProblem
from planner.mix.advice import Advice, Hindsight, advise, hindsight
from planner.mix.demand_file import Demand
from planner.mix.futures import MONTH, MONTHS, WEEK_HOURS, Futures, growth, shape
from planner.mix.model import Array, Market, Offer, Usage
from planner.mix.sold import Owned, Sold, offers, owned, sold
from pricing.book import PriceBook

YEAR_HOURS = 8_760


@dataclass(frozen=True, kw_only=True)
class Asked:
    """years: of a term, 1 or 3. upfront: "no", "partial" or "all". low, high: change of the demand over a year, 5th and
    95th percentile. owned: entries as planner.mix.sold.owned reads them."""

    region: str
    years: int = 1
    upfront: str = "no"
    low: float = -0.3
    high: float = 0.5
    rank_by: str = "p50"
    owned: tuple[str, ...] = ()
    blocks: bool = False
    draws: int = 100
    seed: int = 1


@dataclass(frozen=True, kw_only=True)
class Mix:
    """An answer with everything that it rests on."""

    asked: Asked
    demand: Demand
    prices: Sold
    owned: Owned
    advice: Advice
    past: Hindsight


def mix(demand: Demand, path: str, book: PriceBook, asked: Asked) -> Mix:
    """What to commit to for a demand. path: where it was read from. Raises UsageProblem."""
    if demand.hours < WEEK_HOURS:
        raise UsageProblem(f"{path} has {demand.hours} hours; at least a week ({WEEK_HOURS} hours) is needed")
    if not any(hours.any() for hours in (*demand.firm.values(), *demand.interruptible.values())):
        raise UsageProblem(f"{path}: nothing runs in any hour")
    prices = sold(
        book,
        asked.region,
        list(demand.firm),
        years=asked.years,
        upfront=f"{asked.upfront}-upfront",
        interruptible=set(demand.interruptible),
        blocks=asked.blocks,
    )
    held = owned(asked.owned, prices)
    now = tuple(offers(prices, months=MONTHS, month=MONTH))
    factors = growth(list(demand.firm), asked.low, asked.high, asked.draws, asked.seed)
    usage = _usage(demand, prices, held, slice(None))
    year = tuple(replace(row, hours=shape(row.hours)) for row in usage)
    futures = Futures(Market(usage=year, offers=(*now, *held.offers)), factors)
    # months of Capacity Blocks end with the month, so the past is priced without them
    past: list[Offer] = offers(replace(prices, blocks={}), months=1, month=demand.hours)
    last = _usage(demand, prices, held, slice(-YEAR_HOURS, None))
    return Mix(
        asked=asked,
        demand=demand,
        prices=prices,
        owned=held,
        advice=advise(futures, asked.rank_by),
        past=hindsight(Market(usage=last, offers=(*past, *held.offers))),
    )


def _usage(demand: Demand, prices: Sold, held: Owned, hours: slice) -> tuple[Usage, ...]:
    """Rows of the demand. An On-Demand Capacity Reservation bills its instances whether they run or not, so it is usage
    that commitments cover; what may be interrupted runs in its idle part first."""
    rows = []
    for name, all_firm in demand.firm.items():
        firm, least = all_firm[hours], float(held.reservations.get(name, 0))
        may_wait: Array | None = demand.interruptible.get(name)
        rows.append(Usage(instance_type=name, price=prices.on_demand[name].usd, hours=np.maximum(firm, least)))
        if may_wait is not None:
            rest = np.maximum(may_wait[hours] - np.maximum(least - firm, 0.0), 0.0)
            rows.append(Usage(instance_type=name, price=prices.spot[name].usd, hours=rest, interruptible=True))
    return tuple(rows)
