"""The card of a quote in words: your way today, this plan, and the saving as a range."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from planner.answer.quote import LESS, MORE, SAME, Quote, Saving, Side
from planner.answer.ranges import Range
from planner.answer.row import R, Row
from planner.report.wording import figures, futures, left_out, spoken

TODAY, THIS, SAVING = "Your way today", "This plan", "Saving"


@dataclass(frozen=True, kw_only=True)
class Way:
    """title: whose; what: is bought; cost, time: in words. p10, p50, p90: USD, infinite where it does not finish."""

    title: str
    what: str
    cost: str
    time: str
    p10: float
    p50: float
    p90: float


@dataclass(frozen=True, kw_only=True)
class Card:
    """headline: the answer in a sentence. saving: its range, "" where there is none. basis: what it stands on."""

    name: str
    headline: str
    old: Way
    new: Way
    saving: str
    basis: tuple[str, ...]


def card_of(quote: Quote[R], bought: Callable[[R], str]) -> Card:
    """The same quote gives the same words. bought: what a choice buys, in words."""
    same = quote.old.scenario.id == quote.new.scenario.id and (
        quote.old.comparison.plan_sha256 == quote.new.comparison.plan_sha256
    )
    new = quote.new.comparison
    return Card(
        name=new.plan_name,
        headline="Your way today is this plan's choice: there is nothing to save." if same else _headline(quote),
        old=_way(TODAY, quote.old, bought),
        new=_way(THIS, quote.new, bought),
        saving="" if same or quote.saving is None else _range(quote.saving),
        basis=tuple(_basis(quote, None if same else quote.saving)),
    )


def _headline(quote: Quote[R]) -> str:
    saving = quote.saving
    if saving is None:
        return "Nothing can be said: in no simulated outcome do both finish."
    usd, part = figures.usd(abs(saving.p50_usd)), figures.percent(abs(saving.p50_fraction))
    if saving.verdict == LESS:
        often = figures.percent(saving.lower)
        return f"This plan saves about {usd} ({part}); it costs less in {often} of the simulated outcomes."
    if saving.verdict == MORE:
        often = figures.percent(saving.higher)
        less = f"Your way today costs about {usd} ({part}) less, in {often} of the simulated outcomes"
        missed = _missed(quote.old.scenario)
        return f"{less}, but it {missed}." if missed else f"{less}: keep it."
    if saving.verdict == SAME:
        return "Your way today costs the same: in 9 of 10 simulated outcomes the two differ by less than 2%."
    return (
        f"No clear saving: this plan costs less in {figures.percent(saving.lower)} of the outcomes and more in "
        f"{figures.percent(saving.higher)}."
    )


def _range(saving: Saving) -> str:
    low, high = _signed(saving.p10_usd), _signed(saving.p90_usd)
    if low == high:
        return f"{low} ({figures.percent(abs(saving.p50_fraction))}) in 8 of 10 outcomes"
    return (
        f"from {low} ({figures.percent(abs(saving.p10_fraction))}) to {high} "
        f"({figures.percent(abs(saving.p90_fraction))}) in 8 of 10 outcomes"
    )


def _signed(value: float) -> str:
    text = figures.usd(abs(value))
    return f"{text} more" if value < 0 else f"{text} less"


def _way(title: str, side: Side[R], bought: Callable[[R], str]) -> Way:
    row = side.scenario
    assert row.cost_usd is not None and row.days is not None  # noqa: PT018  it is priced
    cost, missed = row.cost_usd, _missed(row)
    low, high = figures.usd(cost.p10), _top(cost)
    spread = "" if low == high else f" (P10-P90: {low} to {high})"
    return Way(
        title=title,
        what=bought(row),
        cost=f"{futures.about(row)}{spread}",
        time=f"{spoken.run_days(row.days.p50)}{f'; it {missed}' if missed else ''}",
        p10=cost.p10,
        p50=cost.p50,
        p90=cost.p90,
    )


def _missed(row: Row) -> str:
    """`misses the deadline in 28% of the outcomes`; empty for a choice that keeps the limits of its plan."""
    if row.eligible:
        return ""
    known = all(each.kind in left_out.MISSES for each in row.shortfalls)
    return " and ".join(left_out.misses([row]) if known else []) or "may miss the limits of its plan"


def _top(cost: Range) -> str:
    return "no end" if math.isinf(cost.p90) else figures.usd(cost.p90)


def _basis(quote: Quote[R], saving: Saving | None) -> list[str]:
    old, new = quote.old.comparison, quote.new.comparison
    found = [
        f"The same work, prices of {new.prices.as_of} and {figures.many(new.draws, 'simulated outcome')} for both "
        f"(seed {new.seed}); USD at list prices before tax, without effort."
    ]
    if saving is not None:
        found.append("The saving is taken in each outcome, so it is not the difference of the two middle figures.")
        if saving.both_finish < 1:
            found.append(f"It counts the outcomes in which both finish: {figures.percent(saving.both_finish)}.")
    if old.region != new.region:
        found.append(f"Your way today runs in {old.region}, this plan in {new.region}.")
    for title, side in ((TODAY, quote.old), (THIS, quote.new)):
        if side.scenario.unproven:
            found.append(f"{title} is unproven: {side.scenario.unproven}.")
    return found
