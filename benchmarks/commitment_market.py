"""A synthetic year of 20 instance types with six offers each, seeded: C2's market, and the whole program for HiGHS.

Demand: a base with a day, a week, a trend, noise and bursts of jobs. Offers: On-Demand, a Reserved Instance for one and
for three years, an EC2 Instance Savings Plan a family, Compute Savings Plans for one and three years. Savings differ
from type to type within a family: the harder case, because then AWS's order of application can cost more than the best
assignment. `same_in_family` gives all types of a family the same saving.

Run alone, `python -m benchmarks.commitment_market [ours | bill]`, it solves one market: by one call of HiGHS's dual
simplex on every hour, by the planner's decomposition, or with the bill in AWS's order as well.
"""

from __future__ import annotations

import sys

import numpy as np

from planner.mix.bound import bound
from planner.mix.model import Kind, Market, Offer, Usage
from planner.mix.order import Biller
from planner.mix.search import improved

HOURS, TYPES, FAMILIES, SEED = 8_760, 20, 5, 7


def market(*, same_in_family: bool = False) -> Market:
    rng = np.random.default_rng(SEED)
    prices = np.round(np.exp(rng.uniform(np.log(1), np.log(98), TYPES)), 4)
    names = [f"family{at % FAMILIES}.{at}" for at in range(TYPES)]
    usage = [Usage(instance_type=n, price=float(p), hours=_hours(rng)) for n, p in zip(names, prices, strict=True)]
    one_year = rng.uniform(0.25, 0.40, TYPES)
    three_years = one_year + rng.uniform(0.12, 0.22, TYPES)
    compute = three_years - rng.uniform(0.06, 0.12, TYPES)
    short_compute = one_year - rng.uniform(0.05, 0.10, TYPES)
    instance = compute + rng.uniform(0.01, 0.06, TYPES)
    if same_in_family:
        first = np.arange(TYPES) % FAMILIES
        compute, short_compute, instance = compute[first], short_compute[first], instance[first]

    def rates(saving: np.ndarray) -> dict[str, float]:
        return {n: float(p) for n, p in zip(names, np.round(prices * (1 - saving), 4), strict=True)}

    offers = [
        Offer(name=f"{term} {name}", kind=Kind.RESERVED, rates={name: 1.0}, price=price)
        for term, saving in (("ri-1y", one_year), ("ri-3y", three_years))
        for name, price in rates(saving).items()
    ]
    for family in range(FAMILIES):
        of = {name: rate for name, rate in rates(instance).items() if name.startswith(f"family{family}.")}
        offers.append(Offer(name=f"sp-instance {family}", kind=Kind.INSTANCE_PLAN, rates=of, price=1.0))
    for name, saving in (("sp-1y-compute", short_compute), ("sp-3y-compute", compute)):
        offers.append(Offer(name=name, kind=Kind.COMPUTE_PLAN, rates=rates(saving), price=1.0))
    return Market(usage=tuple(usage), offers=tuple(offers))


def _hours(rng: np.random.Generator) -> np.ndarray:
    at, base = np.arange(HOURS), int(rng.integers(4, 80))
    day = 1 + rng.uniform(0, 0.5) * np.clip(np.sin((at - rng.integers(0, 24)) / 24 * 2 * np.pi), 0, 1)
    week = 1 - rng.uniform(0, 0.4) * ((at // 24 + rng.integers(0, 7)) % 7 >= 5)
    trend = 1 + rng.uniform(-0.3, 0.8) * at / HOURS
    hours = base * day * week * trend + rng.normal(0, base * 0.03, HOURS)
    for _ in range(int(rng.integers(5, 40))):
        begin = int(rng.integers(0, HOURS))
        hours[begin : begin + int(rng.integers(6, 300))] += int(rng.integers(1, base + 2))
    return np.round(np.clip(hours, 0, None))


def whole_program(of: Market) -> float:
    """USD of the least cost by one linear program over every hour, type and offer."""
    import highspy

    offers, rows = len(of.offers), len(of.usage)
    covers = [(pool, row, rate) for pool, p in enumerate(of.pools) for row, rate in p.rates.items()]
    width, height = rows + len(covers), rows + len(of.pools)
    cost = np.concatenate([of.costs, np.tile(np.append(of.prices, np.zeros(len(covers))), of.hours)])
    # one hour, column by column: an uncovered instance fills its row's demand; a cover also takes from its pool
    start, index, value = [], [], []
    for row in range(rows):
        start.append(len(index))
        index.append(row)
        value.append(1.0)
    for pool, row, rate in covers:
        start.append(len(index))
        index += [row, rows + pool]
        value += [1.0, -rate]
    hour = np.arange(of.hours)
    block = len(index)
    at_offers = np.array([[h * height + rows + pool for h in hour] for pool in of.pool_of])
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = offers + width * of.hours, height * of.hours
    model.col_cost_ = cost
    model.col_lower_ = np.zeros(model.num_col_)
    model.col_upper_ = np.full(model.num_col_, highspy.kHighsInf)
    demand = np.concatenate([of.demand, np.zeros((len(of.pools), of.hours))])
    model.row_lower_ = demand.T.ravel()
    model.row_upper_ = np.full(model.num_row_, highspy.kHighsInf)
    model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    hours_start = offers * of.hours + (hour[:, None] * block + np.array(start)).ravel()
    model.a_matrix_.start_ = np.concatenate(
        [np.arange(offers) * of.hours, hours_start, [offers * of.hours + block * of.hours]]
    )
    model.a_matrix_.index_ = np.concatenate([at_offers.ravel(), (hour[:, None] * height + np.array(index)).ravel()])
    model.a_matrix_.value_ = np.concatenate([np.ones(offers * of.hours), np.tile(value, of.hours)])
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("solver", "simplex")
    solver.passModel(model)
    solver.run()
    return solver.getInfo().objective_function_value


def main() -> str:
    made = market(same_in_family="same" in sys.argv)
    if not {"ours", "bill"} & set(sys.argv):
        return f"{whole_program(made):.6f}"
    proven = bound(made)
    cost = improved(made, proven.amounts, Biller(made).total)[1] if "bill" in sys.argv else proven.cost
    return f"{proven.lower:.6f} {cost:.6f}"


if __name__ == "__main__":
    print(main())
