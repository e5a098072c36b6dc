"""Small tables for notebooks: a comparison, a scenario, a bill, a search, a plan beside its bill, and so on.

They have the numbers of the terminal and no style of their own, so that they look like the notebook's other tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from planner.bills.reconcile import Reconciliation
from planner.decide.comparison import Comparison
from planner.decide.optimize import Optimum
from planner.decide.spot_runs import SpotRuns
from planner.decide.study import Study
from planner.estimate.result import Scenario
from planner.models.bill import PlannedLine
from planner.report.diff.differences import Changes
from planner.report.wording import changes as change_words
from planner.report.wording import reconciliation as reconciliation_words
from planner.report.wording import spot_runs as spot_run_words
from planner.report.wording.break_evens import break_even_sentence, end_of, name, unit_of, with_break_evens
from planner.report.wording.change_columns import scenario_columns
from planner.report.wording.figures import days, dollars, many, quantity, visible
from planner.report.wording.rounding import cents
from planner.report.wording.sensitivity import at_end
from planner.report.wording.table import Column

MOST_ROWS = 12
_RIGHT = ' style="text-align: right"'
_LEFT = ' style="text-align: left"'


def comparison_html(comparison: Comparison) -> str:
    """The first scenarios in rank, and what is recommended."""
    best = comparison.best
    answer = f"recommended: {best.id}" if best else "nothing is recommended"
    more = len(comparison.scenarios) - MOST_ROWS
    note = f"; {more} more" if more > 0 else ""
    title = f"{comparison.plan_name}, prices of {comparison.prices.as_of.isoformat()}: {answer}{note}"
    return table_html(title, _scenario_columns(comparison.scenarios[:MOST_ROWS]))


def scenarios_html(scenarios: Sequence[Scenario]) -> str:
    return table_html("", _scenario_columns(scenarios))


def _scenario_columns(scenarios: Sequence[Scenario]) -> list[Column]:
    return [
        Column(title="Scenario", values=[scenario.id for scenario in scenarios], text=True),
        Column(title="Days P50", values=[days(s.days.p50) if s.days else "" for s in scenarios]),
        *(
            Column(
                title=f"{name} $",
                values=[
                    dollars(getattr(s.cost_usd, part)) if s.cost_usd and (s.complete or part == "plan") else ""
                    for s in scenarios
                ],
            )
            for name, part in (("P10", "p10"), ("P50", "p50"), ("P90", "p90"), ("Planned", "plan"))
        ),
        Column(title="Eligible", values=["yes" if scenario.eligible else "no" for scenario in scenarios], text=True),
    ]


def bill_html(bill: Sequence[PlannedLine]) -> str:
    """The lines of one bill, and their sum."""
    total = sum(line.effective_cost for line in bill)
    costs = cents([line.effective_cost for line in bill], total)
    return table_html(
        "",
        [
            Column(title="Line", values=[*(line.line for line in bill), "all lines"], text=True),
            Column(title="Quantity", values=[*(quantity(line.quantity) for line in bill), ""]),
            Column(title="Unit", values=[*(line.unit for line in bill), ""], text=True),
            Column(title="$ per unit", values=[*(f"{line.effective_unit_price:,.6g}" for line in bill), ""]),
            Column(title="Cost $", values=[*(f"{usd:,.2f}" for usd in costs), f"{total:,.2f}"]),
        ],
    )


def optimum_html(found: Optimum) -> str:
    """The choices that none beats in both cost and time."""
    best = found.recommended
    answer = f"recommended: {best.scenario.id} on {best.size.nodes} nodes" if best else "nothing is recommended"
    points = found.frontier
    return table_html(
        f"{many(found.evaluated, 'choice')} evaluated; {answer}",
        [
            Column(title="Scenario", values=[point.scenario.id for point in points], text=True),
            Column(title="Nodes", values=[f"{point.size.nodes}" for point in points]),
            Column(title="Spares", values=[f"{point.size.spares}" for point in points]),
            Column(title="Days P50", values=[days(p.scenario.days.p50) if p.scenario.days else "" for p in points]),
            Column(
                title="P50 $", values=[dollars(p.scenario.cost_usd.p50) if p.scenario.cost_usd else "" for p in points]
            ),
            Column(
                title="P90 $", values=[dollars(p.scenario.cost_usd.p90) if p.scenario.cost_usd else "" for p in points]
            ),
        ],
    )


def reconciliation_html(found: Reconciliation) -> str:
    return table_html(reconciliation_words.headline(found), reconciliation_words.columns(found))


def sensitivity_html(study: Study) -> str:
    """The assumptions with the largest effect on the cost, and the values at which another scenario is cheapest."""
    shown = [swing for swing in study.swings if swing.spread("cost_usd")][:MOST_ROWS]
    values = [break_even_sentence(entry, "") for entry in with_break_evens(study)]
    title = "; ".join((f"{study.scenario.id}: what its cost depends on", *values))
    return table_html(
        title,
        [
            Column(title="Assumption", values=[name(swing.parameter) for swing in shown], text=True),
            Column(title="Low", values=[end_of(swing.parameter, 0) for swing in shown]),
            Column(title="High", values=[end_of(swing.parameter, 1) for swing in shown]),
            Column(title="Unit", values=[unit_of(swing.parameter) for swing in shown], text=True),
            Column(title="$ at low", values=[at_end(swing.low, "cost_usd") for swing in shown]),
            Column(title="$ at high", values=[at_end(swing.high, "cost_usd") for swing in shown]),
        ],
    )


def difference_html(found: Changes) -> str:
    """The scenarios that differ, below the change of the answer."""
    shown = [row for row in found.scenarios if row.differs][:MOST_ROWS]
    return table_html(change_words.headline(found), scenario_columns(shown))


def spot_runs_html(found: Sequence[SpotRuns]) -> str:
    return "".join(table_html(spot_run_words.title(one), spot_run_words.columns(one)) for one in found)


def table_html(title: str, columns: Sequence[Column]) -> str:
    """A table with a caption, if there is one."""
    caption = f"<caption{_LEFT}>{_safe(title)}</caption>" if title else ""
    head = "".join(f"<th{_align(column)}>{_safe(column.title)}</th>" for column in columns)
    rows = zip(*(column.values for column in columns), strict=True)
    body = "".join(f"<tr>{_cells(row, columns)}</tr>" for row in rows)
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cells(row: Iterable[str], columns: Sequence[Column]) -> str:
    return "".join(f"<td{_align(column)}>{_safe(cell)}</td>" for cell, column in zip(row, columns, strict=True))


def _align(column: Column) -> str:
    return _LEFT if column.text else _RIGHT


def _safe(text: str) -> str:
    return escape(visible(text))
