"""What the figures of the page are based on: missing prices, assumptions, equations, sources, provenance."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from planner.decide.comparison import Comparison
from planner.estimate.result import Scenario
from planner.models.equation import Equation
from planner.plan.assumptions import Assumption
from planner.report.data.groups import price_notes_of, unpriced_of
from planner.report.data.provenance import model_sha256
from planner.report.html.inline import shown
from planner.report.wording import evidence, figures, stale_prices
from planner.report.wording.figures import visible

NAME_SHOWN = 200  # characters of the plan's name; the head of the page has it whole


@dataclass(frozen=True, kw_only=True)
class UnpricedView:
    line: str
    what: str
    nearest: str
    missing_in: str


@dataclass(frozen=True, kw_only=True)
class AssumptionView:
    key: str
    value: str
    low: str
    high: str
    unit: str
    origin: str
    source: str


@dataclass(frozen=True, kw_only=True)
class EquationView:
    number: str
    name: str
    summary: str
    steps: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class SourceView:
    """A source of prices with the price book's notes on the prices that it gave."""

    number: int
    text: str
    notes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class EvidenceView:
    """provenance: (name, text, hash). plan: as it was read, in JSON."""

    unpriced: tuple[UnpricedView, ...]
    assumptions: tuple[AssumptionView, ...]
    equations: tuple[EquationView, ...]
    sources: tuple[SourceView, ...]
    stale: tuple[str, ...]
    provenance: tuple[tuple[str, str, str], ...]
    plan: str


def evidence_view(comparison: Comparison, detailed: Sequence[Scenario], sources: Mapping[str, int]) -> EvidenceView:
    """detailed: the scenarios whose bills are on the page."""
    notes = price_notes_of(detailed)
    return EvidenceView(
        unpriced=tuple(
            UnpricedView(
                line=entry.line,
                what=evidence.no_price(entry),
                nearest=evidence.nearest(entry.nearest),
                missing_in=evidence.missing_in(ids),
            )
            for entry, ids in unpriced_of(comparison.scenarios)
        ),
        assumptions=tuple(_assumption(entry) for entry in comparison.assumptions),
        equations=tuple(_equation(entry) for entry in _equations(detailed)),
        sources=tuple(
            SourceView(
                number=number,
                text=visible(source),
                notes=shown([f"{line}: {note}" for line, note in notes.get(source, ())]),
            )
            for source, number in sources.items()
        ),
        stale=shown(stale_prices.sentences(comparison.stale)),
        provenance=tuple(_provenance(comparison)),
        plan=json.dumps(comparison.plan, indent=2, ensure_ascii=False, default=str),
    )


def _assumption(entry: Assumption) -> AssumptionView:
    return AssumptionView(
        key=entry.key,
        value=figures.plain(entry.value),
        low=figures.plain(entry.low),
        high=figures.plain(entry.high),
        unit=entry.unit,
        origin=entry.origin,
        source=visible(evidence.sourced(entry)),
    )


def _equation(entry: Equation) -> EquationView:
    return EquationView(
        number=entry.number, name=entry.name, summary=entry.summary.replace("`", ""), steps=tuple(entry.steps)
    )


def _equations(scenarios: Sequence[Scenario]) -> list[Equation]:
    """The equations behind the bills and the numbers of the runs."""
    from planner.models.catalogue import all_equations

    priced = [scenario for scenario in scenarios if scenario.feasible]
    used = {line.equation for scenario in priced for line in scenario.bill}
    used |= {entry.equation for scenario in priced for entry in scenario.derived}
    return [entry for entry in all_equations() if entry.number in used]


def _provenance(comparison: Comparison) -> list[tuple[str, str, str]]:
    return [
        (title, visible(text)[:NAME_SHOWN], f"{what} {digest}" if digest else "")
        for title, text, what, digest in evidence.reproduction(comparison, model_sha256())
    ]
