"""A comparison in a terminal: one screen at 80 columns, more columns where there is room, records below."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence

from planner.decide.facts import unfinished_warning
from planner.decide.result import Comparison, Scenario
from planner.report import words
from planner.report.columns import Column, cut, fitted, rows, wrap
from planner.report.words import days, dollars

TABLE_FROM = 80  # narrower than this, a scenario is a record of several lines
NARROWEST = 32
MAY_NOT_FINISH = "!"
BOLD, PLAIN = "\x1b[1m", "\x1b[0m"


def render(
    comparison: Comparison, *, width: int, colour: bool, ascii_only: bool, top: int, plan_path: str = "PLAN"
) -> str:
    """The comparison as lines of at most `width` cells (at least 32)."""
    width = max(width, NARROWEST)
    more = "..." if ascii_only else "…"
    feasible = [s for s in comparison.scenarios if s.feasible]
    shown = feasible[: top or None]
    lines = _heading(comparison, width, more)
    lines.append("")
    if shown:
        table = _table(shown, width, ascii_only, more, words.only_fleet(comparison.scenarios))
        lines += _emphasised(table) if colour else table
    if len(shown) < len(feasible):
        lines += wrap(f"{more} and {len(feasible) - len(shown)} more, dearer or incomplete: --top 0 shows all", width)
    lines.append("")
    for sentence in words.answer(comparison):
        lines += wrap(words.visible(sentence), width, indent="  ")
    lines.append("")
    for remark in _remarks(comparison, shown):
        lines += wrap(words.visible(remark), width, indent="    " if remark.startswith("  ") else "  ")
    lines += _next(plan_path, width, more)
    text = "\n".join(lines) + "\n"
    return text.encode("ascii", "replace").decode() if ascii_only else text.encode("utf-8", "replace").decode()


def _heading(comparison: Comparison, width: int, more: str) -> list[str]:
    """Whose run it is, on which fleet; then which prices, and how the ranges came about."""
    prices = comparison.prices
    age = f" ({prices.age_days} days old)" if prices.age_days is not None else ""
    facts = [comparison.region]
    fleet = words.only_fleet(comparison.scenarios)
    if fleet:
        facts.append(f"{fleet}, {comparison.scenarios[0].gpus:,} GPUs train")
    draws = (
        f"P10-P90 of {comparison.draws:,} draws, seed {comparison.seed}" if comparison.draws else "no draws, no range"
    )
    grounds = f"prices of {prices.as_of}{age}, before tax; {draws}"
    name = cut(" ".join(words.visible(comparison.plan_name).split()), width, more)
    return [name, *wrap(", ".join(facts), width), *wrap(grounds, width)]


def _table(shown: Sequence[Scenario], width: int, ascii_only: bool, more: str, fleet: str) -> list[str]:
    placed = fitted(_columns(shown, fleet), width) if width >= TABLE_FROM else None
    if placed is None:
        return _records(shown, width, fleet)
    return rows(placed, rule="-" if ascii_only else "─", more=more)


def _columns(shown: Sequence[Scenario], fleet: str) -> list[Column]:
    """Every column there is; `keep` says which leave first when there is no room."""

    def column(title: str, value: Callable[[Scenario], str], *, text: bool = False, keep: int = 0) -> Column:
        return Column(title=title, values=[value(s) for s in shown], text=text, keep=keep)

    ranks = {s.id: str(rank) for rank, s in enumerate(shown, 1)}
    found = [
        column("#", lambda s: ranks[s.id]),
        column("Layout", words.layout_name, text=True),
        *([] if fleet else [column("Fleet", lambda s: f"{s.nodes}x {s.instance_type}", text=True)]),
        column("Buy", _buy, text=True),
        column("Days", lambda s: _run(s, "plan") + ("*" if s.extrapolated else "")),
        column("Days P10", lambda s: _run(s, "p10"), keep=3),
        column("Days P90", lambda s: _run(s, "p90"), keep=3),
        column("Planned $", lambda s: _cost(s, "plan")),
        column("P10 $", lambda s: _cost(s, "p10")),
        column("P50 $", lambda s: _cost(s, "p50"), keep=7),
        column("P90 $", lambda s: _cost(s, "p90")),
        column("$/GPU-h", _per_hour, keep=1),
        column("Useful", lambda s: f"{s.goodput.useful_fraction:.1%}" if s.goodput else "-", keep=2),
        column("Upfront $", _upfront, keep=4),
        column("Read/need GB/s", _reading, keep=5),
        column("Usable TB", lambda s: _stored(s, "usable_tb", "{:,.1f}"), keep=6),
        column("Storage $/TB-mo", lambda s: _stored(s, "usd_per_usable_tb_month", "{:,.2f}"), keep=8),
    ]
    return found


def _buy(scenario: Scenario) -> str:
    flag = f" {MAY_NOT_FINISH}" if words.may_not_finish(scenario) else ""
    return words.short_purchase(scenario.purchase) + flag


def _run(scenario: Scenario, which: str) -> str:
    return "-" if scenario.days is None else days(getattr(scenario.days, which))


def _cost(scenario: Scenario, which: str) -> str:
    if scenario.cost_usd is None:
        return "-"
    bound = not scenario.complete or (which == "p90" and words.open_ended(scenario))
    return (">=" if bound else "") + dollars(getattr(scenario.cost_usd, which))


def _per_hour(scenario: Scenario) -> str:
    if scenario.usd_per_useful_gpu_hour is None:
        return "-"
    return ("" if scenario.complete else ">=") + f"{scenario.usd_per_useful_gpu_hour.plan:,.2f}"


def _upfront(scenario: Scenario) -> str:
    due = sum(entry.usd for entry in scenario.cash if entry.due != "monthly")
    return dollars(due) if due else "-"


def _stored(scenario: Scenario, which: str, shown: str) -> str:
    value = getattr(scenario.storage, which) if scenario.storage else None
    return "-" if value is None else shown.format(value)


def _reading(scenario: Scenario) -> str:
    facts = scenario.storage
    return f"{facts.read_gb_per_s:,.1f}/{facts.required_read_gb_per_s:,.1f}" if facts else "-"


def _records(shown: Sequence[Scenario], width: int, fleet: str) -> list[str]:
    """One scenario under the other, for narrow terminals."""
    lines: list[str] = []
    for rank, s in enumerate(shown, 1):
        star = "*" if s.extrapolated else ""
        facts = [
            *([] if fleet else [words.fleet(s)]),
            f"planned ${_cost(s, 'plan')}",
            f"P10-P90 ${_cost(s, 'p10')} to ${_cost(s, 'p90')}",
            f"days {_run(s, 'plan')}{star}, P10-P90 {_run(s, 'p10')} to {_run(s, 'p90')}",
            f"${_per_hour(s)} a useful GPU-hour",
        ]
        lines += wrap(f"{rank}. {words.layout_name(s)}, {_buy(s)}", width, indent="   ")
        for fact in facts:
            lines += wrap(f"   {fact}", width, indent="     ")
    return lines


def _emphasised(table: list[str]) -> list[str]:
    """Bold for the header and for the first row. Nothing is said by colour alone."""
    return [f"{BOLD}{line}{PLAIN}" if i in (0, 2) else line for i, line in enumerate(table)]


def _remarks(comparison: Comparison, shown: Sequence[Scenario]) -> list[str]:
    """What the signs mean, what is wrong with the first row, what is left out: short, and each thing once."""
    found: list[str] = []
    if any(words.may_not_finish(s) for s in shown):
        found.append(f"{MAY_NOT_FINISH}  may not finish: in some draws interruptions come faster than work is saved")
    if any(s.extrapolated for s in shown):
        found.append("*  beyond the measured rows of the throughput table: extrapolated, with a wider range")
    unpriced: dict[str, int] = {}
    for scenario in comparison.scenarios:
        for entry in scenario.unpriced:
            near = f" (nearest: {entry.nearest[0]})" if entry.nearest else ""
            key = f"{entry.line}: no price for {entry.what}{near}"
            unpriced[key] = unpriced.get(key, 0) + 1
    for text, count in unpriced.items():
        found.append(f">= only a lower bound, in {count} scenario{'s' if count > 1 else ''}: {text}")
    # that it may not finish stands beside the answer already
    said = unfinished_warning(shown[0].unfinished_fraction) if shown else ()
    warnings = [warning for warning in shown[0].warnings if warning not in said] if shown else []
    if warnings:
        found += ["On #1:", *(f"  - {warning}" for warning in warnings)]
    reasons: dict[tuple[str, ...], list[str]] = {}
    for scenario in comparison.scenarios:
        if not scenario.feasible:
            reasons.setdefault(scenario.why_not, []).append(scenario.id)
    for why, ids in reasons.items():
        others = f" and {len(ids) - 1} more" if len(ids) > 1 else ""
        found.append(f"Not feasible: {ids[0]}{others}: {'; '.join(why)}")
    if comparison.stale:
        found.append(f"Stale: {len(comparison.stale)} prices, such as {comparison.stale[0]}")
    return [*found, *(f"Note: {note}" for note in comparison.notes)]


def _next(plan_path: str, width: int, more: str) -> list[str]:
    """What to type for the rest; a path too long for the line is cut in front."""
    say, before, after = "Bills and sources: ", "planner report ", " -o report.html"
    path = shlex.quote(words.visible(plan_path))
    if len(say) + len(before) + len(path) + len(after) <= width:
        return [say + before + path + after]
    room = width - len(before) - len(after) - 2
    if len(path) > room:
        path = more + path[len(path) - max(room - len(more), 1) :]
    return [say.rstrip(), *wrap(f"  {before}{path}{after}", width, indent="    ")]
