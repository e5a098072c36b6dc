"""What to do about a Capacity Block: what to buy now, on which day to decide, and what each way on costs."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import numpy as np
from numpy.typing import NDArray

from planner.estimate.block_tail import days_before_end, tail_rule
from planner.estimate.evaluate import Evaluated
from planner.estimate.node_purchase import on_demand_price
from planner.estimate.request import Request
from planner.estimate.result import BlockPlan, FirstAlone
from planner.estimate.scenario import Outcome
from planner.estimate.waiting import FOUND, chance
from planner.models.block_sizes import EXTENDED_FROM_DAYS, block_parts
from planner.models.compute import BLOCK_LOST_TAIL_HOURS, block_days
from planner.models.derived import SourcedQuantity
from planner.models.number import Number, each_draw, median, quantiles, share_of
from planner.models.sheet import Sheet

DECIDE = "rule:three days before the end of a block of two weeks and more, one before that of a shorter one"
SOLD_AHEAD = timedelta(weeks=8)  # EC2 User Guide, Capacity Blocks


def block_plan_of(request: Request, entry: Evaluated, sheet: Sheet) -> BlockPlan | None:
    """None for another purchase option, a fleet that is held for a given time, or a block without a price.

    sheet: records its numbers.
    """
    choice, planned, spread = entry.choice, entry.planned, entry.spread
    if planned is None or spread is None or not planned.bought.block_days or request.plan.run.held_hours is not None:
        return None
    days, usd = planned.bought.block_days, median(planned.bought.usd_per_hour or 0.0)
    usable = median(planned.bought.usable_hours)
    hours = each_draw(spread.run.hours, max(request.draws, 1))
    outlasts = hours > spread.bought.usable_hours
    sold_from = request.start - SOLD_AHEAD
    decide = int(days) - days_before_end(days)
    found = BlockPlan(
        days=days,
        usd=choice.nodes * days * 24 * usd,
        sold_from=sold_from,
        tail=tail_rule(request.plan.purchase.capacity_block),
        outlast_fraction=share_of(outlasts) if request.draws else None,
        decide_day=decide,
        decide_on=request.start + timedelta(days=decide),
        extension_is_certain=request.plan.purchase.capacity_block.extension,
        extension_granted=request.table()["block.extension_granted_fraction"].value,
        on_demand_found=median(chance(request.table()[FOUND].value, choice.instance, choice.nodes)),
        later_wait_days=request.table()["block.later_wait_days"].value,
        is_given=request.plan.purchase.capacity_block.days is not None,
        done_fraction=decide * 24 / usable,
        parts=block_parts(int(days)),
        # a block is not there before it is bought, and AWS takes none that ends later
        ask_from=max(sold_from, request.start + timedelta(days=int(days) - EXTENDED_FROM_DAYS)),
        nearly=entry.nearly,
        first_alone=_first_alone(spread, max(request.draws, 1)),
    )
    if not outlasts.any():
        _record(sheet, found, request.draws, planned.run.hours, usable)
        return found
    left, most = (float(at) - usable for at in np.quantile(hours[outlasts], (0.5, 0.9), method="lower"))
    more, longest = (float(block_days(run_hours=each - BLOCK_LOST_TAIL_HOURS)) for each in (left, most))
    day_usd = choice.nodes * 24 * usd
    price = on_demand_price(request.book, choice.instance.name, request.plan.region)
    paid = 1 - request.plan.purchase.private_discount
    again = left + request.table()["goodput.bring_up_hours"].value
    found = replace(
        found,
        left_days=left / 24,
        extension_days=more,
        extension_usd=more * day_usd,
        extension_p90_days=longest,
        extension_p90_usd=longest * day_usd,
        outlast_mean_usd=_mean_of(spread.cost_usd, outlasts),
        on_demand_usd=None if price is None else choice.nodes * again * price.usd * paid,
    )
    _record(sheet, found, request.draws, planned.run.hours, usable)
    return found


def _mean_of(cost_usd: Number, outlasts: NDArray[np.bool_]) -> float | None:
    """Of the draws that outlast the block; None for a planned one."""
    return float(np.mean(each_draw(cost_usd, outlasts.size)[outlasts])) if outlasts.size > 1 else None


def _first_alone(spread: Outcome, draws: int) -> FirstAlone | None:
    second = spread.bought.second
    if second is None or np.all(second):
        return None
    refused = ~np.broadcast_to(second, draws)
    mean, p90 = float(np.mean(cost := each_draw(spread.cost_usd, draws)[refused])), quantiles(cost, (0.9,))[0]
    return FirstAlone(fraction=share_of(refused), mean_usd=mean, p90_usd=p90)


def _record(sheet: Sheet, found: BlockPlan, draws: int, hours: Number, usable_hours: float) -> None:
    """Where each of its numbers comes from."""
    usable: SourcedQuantity = (usable_hours, "run:fleet.block_usable_hours", "h")
    run: SourcedQuantity = (hours, "run:run.hours", "h")
    sheet.taken("block_plan.days", "days", days=(found.days, "run:fleet.block_days"))
    what = "rule:nodes x hours of all its parts x today's price of the block"
    sheet.taken("block_plan.usd", "USD", usd=(found.usd, what))
    sheet.taken("block_plan.decide_day", "days", day=(found.decide_day, DECIDE))
    decide: SourcedQuantity = (found.decide_day, "run:block_plan.decide_day", "days")
    sheet.arithmetic(
        "block_plan.done_fraction",
        found.done_fraction,
        "fraction",
        "decide_day * 24 / usable",
        decide_day=decide,
        usable=usable,
    )
    if found.outlast_fraction is not None:
        what = f"share of {draws:,} outcomes that outlast the block"
        sheet.statistic(
            "block_plan.outlast_fraction",
            found.outlast_fraction,
            "fraction",
            "mean(hours > usable)",
            what,
            hours=run,
            usable=usable,
        )
    for at, part in enumerate(found.parts):
        sheet.taken(f"block_plan.parts.{at}", "days", days=(part, "rule:what AWS sells as one block or extension"))
    nearly, alone = found.nearly, found.first_alone
    for id, value, unit, origin in (
        (
            "nearly.days",
            nearly and nearly.days,
            "days",
            "rule:clearly cheaper, and on time most often of those too seldom",
        ),
        (
            "nearly.usd_less",
            nearly and nearly.usd_less,
            "USD",
            "rule:the difference of the mean costs with their tails",
        ),
        ("first_alone.fraction", alone and alone.fraction, "fraction", "rule:share of the draws"),
        ("first_alone.mean_usd", alone and alone.mean_usd, "USD", "rule:the mean cost of those draws"),
        ("first_alone.p90_usd", alone and alone.p90_usd, "USD", "rule:the P90 of the cost of those draws"),
        ("nearly.on_time_fraction", nearly and nearly.on_time_fraction, "fraction", "rule:share of the draws"),
        (
            "left_days",
            found.left_days,
            "days",
            "rule:median of what is left at the end of the block, where it is outlasted",
        ),
        ("extension_days", found.extension_days, "days", "rule:the shortest extension that AWS sells for that"),
        (
            "extension_usd",
            found.extension_usd,
            "USD",
            "rule:nodes x hours of the extension x today's price of the block",
        ),
        (
            "extension_p90_days",
            found.extension_p90_days,
            "days",
            "rule:the shortest extension that suffices in 9 of 10 outcomes that outlast the block",
        ),
        (
            "extension_p90_usd",
            found.extension_p90_usd,
            "USD",
            "rule:nodes x hours of that extension x today's price of the block",
        ),
        ("outlast_mean_usd", found.outlast_mean_usd, "USD", "rule:the mean cost of the draws that outlast the block"),
        ("on_demand_usd", found.on_demand_usd, "USD", "rule:nodes x (what is left + bring-up) x the On-Demand price"),
    ):
        if value is not None:
            sheet.taken(f"block_plan.{id}", unit, value=(value, origin))
