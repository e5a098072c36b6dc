"""Small random markets whose savings differ within a family, and their answers by brute force."""

from __future__ import annotations

import itertools

import highspy
import numpy as np

from planner.mix.model import Array, Kind, Market, Offer, Usage


def random_market(
    seed: int, types: int = 4, hours: int = 6, interruptible: bool = False, windows: bool = False
) -> Market:
    """Up to `types` types in two families, with every kind of offer."""
    rng, hours = np.random.default_rng(seed), 6
    names = [f"{'ab'[at % 2]}.{at}" for at in range(types)]
    price = {name: float(rng.uniform(1, 20)) for name in names}
    usage = [Usage(instance_type=n, price=price[n], hours=rng.integers(0, 6, hours).astype(float)) for n in names]
    if interruptible:
        usage += [
            Usage(instance_type=n, price=price[n] * 0.4, hours=rng.integers(0, 4, hours) * 1.0, interruptible=True)
            for n in names
        ]
    offers = []
    for name in names:
        span = (int(rng.integers(0, 3)), int(rng.integers(3, hours + 4))) if windows else (0, 2**31)
        offers.append(
            Offer(
                name=f"ri {name}",
                kind=Kind.RESERVED,
                rates={name: 1.0},
                price=price[name] * float(rng.uniform(0.4, 0.8)),
                first=span[0],
                last=span[1],
            )
        )
    for family in "ab":
        covered = {n: price[n] * float(rng.uniform(0.4, 0.8)) for n in names if n.startswith(family)}
        offers.append(Offer(name=f"plan {family}", kind=Kind.INSTANCE_PLAN, rates=covered, price=1.0))
    compute = {n: price[n] * float(rng.uniform(0.5, 0.9)) for n in names}
    offers.append(Offer(name="compute", kind=Kind.COMPUTE_PLAN, rates=compute, price=1.0))
    return Market(usage=tuple(usage), offers=tuple(offers))


def free_cost(market: Market, amounts: Array | None = None, whole: bool = False) -> float:
    """USD of the whole linear program, hours and all, by HiGHS: of these amounts, or of the best."""
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    infinity = highspy.kHighsInf
    offers = []
    for at, cost in enumerate(market.costs):
        low, high = (market.least[at], market.largest[at]) if amounts is None else (amounts[at], amounts[at])
        offers.append(solver.addVariable(low, high, cost))
        if whole and market.offers[at].kind is Kind.RESERVED:
            solver.changeColIntegrality(at, highspy.HighsVarType.kInteger)
    for hour in range(market.hours):
        rest = [solver.addVariable(0, infinity, row.price) for row in market.usage]
        covers = [[] for _ in market.usage]
        for at, pool in enumerate(market.pools):
            taken = []
            for row, rate in pool.rates.items():
                cover = solver.addVariable(0, infinity, 0)
                covers[row].append(cover)
                taken.append((rate, cover))
            held = [
                offers[o]
                for o, (of, (first, last)) in enumerate(zip(market.pool_of, market.spans, strict=True))
                if of == at and first <= hour < last
            ]
            if taken:
                solver.addConstr(sum(rate * cover for rate, cover in taken) - sum(held) <= 0)
        for row, usage in enumerate(market.usage):
            solver.addConstr(rest[row] + sum(covers[row]) >= usage.hours[hour])
    solver.run()
    return solver.getInfo().objective_function_value


def by_hand(market: Market, amounts: Array) -> float:
    """The bill, instance by instance and hour by hour, in plain Python: AWS's order read off its user guide."""
    total = float(market.costs @ amounts)
    for hour in range(market.hours):
        left = {at: float(row.hours[hour]) for at, row in enumerate(market.usage)}
        room = dict.fromkeys(range(len(market.offers)), 0.0)
        for at, offer in enumerate(market.offers):
            if offer.first <= hour < offer.last:
                room[at] = float(amounts[at])
        for may_wait, kind in itertools.product((False, True), Kind):
            pairs = []
            for at, offer in enumerate(market.offers):
                for row, usage in enumerate(market.usage):
                    name = usage.instance_type
                    if offer.kind is kind and name in offer.rates and usage.interruptible is may_wait:
                        listed = max(u.price for u in market.usage if u.instance_type == name)
                        pairs.append((-(1 - offer.rates[name] / listed), offer.rates[name], row, at))
            for _, rate, row, at in sorted(pairs):
                instances = min(left[row], room[at] / rate)
                left[row] -= instances
                room[at] -= instances * rate
        total += sum(left[at] * row.price for at, row in enumerate(market.usage))
    return total
