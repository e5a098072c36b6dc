"""Comparisons for the tests of reports: small and real, sixty scenarios, names meant to do harm."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

from planner.answer.ranges import Range
from planner.answer.recommend import Alternative, Answer
from planner.answer.row import Shortfall
from planner.decide.compare import compare
from planner.decide.comparison import Comparison
from planner.decide.nothing_eligible import with_relaxations
from planner.estimate.request import Request
from planner.estimate.result import Scenario
from pricing.offers import DEFAULT_PURCHASE_OPTIONS
from tests.builders import book_of, compared, plan_of

SPOT_ALONE = {"options": [*(option for option in DEFAULT_PURCHASE_OPTIONS if option != "spot-fallback"), "spot"]}
ESCAPE = "\x1b[31mred\x1b[0m"
HOSTILE = {
    "markup": '<script>alert("x")</script> & <b>bold</b>',
    "quotes": 'it\'s "quoted", `ticked` and {{ braced }} {% raw %}',
    "line breaks": "one\ntwo\r\nthree\tfour",
    "right to left": "run \u202egnp.exe\u202c \u05e9\u05dc\u05d5\u05dd",
    "control characters": f"a{ESCAPE}\x07\x00b\x9b31m",
    "long": "n" * 10_000,
    "wide": "訓練費用" * 40,
    "combining": "z" + "\u0301" * 300,
    "half a pair": "half \ud83d of a pair",
    "formula": "=HYPERLINK(1)",
    "line separators": "a\u2028b\u2029c\x85d",
}


@cache
def small() -> Comparison:
    """Four nodes, every layout and the usual purchase options, spot alone instead of with fallback, with ranges."""
    return compared(plan_of(purchase=SPOT_ALONE), draws=200)


def first(comparison: Comparison) -> Scenario:
    best = comparison.best
    assert best is not None
    return best


def sixty() -> Comparison:
    """Sixty scenarios with full bills and more than one fleet."""
    base = small()
    feasible = [s for s in base.scenarios if s.feasible]
    many = [
        replace(feasible[i % len(feasible)], id=f"{feasible[i % len(feasible)].id}-{i}", nodes=4 + i // 20)
        for i in range(60)
    ]
    return replace(base, scenarios=tuple(many), answer=answered(many[0].id))


def answered(recommended: str, *alternatives: tuple[str, str]) -> Answer:
    """An answer that names these scenarios. alternatives: (id, kind)."""
    return Answer(
        confidence=0.9,
        rank_by="p50",
        recommended=recommended,
        first=recommended,
        alternatives=tuple(Alternative(id=id, kind=kind) for id, kind in alternatives),
        compared=60,
    )


@cache
def late() -> Comparison:
    """Nothing is feasible within a day, and what would be."""
    plan = plan_of(run={"deadline": "1d"}, purchase=SPOT_ALONE)
    request = Request(plan=plan, plan_sha256="0" * 64, book=book_of(), draws=0)
    return with_relaxations(request, compare(request))


def named(name: str) -> Comparison:
    return replace(small(), plan_name=name)


def ranged(scenario: Scenario, *, cost: tuple[float, float, float], run: tuple[float, float, float]) -> Scenario:
    """The scenario with other (planned, P10, P90) of cost and days; the bill is left as it is."""
    spread = [Range(plan=p, p10=low, p50=(low + high) / 2, p90=high) for p, low, high in (cost, run)]
    return replace(scenario, cost_usd=spread[0], days=spread[1])


def unfinished(share: float = 0.2) -> Comparison:
    """The small comparison with spot as the alternative that is cheaper and in `share` of its draws without an end."""
    base = small()
    best = next(s for s in base.scenarios if s.eligible and s.purchase == "capacity-block")
    spot = next(s for s in base.scenarios if s.purchase == "spot" and s.layout == best.layout)
    high = math.inf if share > 0.1 else 1e7
    bad = replace(
        ranged(spot, cost=(5e6, 4e6, high), run=(40, 38, high / 1e3)),
        finish_fraction=1 - share,
        unfinished_fraction=share,
        eligible=False,
        shortfalls=(Shortfall(kind="finish", fraction=1 - share),),
    )
    others = [s for s in base.scenarios if s.id not in (best.id, bad.id)]
    return replace(
        base, scenarios=(best, *others[:3], bad, *others[3:]), answer=answered(best.id, (bad.id, "cheaper-if"))
    )
