"""A comparison in a terminal: one screen at 80 columns, more columns where there is room, records below."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence

from planner.decide.comparison import Comparison
from planner.estimate.result import Scenario
from planner.report.terminal.columns import TABLE_FROM, Column, command, cut, fitted, rows, wrap
from planner.report.wording import answer, figures, recommendation
from planner.report.wording.figures import days, dollars, plain
from planner.report.wording.notes import MAY_NOT_FINISH, assumptions, heading, remarks

NARROWEST = 32
BOLD, PLAIN = "\x1b[1m", "\x1b[0m"


def render(
    comparison: Comparison,
    *,
    width: int,
    colour: bool,
    ascii_only: bool,
    top: int,
    plan_path: str = "PLAN",
    again: Sequence[str] = (),
    verbose: bool = False,
) -> str:
    """The comparison as lines of at most `width` cells (at least 32).

    again: options that the next command must repeat, like --set. verbose: list every assumption with its range and
    source.
    """
    width = max(width, NARROWEST)
    more = "..." if ascii_only else "…"
    feasible = [s for s in comparison.scenarios if s.feasible]
    ranked = list(enumerate(feasible, 1))
    first = ranked[: top or None]
    # what the answer names is always among the rows
    named = {scenario.id for scenario in recommendation.picks(comparison)}
    later = [(rank, s) for rank, s in ranked[len(first) :] if s.id in named]
    shown = [s for _, s in first + later]
    lines = _heading(comparison, width, more)
    if ranked:
        lines.append("")
    table = _Table(first + later, comparison, width, ascii_only)
    head, body = table.header(), table.body(len(first))
    lines += _emphasised([*head, *body]) if colour else [*head, *body]
    if len(first) < len(feasible):
        rest = f"{more} and {len(feasible) - len(first)} more, dearer or incomplete: --top 0 shows all"
        lines += wrap(rest + ("; among them" if later else ""), width)
        lines += table.body(len(first), rest=True)
    lines.append("")
    for sentence in answer.sentences(comparison):
        lines += wrap(figures.visible(sentence), width, indent="    " if sentence.startswith("  --") else "  ")
    lines.append("")
    for remark in remarks(comparison, shown):
        lines += wrap(figures.visible(remark), width, indent="    " if remark.startswith("  ") else "  ")
    if verbose:
        lines += assumptions(comparison, width)
    lines += _next(plan_path, again, width)
    text = "\n".join(lines) + "\n"
    return text.encode("ascii", "replace").decode() if ascii_only else text.encode("utf-8", "replace").decode()


def _heading(comparison: Comparison, width: int, more: str) -> list[str]:
    """Whose run it is; then where, and at which prices."""
    name = cut(" ".join(figures.visible(comparison.plan_name).split()), width, more)
    return [name, *(line for text in heading(comparison) for line in wrap(text, width))]


Ranked = Sequence[tuple[int, Scenario]]


class _Table:
    """Rows under a header or, where there is no room for columns, records under each other."""

    def __init__(self, ranked: Ranked, comparison: Comparison, width: int, ascii_only: bool) -> None:
        self.ranked, self.width, self.fleet = ranked, width, figures.only_fleet(comparison.scenarios)
        types = figures.short_types(comparison.scenarios)
        placed = fitted(ranking_columns(ranked, self.fleet, types), width) if ranked and width >= TABLE_FROM else None
        rule, more = ("-", "...") if ascii_only else ("─", "…")
        self.lines = rows(placed, rule=rule, more=more) if placed else []

    def header(self) -> list[str]:
        return self.lines[:2]

    def body(self, count: int, *, rest: bool = False) -> list[str]:
        """The first `count` rows, or the rest of them."""
        part = slice(count, None) if rest else slice(count)
        return self.lines[2:][part] if self.lines else _records(self.ranked[part], self.width, self.fleet)


def ranking_columns(ranked: Ranked, fleet: str, types: Mapping[str, str]) -> list[Column]:
    """Every column there is; `keep` says which leave first when there is no room."""

    def column(title: str, value: Callable[[Scenario], str], *, text: bool = False, keep: int = 0) -> Column:
        return Column(title=title, values=[value(s) for _, s in ranked], text=text, keep=keep)

    where = [] if fleet else [column("Fleet", lambda s: f"{s.nodes}x {types[s.instance_type]}", text=True)]
    return [
        Column(title="#", values=[str(rank) for rank, _ in ranked]),
        column("Layout", figures.layout_name, text=True),
        *where,
        column("Buy", _buy, text=True),
        column("Days", lambda s: _run(s, "plan") + ("*" if s.extrapolated else "")),
        column("Days P10", lambda s: _run(s, "p10"), keep=5),
        column("Days P90", lambda s: _run(s, "p90"), keep=5),
        column("Planned $", _planned),
        column("P10 $", lambda s: _cost(s, "p10"), keep=3),
        column("P50 $", lambda s: _cost(s, "p50"), keep=1),
        column("P90 $", lambda s: _cost(s, "p90")),
        column("$/GPU-h", _per_hour, keep=2),
        column("Useful", lambda s: f"{s.goodput.useful_fraction:.1%}" if s.goodput else "-", keep=4),
        column("Upfront $", _upfront, keep=6),
        column("Read/need GB/s", _reading, keep=7),
        column("Usable TB", lambda s: _stored(s, "usable_tb", "{:,.1f}"), keep=8),
        column("Storage $/TB-mo", lambda s: _stored(s, "usd_per_usable_tb_month", "{:,.2f}"), keep=9),
    ]


def _buy(scenario: Scenario) -> str:
    flag = f" {MAY_NOT_FINISH}" if recommendation.may_not_finish(scenario) else ""
    return figures.short_purchase(scenario.purchase) + flag


def _ranged(scenario: Scenario) -> bool:
    """Whether there were draws: without them a percentile would be the planned figure under another name."""
    return scenario.cost_plan_percentile is not None


def _run(scenario: Scenario, which: str) -> str:
    if scenario.days is None or (which != "plan" and not _ranged(scenario)):
        return "-"
    return days(getattr(scenario.days, which))


def _planned(scenario: Scenario) -> str:
    """A lower bound where a price is missing, and no figure at all where it is that of the GPU nodes."""
    if scenario.cost_usd is None:
        return "-"
    if recommendation.without_nodes(scenario):
        return "no price"
    return ("" if scenario.complete else ">=") + dollars(scenario.cost_usd.plan)


def _cost(scenario: Scenario, which: str) -> str:
    if scenario.cost_usd is None or not scenario.complete or not _ranged(scenario):
        return "-"
    floor = ">" if which == "p90" and recommendation.open_ended(scenario) else ""
    return floor + dollars(getattr(scenario.cost_usd, which))


def _per_hour(scenario: Scenario) -> str:
    if scenario.usd_per_useful_gpu_hour is None or not scenario.complete:
        return "-"
    return f"{scenario.usd_per_useful_gpu_hour.plan:,.2f}"


def _upfront(scenario: Scenario) -> str:
    due = sum(entry.usd for entry in scenario.cash if entry.due != "monthly")
    return dollars(due) if due else "-"


def _stored(scenario: Scenario, which: str, shown: str) -> str:
    value = getattr(scenario.storage, which) if scenario.storage else None
    return "-" if value is None else shown.format(value)


def _reading(scenario: Scenario) -> str:
    facts = scenario.storage
    return f"{_rate(facts.read_gb_per_s)}/{_rate(facts.required_read_gb_per_s)}" if facts else "-"


def _rate(gb_per_s: float) -> str:
    """One decimal; below 1 two digits, so that a small need is not shown as none."""
    return f"{gb_per_s:,.1f}" if gb_per_s == 0 or gb_per_s >= 0.995 else plain(gb_per_s, 2)


def _records(ranked: Ranked, width: int, fleet: str) -> list[str]:
    """One scenario under the other, for narrow terminals."""
    lines: list[str] = []
    for rank, s in ranked:
        star = "*" if s.extrapolated else ""
        planned = _planned(s)
        costs = [f"P10-P90 ${_cost(s, 'p10')} to ${_cost(s, 'p90')}", f"P50 ${_cost(s, 'p50')}"]
        facts = [
            *([] if fleet else [figures.fleet(s)]),
            f"planned {'' if planned in ('no price', '-') else '$'}{planned}",
            *(costs if s.complete and _ranged(s) else []),
            f"days {_run(s, 'plan')}{star}" + (f", P10-P90 {_run(s, 'p10')} to {_run(s, 'p90')}" if _ranged(s) else ""),
            *([f"${_per_hour(s)} a useful GPU-hour"] if s.complete else []),
        ]
        lines += wrap(f"{rank}. {figures.layout_name(s)}, {_buy(s)}", width, indent="   ")
        for fact in facts:
            lines += wrap(f"   {fact}", width, indent="     ")
    return lines


def _emphasised(table: list[str]) -> list[str]:
    """Bold for the header and for the first row. Nothing is said by colour alone."""
    return [f"{BOLD}{line}{PLAIN}" if i in (0, 2) else line for i, line in enumerate(table)]


def _next(plan_path: str, again: Sequence[str], width: int) -> list[str]:
    """What to type for the rest, as it can be pasted."""
    say, before, after = "Bills and sources: ", "planner report ", " -o report.html"
    options = "".join(f" {shlex.quote(figures.visible(word))}" for word in again)
    path = shlex.quote(figures.visible(plan_path))
    if len(say) + len(before) + len(path) + len(options) + len(after) <= width:
        return [say + before + path + options + after]
    return [say.rstrip(), *command(f"{before}{path}{options}{after}", width)]
