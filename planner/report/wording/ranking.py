"""The columns of the ranking, as texts: titles and values, the same in a terminal and in a comment. Days are those of
half of the outcomes, or the planned ones without outcomes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from planner.decide.leaders import may_not_finish
from planner.estimate.result import Scenario
from planner.report.wording import figures, held, signs
from planner.report.wording.table import Column

Ranked = Sequence[tuple[int, Scenario]]


def ranking_columns(ranked: Ranked, fleet: str, types: Mapping[str, str]) -> list[Column]:
    """Every column; `keep` says which are dropped first when there is no room."""

    def column(title: str, value: Callable[[Scenario], str], *, text: bool = False, keep: int = 0) -> Column:
        return Column(title=title, values=[value(s) for _, s in ranked], text=text, keep=keep)

    times = [
        column("Days", lambda s: _run(s, "p50" if _ranged(s) else "plan") + ("*" if s.extrapolated else "")),
        column("Days P10", lambda s: _run(s, "p10"), keep=5),
        column("Days P90", lambda s: _run(s, "p90"), keep=5),
    ]
    if any(s.is_held for _, s in ranked):
        times = [column("$/month", _month)]
    where = [] if fleet else [column("Fleet", lambda s: f"{s.nodes}x {types[s.instance_type]}", text=True)]
    return [
        Column(title="#", values=[str(rank) for rank, _ in ranked]),
        column("Layout", figures.layout_name, text=True),
        *where,
        column("Buy", _buy, text=True),
        *times,
        column("P10 $", lambda s: _cost(s, "p10"), keep=3),
        column("P50 $", lambda s: _cost(s, "p50"), keep=1),
        column("P90 $", lambda s: _cost(s, "p90")),
        column("Planned $", signs.planned_usd),
        column("$/GPU-h", _per_hour, keep=2),
        column("Useful", lambda s: f"{s.goodput.useful_fraction:.1%}" if s.goodput else "-", keep=4),
        column("Upfront $", _upfront, keep=6),
        column("Read/need GB/s", _reading, keep=7),
        column("Usable TB", lambda s: _stored(s, "usable_tb", "{:,.1f}"), keep=8),
        column("Storage $/TB-mo", lambda s: _stored(s, "usd_per_usable_tb_month", "{:,.2f}"), keep=9),
    ]


def _buy(scenario: Scenario) -> str:
    flag = f" {signs.MAY_NOT_FINISH}" if may_not_finish(scenario) else ""
    return figures.short_purchase(scenario.option) + flag


def _ranged(scenario: Scenario) -> bool:
    """Whether there were draws: without them a percentile would be the planned figure under another name."""
    return scenario.cost_plan_percentile is not None


def _run(scenario: Scenario, which: str) -> str:
    if scenario.days is None or (which != "plan" and not _ranged(scenario)):
        return "-"
    return figures.days(getattr(scenario.days, which))


def _cost(scenario: Scenario, which: str) -> str:
    if scenario.cost_usd is None or not scenario.complete or not _ranged(scenario):
        return "-"
    return figures.dollars(getattr(scenario.cost_usd, which))


def _month(scenario: Scenario) -> str:
    if not scenario.complete or scenario.cost_usd is None:
        return "-"
    return figures.dollars(held.usd_per_month(scenario, "p50" if _ranged(scenario) else "plan"))


def _usd(scenario: Scenario, which: str) -> str:
    """Of a complete scenario with a range."""
    return figures.usd(getattr(scenario.cost_usd, which))


def _per_hour(scenario: Scenario) -> str:
    if scenario.usd_per_useful_gpu_hour is None or not scenario.complete:
        return "-"
    return f"{scenario.usd_per_useful_gpu_hour.plan:,.2f}"


def _upfront(scenario: Scenario) -> str:
    due = sum(entry.usd for entry in scenario.cash if entry.due != "monthly")
    return figures.dollars(due) if due else "-"


def _stored(scenario: Scenario, which: str, shown: str) -> str:
    value = getattr(scenario.storage, which) if scenario.storage else None
    return "-" if value is None else shown.format(value)


def _reading(scenario: Scenario) -> str:
    facts = scenario.storage
    return f"{_rate(facts.read_gb_per_s)}/{_rate(facts.required_read_gb_per_s)}" if facts else "-"


def _rate(gb_per_s: float) -> str:
    """One decimal; below 1 two digits, so that a small need is not shown as none."""
    return f"{gb_per_s:,.1f}" if gb_per_s == 0 or gb_per_s >= 0.995 else figures.plain(gb_per_s, 2)


def facts(scenario: Scenario, fleet: str) -> list[str]:
    """One scenario as a record: its title, then a fact a line. fleet: the one that all share, "" where they differ."""
    s, planned = scenario, signs.planned_usd(scenario)
    known = s.complete and _ranged(s)
    days = f"days {_run(s, 'plan')}{'*' if s.extrapolated else ''}"
    return [
        f"{figures.layout_name(s)}, {_buy(s)}",
        *([] if fleet else [figures.fleet(s)]),
        f"planned {'' if planned in (signs.NO_PRICE, '-') else '$'}{planned}",
        *([f"P50 {_usd(s, 'p50')}", f"P10-P90 {_usd(s, 'p10')} to {_usd(s, 'p90')}"] if known else []),
        f"{days}, P10-P90 {_run(s, 'p10')} to {_run(s, 'p90')}" if _ranged(s) else days,
        *([f"${_per_hour(s)} a useful GPU-hour"] if s.complete else []),
    ]


def more_rows(left: Ranked, dots: str) -> str:
    """How many rows are left out, and whether none of them has a price."""
    unpriced = "" if any(s.complete for _, s in left) else ", without a price"
    return f"{dots} {len(left)} more{unpriced} (--top 0 shows them)"
