"""The comparison on the page: a row for every feasible scenario, notes on its signs, and what is not feasible."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from planner.decide.comparison import Comparison
from planner.decide.leaders import may_not_finish, without_node_price
from planner.estimate.result import Scenario
from planner.report.data.groups import infeasible_of
from planner.report.wording import figures, page_texts, signs
from planner.report.wording.figures import visible

NOTHING = "-"
FEW = 8  # rows that need no folding
BEYOND = 1e300  # sorts what never finishes behind every number


@dataclass(frozen=True, kw_only=True)
class RowView:
    """One scenario. linked: whether its bill is on the page. sort: (name, value) of the attributes that the page's
    script sorts and filters by. flags: what is wrong with it; cost: the cells between days and the useful time, as
    (text, class)."""

    first: bool
    rank: int
    linked: bool
    layout: str
    purchase: str
    fleet: str
    sort: tuple[tuple[str, str | float], ...]
    days: str
    days_p10: str
    days_p90: str
    small: tuple[str, ...]
    flags: tuple[str, ...]
    cost: tuple[tuple[str, str], ...]
    useful: str


@dataclass(frozen=True, kw_only=True)
class RankingView:
    """opened: whether the table is short. fleets: whether the fleets differ, so that each row names its own. notes:
    what the signs in the table mean."""

    title: str
    opened: bool
    summary: str
    fleets: bool
    layouts: tuple[str, ...]
    purchases: tuple[str, ...]
    rows: tuple[RowView, ...]
    notes: tuple[str, ...]
    infeasible: tuple[tuple[str, str], ...]


def ranking_view(comparison: Comparison, detailed: Set[str]) -> RankingView:
    """detailed: ids of the scenarios whose bill is on the page."""
    fleet = figures.only_fleet(comparison.scenarios)
    feasible = [(rank, s) for rank, s in enumerate(comparison.scenarios, 1) if s.feasible]
    scenarios = [s for _, s in feasible]
    return RankingView(
        title=page_texts.every_choice(len(feasible)),
        opened=len(feasible) <= FEW,
        summary=page_texts.ranked(len(feasible), fleet, comparison.draws),
        fleets=not fleet,
        layouts=tuple(sorted({figures.layout_name(s) for s in scenarios})),
        purchases=tuple(dict.fromkeys(figures.short_purchase(s.option) for s in scenarios)),
        rows=tuple(_row(comparison, rank, s, fleet, s.id in detailed) for rank, s in feasible),
        notes=tuple(signs.legend_of_the_page(comparison, scenarios)),
        infeasible=tuple(
            (visible("; ".join(why)), ", ".join(s.id for s in found))
            for why, found in infeasible_of(comparison.scenarios)
        ),
    )


def _row(comparison: Comparison, rank: int, s: Scenario, fleet: str, linked: bool) -> RowView:
    assert s.days is not None
    best = comparison.best
    layout, purchase = figures.layout_name(s), figures.short_purchase(s.option)
    days = figures.days(s.days.plan) + ("*" if s.extrapolated else "")
    unfinished = signs.MAY_NOT_FINISH_SHORT if may_not_finish(s) else ""
    flags = [signs.may_not_finish_share(s)] if unfinished else []
    flags += [] if s.complete else [signs.PRICE_MISSING]
    own = "" if fleet else figures.fleet(s)
    return RowView(
        first=best is not None and s.id == best.id,
        rank=rank,
        linked=linked,
        layout=layout,
        purchase=purchase,
        fleet=own,
        sort=(
            ("rank", rank),
            ("layout", layout),
            ("purchase", purchase),
            ("status", "eligible" if s.eligible else "not eligible"),
            *_sorted_by(s),
        ),
        days=days,
        days_p10=figures.days(s.days.p10) if comparison.draws else NOTHING,
        days_p90=figures.days(s.days.p90) if comparison.draws else NOTHING,
        small=tuple(filter(None, (f"{purchase}, {days}\u00a0days", own, unfinished))),
        flags=tuple(flags),
        cost=_cost(s, bool(comparison.draws)),
        useful=f"{s.goodput.useful_fraction:.1%}" if s.goodput else "",
    )


def _sorted_by(s: Scenario) -> list[tuple[str, str | float]]:
    assert s.days is not None
    found: list[tuple[str, str | float]] = [
        ("days", round(s.days.plan, 3)),
        ("days10", min(round(s.days.p10, 3), BEYOND)),
        ("days90", min(round(s.days.p90, 3), BEYOND)),
    ]
    if s.complete and s.cost_usd is not None and s.usd_per_useful_gpu_hour is not None:
        cost = s.cost_usd
        costs = (("usd", cost.plan), ("usd10", cost.p10), ("usd50", cost.p50), ("usd90", cost.p90))
        found += [(name, min(round(value, 2), BEYOND)) for name, value in costs]
        found.append(("hour", round(s.usd_per_useful_gpu_hour.plan, 4)))
    if s.goodput:
        found.append(("useful", round(s.goodput.useful_fraction, 5)))
    return found


def _cost(s: Scenario, drawn: bool) -> tuple[tuple[str, str], ...]:
    """Planned, P10, P50 and P90, and a useful GPU-hour; a narrow window has the planned one and P90."""
    cost, hour = s.cost_usd, s.usd_per_useful_gpu_hour
    assert cost is not None and hour is not None  # noqa: PT018  priced together
    wide, both = "n wide", "n"
    if not s.complete:
        planned = signs.NO_PRICE if without_node_price(s) else f"≥ {figures.dollars(cost.plan)}"
        return (planned, both), (NOTHING, wide), (NOTHING, wide), (NOTHING, both), (NOTHING, wide)
    ends = (figures.dollars(cost.p10), figures.dollars(cost.p50), figures.dollars(cost.p90))
    p10, p50, p90 = ends if drawn else (NOTHING,) * 3
    return (
        (figures.dollars(cost.plan), both),
        (p10, wide),
        (p50, wide),
        (p90, both),
        (f"{hour.plan:,.2f}", wide),
    )
