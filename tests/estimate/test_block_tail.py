"""Capacity Blocks with a tail: the length against brute force, the tail against a simulation of its own, and rows."""

from __future__ import annotations

import math
import random
from datetime import date, datetime
from typing import Any

import numpy as np
import pytest

from planner.estimate.block_length import Prices, cheapest_days
from planner.estimate.charge_months import charges_of, payments_of
from planner.models.block_sizes import TOGETHER_DAYS
from planner.models.block_tail import Chances, tail_of
from planner.plan.types import BLOCK_ANY_DAYS
from tests.builders import compared, exact, plan_of, scenario_of

TOGETHER = [*range(1, 63), *range(63, 183, 7)]  # one block, or two parts of which the first has 56 days at most
SOLD = [*range(1, 15), *range(21, 183, 7)]
BLOCK = {"options": ["capacity-block"]}
STREAM = {"layouts": ["s3-stream"]}


def sold(hours: float) -> int:
    """The shortest length sold for so many hours, counted up."""
    return next((days for days in SOLD if days * 24 >= hours - 1e-9), 10**6)


def by_hand(hours: float, days: int, draw: dict[str, float], prices: Prices) -> tuple[float, float]:
    """(USD, hours in all) of one draw with a block of so many days, step by step as one would go through it."""
    if days not in SOLD and not draw["second"]:  # AWS has none, so the run has the first part and its tail
        return by_hand(hours, days // 7 * 7, draw, prices)
    usd = days * 24 * prices.block
    if days not in SOLD:  # the first part ends, and the nodes of the second start
        first, gap = days // 7 * 7, 0.5 + draw["restart_hours"]
        if hours > first * 24 - 0.5:
            usd, hours = usd + gap * prices.waiting, hours + gap
    left = hours - (days * 24 - 0.5)
    if left <= 0:
        return usd, hours
    if draw["extended"] and days + (more := sold(left)) <= 182:
        return usd + more * 24 * prices.block * draw["price_ratio"], hours
    waited, left = draw["restart_hours"], left + draw["restart_hours"]
    if not draw["extended"] and draw["found"] and prices.on_demand is not None:
        waited += draw["wait_hours"]
        return usd + left * prices.on_demand + waited * prices.waiting, hours + waited
    while left > 0:
        waited += 0.5 if draw["extended"] else draw["later_hours"]
        block = 182 if left > 182 * 24 - 0.5 else sold(left + 0.5)
        usd += block * 24 * prices.block * draw["price_ratio"]
        left -= block * 24 - 0.5
    return usd + waited * prices.waiting, hours + waited


def draws(seed: int, count: int = 40) -> tuple[list[float], list[dict[str, float]]]:
    rng = random.Random(seed)
    middle = rng.choice([20.0, 200.0, 330.0, 400.0, 1500.0, 5000.0])
    hours = [middle * rng.lognormvariate(0, 0.2) for _ in range(count)]
    return hours, [
        {
            "second": rng.random() < 0.6,
            "extended": rng.random() < 0.5,
            "found": rng.random() < 0.6,
            "wait_hours": rng.uniform(1, 200),
            "later_hours": rng.uniform(24, 1000),
            "price_ratio": rng.uniform(0.8, 1.3),
            "restart_hours": rng.uniform(0.1, 2),
        }
        for _ in range(count)
    ]


def chances(every: list[dict[str, float]]) -> Chances:
    return Chances(**{name: np.array([draw[name] for draw in every]) for name in every[0]})


def prices(seed: int) -> Prices:
    rng = random.Random(seed + 1000)
    return Prices(block=rng.uniform(10, 100), on_demand=rng.uniform(10, 300), waiting=rng.uniform(0, 5))


def held(days: int, draw: dict[str, float]) -> float:
    """Hours of a run that a block of so many days holds, or those of its two parts that AWS has."""
    if days in SOLD:
        return days * 24 - 0.5
    return days * 24 - 1.0 - draw["restart_hours"] if draw["second"] else days // 7 * 7 * 24 - 0.5


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("within", [math.inf, 1.3])
@pytest.mark.parametrize("second_planned", [False, True])
def test_the_length_is_the_cheapest_of_all_that_are_sold(seed: int, within: float, second_planned: bool) -> None:
    hours, every = draws(seed)
    usd = prices(seed)
    limit = within * sorted(hours)[35]
    as_planned = {"second": second_planned, "restart_hours": float(np.median([d["restart_hours"] for d in every]))}
    mean, in_time, outlasted = {}, {}, {}
    for days in TOGETHER:
        ends = [by_hand(one, days, draw, usd) for one, draw in zip(hours, every, strict=True)]
        in_time[days] = sum(end <= limit for _, end in ends) / len(ends)
        mean[days] = sum(cost for cost, _ in ends) / len(ends)
        outlasted[days] = sum(one > held(days, draw) for one, draw in zip(hours, every, strict=True))
    planned = sorted(hours)[10]
    chosen, nearly = cheapest_days(
        np.array(hours),
        chances(every),
        usd,
        limit_hours=limit,
        confidence=0.9,
        planned_hours=planned,
        second_planned=second_planned,
    )
    found = {days: cost for days, cost in mean.items() if in_time[days] >= 0.9}
    least = min(found.values())
    whole = {days: cost for days, cost in found.items() if held(days, as_planned) >= planned and cost <= least * 1.05}
    near = whole or found
    near = {days: cost for days, cost in near.items() if cost <= min(near.values()) * 1.03}
    single = {days: cost for days, cost in near.items() if days in SOLD}
    if single and min(single.values()) <= min(near.values()) / 0.98:
        near = single
    fewest = min(outlasted[days] for days in near)
    assert outlasted[int(chosen)] == fewest
    assert mean[int(chosen)] == pytest.approx(min(near[days] for days in near if outlasted[days] == fewest))
    late = {d: share for d, share in in_time.items() if 0.8 <= share < 0.9 and mean[d] <= 0.98 * mean[int(chosen)]}
    if late:
        assert nearly is not None
        assert nearly.on_time_fraction == max(late.values())
        assert nearly.usd_less == pytest.approx(mean[int(chosen)] - mean[int(nearly.days)])
    else:
        assert nearly is None


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("days", [1, 14, 56, 182])
def test_the_tail_is_what_one_goes_through_by_hand(seed: int, days: int) -> None:
    hours, every = draws(seed)
    usd = prices(seed)
    tail = tail_of(np.maximum(np.array(hours) - (days * 24 - 0.5), 0.0), days, chances(every))
    ratio = np.array([draw["price_ratio"] for draw in every])
    assert usd.on_demand is not None
    cost = days * 24 * usd.block + tail.block_hours * usd.block * ratio
    cost = cost + tail.on_demand_hours * usd.on_demand + tail.waited_hours * usd.waiting
    expected = [by_hand(one, days, draw, usd) for one, draw in zip(hours, every, strict=True)]
    assert np.asarray(cost).tolist() == pytest.approx([usd for usd, _ in expected])
    assert (np.array(hours) + tail.waited_hours).tolist() == pytest.approx([end for _, end in expected])


def block(tail: str | None = None, days: int | None = None, **more: Any) -> dict[str, Any]:
    settings = {"days": days, "tail": tail, **more}
    return BLOCK | {"capacity_block": {key: value for key, value in settings.items() if value is not None}}


class TestRows:
    """4,000 GPU-hours on 32 GPUs take 5.2 days."""

    def test_a_row_finishes_in_every_draw_and_its_tail_is_in_its_p90(self) -> None:
        short, whole = (
            scenario_of(plan_of(purchase=block(days=days), storage=STREAM), "s3", draws=500) for days in (4, 6)
        )
        assert short.finish_fraction == whole.finish_fraction == 1
        assert short.unfinished_fraction == 0
        assert short.block_plan is not None
        assert short.block_plan.outlast_fraction == 1
        assert short.cost_usd is not None
        assert whole.cost_usd is not None
        assert short.cost_usd.p90 > 1.05 * whole.cost_usd.p90
        assert short.days is not None
        assert short.days.p90 > 10  # a later block

    def test_without_a_tail_it_does_not_finish(self) -> None:
        plan = plan_of(purchase=block("none", days=4), storage=STREAM)
        assert not scenario_of(plan, "s3", draws=200).feasible

    def test_a_run_longer_than_any_block_goes_on_after_it(self) -> None:
        plan = plan_of(run={"work": {"gpu_hours": 160_000}}, purchase=BLOCK, storage=STREAM)  # 208 days
        found = scenario_of(plan, "s3", draws=200)
        assert found.feasible
        assert found.finish_fraction == 1
        assert found.block_days is not None
        assert found.block_days <= 182

    def test_the_mean_of_a_two_way_tail_in_closed_form(self) -> None:
        """Nothing varies but whether an extension is granted: 30 % pay a day more, the others On-Demand."""
        lines = {
            "block.extension_granted_fraction": 0.3,
            "on_demand.found_fraction": 1.0,
            "block.on_demand_wait_hours": 10.0,
            "block.later_price_ratio": 1.0,
            "run.proven_factor": 1.0,
        }
        plan = plan_of(purchase=block(days=5), storage=STREAM)
        settled = {entry.key: {"value": entry.value} for entry in compared(plan).assumptions}
        settled |= {key: {"value": value} for key, value in lines.items()}
        fixed = plan_of(purchase=block(days=5), storage=STREAM, assumptions=settled)
        found = scenario_of(fixed, "s3", draws=4000)
        hours = scenario_of(plan_of(purchase={"options": ["on-demand"]}, storage=STREAM, assumptions=settled), "s3")
        assert hours.days is not None
        left = hours.days.plan * 24 - (5 * 24 - 0.5)
        assert 0 < left < 24
        fee, on_demand = 4 * 11.8, 4 * 21.957642
        restart = 0.5
        extended, moved = 24 * fee, (left + restart) * on_demand
        assert found.mean_cost_usd is not None
        assert hours.cost_usd is not None
        base = 5 * 24 * fee
        nodes = hours.days.plan * 24 * on_demand
        waiting = (hours.cost_usd.plan - nodes) / (hours.days.plan * 24)
        expected = base + hours.cost_usd.plan - nodes + 0.3 * extended + 0.7 * (moved + (10 + restart) * waiting)
        assert found.mean_cost_usd == pytest.approx(expected, rel=0.01)

    def test_an_extension_that_is_certain_is_never_anything_else(self) -> None:
        plan = plan_of(purchase=block(days=5, extension=True), storage=STREAM)
        found = scenario_of(plan, "s3", draws=300)
        assert found.cost_usd is not None
        assert found.days is not None
        assert found.days.p90 < 6
        assert found.cost_usd.p90 == pytest.approx(found.cost_usd.plan, rel=0.01)

    def test_the_length_follows_what_an_extension_is_worth(self) -> None:
        """A fleet that needs 64.1 days: a tenth week unused, or a day more where that is to be had."""
        lengths = []
        for granted in (0.999, 0.001):
            chance = exact("block.extension_granted_fraction", granted) | exact("on_demand.found_fraction", 0.0)
            plan = plan_of(run={"work": {"gpu_hours": 48_640}}, purchase=BLOCK, storage=STREAM, assumptions=chance)
            lengths.append(scenario_of(plan, "s3", draws=500).block_days or 0.0)
        assert lengths[0] <= 63 < lengths[1]

    def test_a_day_more_than_two_weeks_is_bought_at_once_and_not_a_third_week(self) -> None:
        """14.1 days fit in 14 + 1, with an hour lost between them: 15 x 24 x 4 x 11.80 USD."""
        sure = exact("block.extension_granted_fraction", 1.0)
        plan = plan_of(run={"work": {"gpu_hours": 10_700}}, purchase=BLOCK, storage=STREAM, assumptions=sure)
        found = scenario_of(plan, "s3", draws=500)
        assert found.block_days is not None
        assert 14 < found.block_days < 21
        assert found.cash[0].usd == pytest.approx(found.block_days * 24 * 4 * 11.8)
        assert found.block_plan is not None
        assert found.block_plan.parts == (14, found.block_days - 14)
        assert found.days is not None
        whole = scenario_of(plan_of(run={"work": {"gpu_hours": 10_700}}, purchase=block(days=21), storage=STREAM), "s3")
        assert whole.days is not None
        assert found.days.plan == pytest.approx(whole.days.plan + 1 / 24)

    def test_a_second_part_that_aws_has_not_leaves_the_first_and_its_tail(self) -> None:
        """14 days, and 2 more that AWS sells in 30 %; else an extension of a day in 30 % of the rest, else
        On-Demand nodes at once."""
        settled = {
            "block.extension_granted_fraction": 0.3,
            "on_demand.found_fraction": 1.0,
            "block.on_demand_wait_hours": 0.0,
            "block.later_price_ratio": 1.0,
            "run.proven_factor": 1.0,
        }
        work: dict[str, Any] = {"run": {"work": {"gpu_hours": 10_700}}, "storage": STREAM}
        lines = {
            entry.key: {"value": entry.value}
            for entry in compared(plan_of(purchase=block(days=16), **work)).assumptions
        }
        lines |= {key: {"value": value} for key, value in settled.items()}
        found = scenario_of(plan_of(purchase=block(days=16), assumptions=lines, **work), "s3", draws=4000)
        assert found.block_plan is not None
        first, second = found.block_plan.parts
        alone = found.block_plan.first_alone
        assert alone is not None
        assert first == 14
        assert alone.fraction == pytest.approx(0.7, abs=0.03)
        assert found.mean_cost_usd is not None
        assert found.cost_usd is not None
        assert found.days is not None
        fee, on_demand, restart = 4 * 11.8, 4 * 21.957642, 0.5
        left = found.days.plan * 24 - restart - (14 * 24 - 0.5)
        assert 0 < left < 24
        moved = (left + restart) * on_demand
        storage = found.cost_usd.plan - 14 * 24 * fee - moved  # planned are 14 days and On-Demand
        mean = 14 * 24 * fee + storage + 0.3 * 24 * fee + 0.7 * moved
        assert alone.mean_usd == pytest.approx(mean, rel=0.002)
        both = (14 + second) * 24 * fee + storage
        assert found.mean_cost_usd == pytest.approx(0.3 * both + 0.7 * mean, rel=0.002)


def test_a_tail_on_demand_without_its_price_is_refused_and_not_billed_as_another_block():
    """The book of 2026-09-01 has blocks of p5en in eu-west-2, and no On-Demand price of it there."""
    sections: dict[str, Any] = {
        "region": "eu-west-2",
        "fleet": {"instance_types": ["p5en.48xlarge"]},
        "storage": STREAM,
    }

    def of(tail: str) -> Any:
        plan = plan_of(purchase={**BLOCK, "capacity_block": {"tail": tail}}, **sections)
        return scenario_of(plan, "s3-stream", draws=100)

    assert not of("on-demand").feasible
    (why,) = of("on-demand").why_not
    assert "no On-Demand price of p5en.48xlarge in eu-west-2" in why
    assert of("extend").feasible


def test_an_extension_is_paid_when_it_is_bought_and_not_by_the_month():
    """A block of 4 days and 2 more for 5.2 days, 4 nodes at 11.80: 4 x 96 x 11.80 on the first day, half of
    that a day before the block ends."""
    plan = plan_of(purchase=block(days=4, extension=True), storage=STREAM)
    found = scenario_of(plan, "s3")
    first, later, monthly = found.cash
    assert (first.due, first.usd) == ("2026-10-05", pytest.approx(4 * 96 * 11.8))
    assert (later.due, later.usd) == ("2026-10-08", pytest.approx(4 * 48 * 11.8))
    assert sum(entry.usd for entry in found.cash) == pytest.approx(found.cost_usd.plan)
    assert monthly.usd < 0.05 * found.cost_usd.plan
    paid = payments_of(found, date(2026, 10, 5))
    assert [(p.billed.date().isoformat(), p.usd) for p in paid] == [
        ("2026-10-05", pytest.approx(first.usd)),
        ("2026-10-09", pytest.approx(later.usd)),
    ]
    more = [c for c in charges_of(found, date(2026, 10, 5), 0.0) if c.line.line == "fleet.block-extension"]
    assert min(c.begin for c in more) > datetime(2026, 10, 8, 23)


def test_a_plan_may_set_every_number_of_days_that_can_be_bought_at_once():
    assert set(range(1, BLOCK_ANY_DAYS + 1)) <= set(TOGETHER_DAYS)
    assert all(days % 7 == 0 for days in TOGETHER_DAYS if days > BLOCK_ANY_DAYS)
