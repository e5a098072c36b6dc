"""The words of `backtest`: what each case came to, the counts, and the sentences behind them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from planner.evidence.replay import CONTRADICTED, NOT_ASKED, PLAUSIBLE, REPRODUCED, Backtest, Coverage, Result
from planner.report.wording.table import Column

WIDE = 120  # from here on there is room for what each figure is
REFUSED = "Correctly refused or warned about"
LEGEND = {
    REPRODUCED: "within the tolerance, or correctly refused or warned about",
    PLAUSIBLE: "inside the computed range",
    CONTRADICTED: "outside the tolerance and the range",
    NOT_ASKED: "the planner has no equation or plan for it",
}


def figure(value: float | None) -> str:
    """Five digits; whole numbers from ten thousand on."""
    if value is None or not math.isfinite(value):
        return "-"
    return f"{value:,.0f}" if 10_000 <= abs(value) < 1e12 else f"{value:.5g}"


def computed(result: Result) -> str:
    """The computed figure, or both ends of a range."""
    if result.low is None or result.high is None:
        return result.said.partition(":")[0] or "-"
    low, high = figure(result.low), figure(result.high)
    return low if low == high else f"{low}..{high}"


def interval(result: Result) -> str:
    """P10 to P90, where an input is uncertain."""
    return "-" if result.p10 is None else f"{figure(result.p10)}..{figure(result.p90)}"


def published(result: Result) -> str:
    """As printed, with thousands separated."""
    text = result.case.published.text
    return f"{int(text):,}" if text.isdigit() and len(text) > 4 else text


def columns(results: Sequence[Result], width: int) -> list[Column]:
    """The table; what each figure is only where there is room for it."""
    wide = width >= WIDE
    told = [Column(title="What", values=[_what(r) for r in results], text=True)] if wide else []
    by = [Column(title="By", values=[r.equation or "-" for r in results], text=True)] if wide else []
    return [
        Column(title="Case", values=[r.case.id for r in results], text=True),
        *told,
        Column(title="Published", values=[published(r) for r in results]),
        Column(title="Computed", values=[computed(r) for r in results]),
        Column(title="P10-P90", values=[interval(r) for r in results], keep=0 if wide else 1),
        Column(title="Unit", values=[r.case.unit for r in results], text=True, keep=0 if wide else 2),
        Column(title="Tolerance", values=[r.case.published.tolerance for r in results], text=True),
        Column(title="Verdict", values=[r.verdict for r in results], text=True),
        *by,
    ]


def _what(result: Result) -> str:
    return ": ".join(part for part in (result.case.story, result.case.quantity) if part)


def counts(found: Backtest) -> str:
    """How many of each verdict."""
    parts = [
        f"{found.count(verdict)} {verdict}"
        for verdict in (REPRODUCED, PLAUSIBLE, CONTRADICTED, NOT_ASKED)
        if found.count(verdict)
    ]
    return f"{len(found.results)} published figures: {', '.join(parts)}."


def coverage(found: Backtest) -> list[str]:
    """How often the computed interval holds what happened: with a run's own inputs, and from FLOP and fleet alone."""
    said = []
    if found.informed.of:
        said.append(
            f"{_inside(found.informed)} of the published outcomes lie inside P10-P90 where the plan has the run's own "
            "inputs; 80% are expected where the ranges are right."
        )
    if found.bare.of:
        said.append(
            f"{_inside(found.bare)} of the whole runs lie inside P10-P90 where the plan has nothing but FLOP and a "
            f"fleet; they took {found.bare.ratio:.2f} times the P50 (median). The ranges were taken from these runs; "
            f"were each judged by the others alone, {found.bare.by_the_others} of {found.bare.of} "
            f"({found.bare.by_the_others / found.bare.of:.0%}) would lie inside."
        )
    return said or ["No case has an uncertain input, so no interval can be checked."]


def _inside(found: Coverage) -> str:
    return f"{found.inside} of {found.of} ({found.inside / found.of:.0%})"


def sentences(found: Backtest, verdict: str) -> list[str]:
    """One for each case of a verdict that needs a reason."""
    return [sentence(r) for r in found.results if r.verdict == verdict]


def refusals(found: Backtest) -> list[str]:
    """The words with which the planner refuses what must not be answered, or warns of it."""
    negative = [r for r in found.results if r.case.published.refusal and r.said]
    return [f"{r.case.id}: {_what(r)}: {r.said}" for r in negative]


def sentence(result: Result) -> str:
    """What was published, what was computed, and why they differ."""
    case = result.case
    unit = f" {case.unit}" if case.unit else ""
    if result.verdict == NOT_ASKED:
        return f"{case.id}: {_what(result)}. {result.why}"
    got = f"published {published(result)}{unit}, computed {computed(result)}"
    range_of = f" (P10-P90 {interval(result)})" if result.p10 is not None else ""
    return f"{case.id}: {_what(result)}: {got}{range_of}. {result.why[:1].upper()}{result.why[1:]}".rstrip(".") + "."
