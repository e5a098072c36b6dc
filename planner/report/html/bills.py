"""The bills on the page: every line with its price, when money is due, GPU time and storage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from markupsafe import Markup

from planner.decide.comparison import Comparison
from planner.decide.spreads import Spread
from planner.estimate.result import Scenario
from planner.models.bill import SERVICES, PlannedLine
from planner.report.html.calculations import Calculation, anchor, lines_of, numbers_of
from planner.report.html.inline import inline, shown
from planner.report.wording import block, evidence, figures, page_headings, page_texts, rounding, scenario_facts, signs
from planner.report.wording.figures import visible


@dataclass(frozen=True, kw_only=True)
class LineView:
    """A line of a bill. id: its anchor on the page; linked: whether its calculation has that anchor instead."""

    id: str
    linked: bool
    name: str
    service: str
    note: str
    cost: str
    share: str
    quantity: str
    unit: str
    unit_price: str
    equation: str
    price_date: str
    grade: str
    basis: str
    source: int


@dataclass(frozen=True, kw_only=True)
class BillView:
    """The bill of a feasible scenario. calculations: only for the recommended scenario."""

    rank: int
    label: str
    title: str
    summary: str
    opened: bool
    warnings: tuple[str, ...]
    lines: tuple[LineView, ...]
    unpriced: tuple[tuple[str, str], ...]
    total_title: str
    total: str
    list_total: str
    calculations: tuple[Calculation, ...]
    ranges: bool
    numbers: tuple[Calculation, ...]
    without_calculation: Markup
    cash: tuple[tuple[str, str, str], ...]
    cash_total: str
    gpu_time: scenario_facts.Facts
    storage: scenario_facts.Facts


def bill_view(
    comparison: Comparison,
    rank: int,
    scenario: Scenario,
    sources: Mapping[str, int],
    spreads: Mapping[str, Spread] | None,
    *,
    opened: bool = False,
) -> BillView:
    """The bill of one scenario. spreads: the ranges of its numbers; None to leave out the calculations."""
    total, calculated = figures.plan_usd(scenario), spreads is not None
    floor = "" if scenario.complete else "≥ "
    costs = rounding.cents([line.effective_cost for line in scenario.bill], total)
    shares = rounding.percents(costs, 1)
    cash = rounding.cents([entry.usd for entry in scenario.cash], total)
    calculations = lines_of(comparison, scenario, rank, spreads) if spreads is not None else ()
    return BillView(
        rank=rank,
        label=page_headings.bill_label(rank),
        title=signs.bill_title(comparison, rank, scenario),
        summary=signs.bill_summary(scenario),
        opened=opened,
        warnings=shown(scenario.all_warnings),
        lines=tuple(
            _line(rank, line, usd, share, sources, linked=calculated)
            for line, usd, share in zip(scenario.bill, costs, shares, strict=True)
        ),
        unpriced=tuple((entry.line, evidence.no_price(entry)) for entry in scenario.unpriced),
        total_title=signs.total_title(scenario),
        total=f"{floor}{total:,.2f}",
        list_total=f"{floor}{sum(line.list_cost for line in scenario.bill):,.2f}",
        calculations=calculations,
        ranges=bool(calculations and calculations[0].reach),
        numbers=numbers_of(comparison, scenario, rank, spreads) if spreads is not None else (),
        without_calculation=inline(page_texts.without_calculation(rank)),
        cash=tuple(
            (block.due(scenario, entry), scenario_facts.cash(entry, usd), entry.what)
            for entry, usd in zip(scenario.cash, cash, strict=True)
        ),
        cash_total=f"{floor}${total:,.2f}" if len(scenario.cash) > 1 else "",
        gpu_time=scenario_facts.gpu_time(scenario),
        storage=scenario_facts.storage(scenario),
    )


def _line(
    rank: int, line: PlannedLine, usd: float, share: str, sources: Mapping[str, int], *, linked: bool
) -> LineView:
    return LineView(
        id=anchor(rank, line.line),
        linked=linked,
        name=line.line,
        service=SERVICES[line.service][0],
        note=visible(line.note),
        cost=f"{usd:,.2f}",
        share=share,
        quantity=figures.quantity(line.quantity),
        unit=line.unit,
        unit_price=figures.plain(line.effective_unit_price, 8),
        equation=line.equation,
        price_date=str(line.price_date),
        grade=line.price_grade or "",
        basis=f"{line.basis} back" if line.carried_back else line.basis,
        source=sources[line.price_source],
    )
