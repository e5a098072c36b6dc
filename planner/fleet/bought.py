"""How the nodes of a fleet are bought: the same hours by each way, billed in AWS's order of application.

A way is an amount of each offer of `planner.mix`. The mix is found as `planner mix` finds it, on 56 sampled hours of
each month of every draw, and billed on all hours.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from planner.errors import UsageProblem
from planner.fleet.model import Floats
from planner.fleet.workload import MONTH_HOURS
from planner.mix.advice import Purchase, advise
from planner.mix.futures import MONTH, Futures
from planner.mix.model import Kind, Market, Offer, Usage
from planner.mix.order import applied, sequence
from planner.mix.sold import BLOCK_INSTANCES, Owned, Sold, offers, owned, sold
from planner.plan.fleet_types import FleetPlan
from pricing.book import PriceBook
from pricing.offers import Price, PurchaseOption

YEAR_MONTHS = 12
MIX = "mix"
ON_DEMAND = "on-demand"


class QueueFutures(Futures):
    """Demand as the queue left it, draw by draw."""

    def __init__(self, market: Market, demand: Floats) -> None:
        """demand: types x draws x priced hours; market: with their mean."""
        self.market, self._demand, self._order = market, demand, sequence(market)

    def mean(self) -> Market:
        return self.market


@dataclass(frozen=True, kw_only=True)
class Covered:
    """Node-hours of one type under one kind of commitment, means over the draws. unit_usd: paid for each of them."""

    instance_type: str
    kind: Kind
    node_hours: float
    unit_usd: float
    price: Price | None


@dataclass(frozen=True, kw_only=True)
class Paid:
    """USD of the nodes by one way. draws: of each draw. accrued, cash: by month, means. on_demand: node-hours by type
    that no commitment covers, of each draw. unused_usd: of commitments that nothing used, mean. after_usd: of terms
    that go on after the horizon."""

    draws: Floats
    accrued: Floats
    cash: Floats
    on_demand: Floats
    covered: tuple[Covered, ...]
    unused_usd: float
    after_usd: float
    purchases: tuple[Purchase, ...] = ()


@dataclass(frozen=True)
class _Lot:
    """An offer with how many, and what its term is. term: hours from its first; 0: it ends with its months."""

    offer: Offer
    amount: float
    term: int
    upfront: bool


class Shop:
    """Everything on sale for a plan's types. Raises UsageProblem where one has no On-Demand price."""

    def __init__(self, plan: FleetPlan, book: PriceBook) -> None:
        self.plan, self.types, self.months = plan, list(plan.types), plan.run.months
        self._book, self._sold = book, {}
        own = plan.purchase
        self.main = self.sold(own.years, own.upfront)
        self.owned: Owned = owned(own.owned, self.main)

    def sold(self, years: int, upfront: str) -> Sold:
        """Prices of one term and way to pay."""
        key = years, upfront
        if key not in self._sold:
            self._sold[key] = sold(
                self._book,
                self.plan.region,
                self.types,
                years=years,
                upfront=f"{upfront}-upfront",
                interruptible=set(),
                blocks=True,
            )
        return self._sold[key]

    def demand(self, busy: Floats, nodes: Sequence[int]) -> Floats:
        """Nodes that are billed, types x draws x hours: those that run jobs, or all that are held; with reservations
        that bill in any case. busy: draws x types x hours."""
        wanted = busy.transpose(1, 0, 2)
        if self.plan.purchase.idle == "hold":
            wanted = np.broadcast_to(np.array(nodes, dtype=float)[:, None, None], wanted.shape)
        least = np.array([self.owned.reservations.get(name, 0) for name in self.types], dtype=float)
        return np.maximum(wanted, least[:, None, None])

    def lots(self, option: PurchaseOption, nodes: Sequence[int]) -> list[_Lot] | str:
        """All nodes by one option, bought again when its term ends; or why that cannot be."""
        if option.family == ON_DEMAND:
            return []
        if option.family == "capacity-block":
            lacking = [name for name in self.types if name not in self.main.blocks]
            if lacking:
                return f"no price of Capacity Blocks for {', '.join(lacking)}"
            if most := [n for n in nodes if n > BLOCK_INSTANCES]:
                return f"Capacity Blocks are limited to {BLOCK_INSTANCES} instances; this fleet has {most[0]}"
            return list(self._blocks(nodes))
        found = self.sold(option.years, option.upfront).commitments.get(option.id, {})
        if lacking := [name for name in self.types if name not in found]:
            return f"no price of {option.id} for {', '.join(lacking)}"
        term = option.years * YEAR_MONTHS
        lots = []
        for offer in offers(
            replace(self.sold(option.years, option.upfront), commitments={option.id: found}, blocks={}),
            months=1,
            month=1,
        ):
            rates = [offer.rates.get(name, 0.0) for name in self.types]
            amount = float(np.ceil(np.dot(rates, nodes) / offer.step - 1e-9) * offer.step)
            for first in range(0, self.months, term):
                held = replace(offer, first=first * MONTH_HOURS, last=(first + term) * MONTH_HOURS)
                lots.append(_Lot(held, amount, term * MONTH_HOURS, option.upfront == "all"))
        return lots

    def _blocks(self, nodes: Sequence[int]) -> Iterator[_Lot]:
        """A chain of Capacity Blocks of a month each."""
        for first in range(0, self.months * MONTH_HOURS, MONTH_HOURS):
            for name, count in zip(self.types, nodes, strict=True):
                block = Offer(
                    name=f"capacity-block {name}",
                    kind=Kind.RESERVED,
                    rates={name: 1.0},
                    price=self.main.blocks[name].usd,
                    first=first,
                    last=first + MONTH_HOURS,
                    most=BLOCK_INSTANCES,
                )
                yield _Lot(block, float(count), 0, upfront=True)

    def mixed(self, demand: Floats) -> tuple[list[_Lot], tuple[Purchase, ...]]:
        """The mix that costs least at the plan's percentile. Raises UsageProblem without the solver."""
        every = MONTH_HOURS // MONTH
        at = np.concatenate([m * MONTH_HOURS + np.arange(MONTH) * every + every // 2 for m in range(self.months)])
        sampled = demand[:, :, at]
        year = YEAR_MONTHS * self.plan.purchase.years
        blocks = self.main.blocks if self.plan.purchase.blocks else {}
        for_sale = offers(replace(self.main, blocks=blocks), months=self.months, month=MONTH)
        # a term that lies mostly after the plan is no advice of this plan; blocks are of a month
        for_sale = [
            replace(one, last=min(one.last, one.first + year * MONTH))
            for one in for_sale
            if not one.first or one.last < self.months * MONTH or self.months - one.first // MONTH >= year / 2
        ]
        market = self._market(sampled.mean(axis=1), (*for_sale, *self.owned.offers))
        rank_by = "p90" if self.plan.decision.rank_by == "p90" else "p50"
        found = advise(QueueFutures(market, sampled), rank_by).purchases
        lots = []
        for one in found:
            if one.offer.price == 0:
                continue  # owned: it is added to every way
            is_block = one.offer.name.startswith("capacity-block")
            first = one.offer.first // MONTH * MONTH_HOURS
            term = 0 if is_block else year * MONTH_HOURS
            held = replace(one.offer, first=first, last=first + (term or MONTH_HOURS))
            lots.append(_Lot(held, one.amount, term, is_block or self.plan.purchase.upfront == "all"))
        return lots, tuple(one for one in found if one.offer.price)

    def _market(self, mean: Floats, for_sale: Sequence[Offer]) -> Market:
        prices = self.main.on_demand
        usage = [
            Usage(instance_type=name, price=prices[name].usd, hours=row)
            for name, row in zip(self.types, mean, strict=True)
        ]
        return Market(usage=tuple(usage), offers=tuple(for_sale))

    def paid(self, demand: Floats, lots: Sequence[_Lot], purchases: tuple[Purchase, ...] = ()) -> Paid:
        """The bill of one way, draw by draw, in AWS's order."""
        hours = demand.shape[2]
        own = [_Lot(one, one.least, 0, upfront=False) for one in self.owned.offers]
        every = [*lots, *own]
        market = self._market(demand.mean(axis=1), [lot.offer for lot in every])
        amounts = np.array([lot.amount for lot in every])
        capacity = np.broadcast_to(market.capacity(amounts)[:, None, :], (len(market.pools), 1, hours))
        left, idle = demand, list(capacity)
        covered, spent = [], np.zeros((len(market.pools), len(self.types)))
        for step in sequence(market):
            before = left[step[1]].sum()
            left, idle = applied(left, idle, [step])
            spent[step[0], step[1]] += (before - left[step[1]].sum()) / demand.shape[1]
        held = market.costs * amounts
        pool_usd = np.bincount(market.pool_of, weights=held, minlength=len(market.pools)) if every else np.zeros(0)
        units = capacity.sum(axis=(1, 2))
        unused = 0.0
        for at, pool in enumerate(market.pools):
            each = pool_usd[at] / units[at] if units[at] else 0.0
            used = 0.0
            for row, rate in pool.rates.items():
                if spent[at, row]:
                    used += spent[at, row] * rate
                    name = self.types[row]
                    lot = next(lot for lot, of in zip(every, market.pool_of, strict=True) if of == at)
                    covered.append(
                        Covered(
                            instance_type=name,
                            kind=pool.kind,
                            node_hours=float(spent[at, row]),
                            unit_usd=float(each * rate),
                            price=self._price(lot.offer, name),
                        )
                    )
            unused += float(pool_usd[at] - used * each)
        on_demand = left.sum(axis=2).T  # draws x types
        usd = on_demand @ market.prices + held.sum()
        by_month = left.mean(axis=1).reshape(len(self.types), self.months, MONTH_HOURS).sum(axis=2)
        accrued = market.prices @ by_month
        cash = accrued.copy()
        after = 0.0
        for lot in every:
            first, last = lot.offer.first // MONTH_HOURS, min(lot.offer.last // MONTH_HOURS, self.months)
            monthly = lot.amount * lot.offer.price * MONTH_HOURS
            accrued[first:last] += monthly
            whole = lot.amount * lot.offer.price * (lot.term or (last - first) * MONTH_HOURS)
            if lot.upfront:
                cash[first] += whole
            else:
                cash[first:last] += monthly
            after += whole - monthly * (last - first)
        return Paid(
            draws=usd,
            accrued=accrued,
            cash=cash,
            on_demand=on_demand,
            covered=tuple(covered),
            unused_usd=max(unused, 0.0),
            after_usd=after,
            purchases=purchases,
        )

    def _price(self, offer: Offer, name: str) -> Price | None:
        """Where the price of an offer comes from; None for what is owned."""
        option = offer.name.split(" ")[0]
        if option == "capacity-block":
            return self.main.blocks[name]
        for found in self._sold.values():
            if name in found.commitments.get(option, {}):
                return found.commitments[option][name]
        return None


def mix_or_reason(shop: Shop, demand: Floats) -> tuple[list[_Lot], tuple[Purchase, ...]] | str:
    """The mix, or why there is none."""
    try:
        return shop.mixed(demand)
    except UsageProblem as problem:
        return str(problem)
