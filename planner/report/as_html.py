"""A comparison as one HTML page that needs nothing else: no script, no font, no picture from elsewhere."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from planner import __version__
from planner.decide.result import Comparison, Scenario
from planner.models.bill import SERVICES, Line
from planner.report import chart, verdict, words

if TYPE_CHECKING:
    from jinja2 import Environment

INSTALLED = Path(__file__).parents[1] / "_templates"
REPOSITORY = Path(__file__).parents[2] / "templates"


@dataclass(frozen=True, kw_only=True)
class BillRow:
    """A line of a bill as the page shows it. cents: its cost as printed."""

    line: Line
    service: str
    cents: float
    share: float
    source: int


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A feasible scenario with its place in the ranking. total: the planned cost, as every format has it; off: whether
    the printed cents of the bill or of the cash add up to another figure."""

    rank: int
    scenario: Scenario
    rows: tuple[BillRow, ...]
    total: float
    off: bool
    list_total: float
    opened: bool


def render(comparison: Comparison) -> str:
    """The whole page. The same comparison gives the same bytes."""
    from markupsafe import Markup

    sources = _sources(comparison.scenarios)
    best, safe = comparison.best, verdict.lowest_risk(comparison)
    shown_first = {scenario.id for scenario in verdict.picks(comparison)}
    entries = [
        _entry(rank, scenario, sources, scenario.id in shown_first)
        for rank, scenario in enumerate(comparison.scenarios, 1)
        if scenario.feasible
    ]
    page = _environment().get_template("page.html.j2").render(
        c=comparison,
        version=__version__,
        best=best,
        safe=safe,
        fleet=words.only_fleet(comparison.scenarios),
        entries=entries,
        closed=sum(not entry.opened for entry in entries),
        infeasible=_infeasible(comparison.scenarios),
        unpriced=_unpriced(comparison.scenarios),
        incomplete=sum(bool(scenario.unpriced) for scenario in comparison.scenarios),
        stale=verdict.stale(comparison),
        sources=sources,
        source_notes=_source_notes(comparison.scenarios),
        equations=_equations(comparison.scenarios),
        picture=Markup(chart.svg(comparison.scenarios)),
        names=chart.names(comparison.scenarios),
        legend=[(name, Markup(shape)) for _, name, shape in chart.legend(comparison.scenarios)],
        undrawn=sum(not entry.scenario.complete for entry in entries),
        beyond=chart.beyond(comparison.scenarios),
        far=chart.FAR_COST,
        open_ended=any(verdict.open_ended(entry.scenario) for entry in entries),
        commitments=verdict.commitments(comparison, [entry.scenario for entry in entries]),
        plan=json.dumps(comparison.plan, indent=2, ensure_ascii=False, default=str),
    )  # fmt: skip
    # halves of surrogate pairs cannot be written as UTF-8; a name that has them is shown with their numbers
    return page.encode("utf-8", "backslashreplace").decode("utf-8")


def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    folder = INSTALLED if INSTALLED.is_dir() else REPOSITORY
    environment = Environment(
        loader=FileSystemLoader(folder / "report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )
    environment.filters |= {
        "money": words.money,
        "dollars": words.dollars,
        "cents": lambda value: f"{value:,.2f}",
        "days": words.days,
        "plain": words.plain,
        "quantity": words.quantity,
        "percent": lambda value: f"{value:.1%}",
        "visible": words.visible,
    }
    environment.globals |= {"verdict": verdict, "words": words}
    return environment


def _sources(scenarios: Sequence[Scenario]) -> dict[str, int]:
    """Every source of a price, numbered in the order of the bills: a row names its number, the text stands once."""
    found = dict.fromkeys(line.price_source for s in scenarios if s.feasible for line in s.bill)
    return {source: number for number, source in enumerate(found, 1)}


def _source_notes(scenarios: Sequence[Scenario]) -> dict[str, list[str]]:
    """What the price book notes of its prices, by source."""
    found: dict[str, dict[str, None]] = {}
    for line in (line for s in scenarios if s.feasible for line in s.bill):
        note = line.price_note
        if note:
            found.setdefault(line.price_source, {})[f"{line.line}: {note}"] = None
    return {source: list(notes) for source, notes in found.items()}


def _entry(rank: int, scenario: Scenario, sources: dict[str, int], opened: bool) -> Entry:
    cents = [round(line.effective_cost, 2) for line in scenario.bill]
    total = words.plan_usd(scenario)
    printed = [cents, [round(cash.usd, 2) for cash in scenario.cash]]
    off = any(abs(sum(column) - round(total, 2)) > 0.005 for column in printed if column)
    rows = tuple(
        BillRow(
            line=line,
            service=SERVICES[line.service][0],
            cents=cost,
            share=cost / total if total else 0.0,
            source=sources[line.price_source],
        )
        for line, cost in zip(scenario.bill, cents, strict=True)
    )
    list_total = sum(line.list_cost for line in scenario.bill)
    return Entry(rank=rank, scenario=scenario, rows=rows, total=total, off=off, list_total=list_total, opened=opened)


def _infeasible(scenarios: Sequence[Scenario]) -> list[tuple[tuple[str, ...], list[Scenario]]]:
    """Scenarios by the reasons why not."""
    found: dict[tuple[str, ...], list[Scenario]] = {}
    for scenario in scenarios:
        if not scenario.feasible:
            found.setdefault(scenario.why_not, []).append(scenario)
    return list(found.items())


def _unpriced(scenarios: Sequence[Scenario]) -> list[tuple[str, str, tuple[str, ...], list[str]]]:
    """(line, what has no price, what is near, the scenarios it is missing in)."""
    found: dict[tuple[str, str, tuple[str, ...]], list[str]] = {}
    for scenario in scenarios:
        for entry in scenario.unpriced:
            found.setdefault((entry.line, entry.what, entry.nearest), []).append(scenario.id)
    return [(*key, ids) for key, ids in found.items()]


def _equations(scenarios: Sequence[Scenario]) -> list[tuple[str, str, str]]:
    """(number, name, what it says) of the equations on the bills."""
    from planner.models.catalogue import all_equations

    used = {line.equation for scenario in scenarios if scenario.feasible for line in scenario.bill}
    return [(e.number, e.name, e.summary) for e in all_equations() if e.number in used]
