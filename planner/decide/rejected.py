"""The best choice of each family (layout, purchase, instance type) that a search did not recommend."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from planner.answer.measure import cost_of
from planner.decide.candidates import Candidate, PassedOver
from planner.decide.search import Found
from planner.estimate.result import Scenario
from planner.models.bill import without_nodes


@dataclass(frozen=True, kw_only=True)
class Rejected:
    """A family and its best choice. kind: "layout", "purchase" or "type".

    best: eligible if one is; else the nearest to it, a lower bound, or one that is infeasible. passed_over: instead,
    the commitment with the lowest bound, if each one was left out for its bound.
    """

    kind: str
    family: str
    best: Candidate | None = None
    passed_over: PassedOver | None = None

    @property
    def id(self) -> str:
        """Of the best choice."""
        entry = self.passed_over.choice if self.passed_over else self.best.scenario if self.best else None
        return entry.id if entry else ""


Key = Callable[[Candidate], tuple[float, ...]]


def rejected_of(found: Found, recommended: Candidate | None, rank: Key) -> tuple[Rejected, ...]:
    """rank: what the search minimizes, the best first."""
    return tuple(
        entry
        for kind, of_scenario, of_passed in (
            ("layout", lambda s: s.layout, lambda p: p.choice.layout),
            ("purchase", lambda s: s.option.family, lambda p: p.choice.option.family),
            ("type", lambda s: s.instance_type, lambda p: p.choice.instance.name),
        )
        for entry in _of_kind(kind, found, recommended, rank, of_scenario, of_passed)
    )


def _of_kind(
    kind: str,
    found: Found,
    recommended: Candidate | None,
    rank: Key,
    of_scenario: Callable[[Scenario], str],
    of_passed: Callable[[PassedOver], str],
) -> Iterator[Rejected]:
    candidates: dict[str, list[Candidate]] = {}
    passed: dict[str, list[PassedOver]] = {}
    for candidate in found.candidates:
        candidates.setdefault(of_scenario(candidate.scenario), []).append(candidate)
    for entry in found.passed_over:
        passed.setdefault(of_passed(entry), []).append(entry)
    chosen = of_scenario(recommended.scenario) if recommended else ""
    families = dict.fromkeys((*candidates, *passed))
    if kind == "type" and len(families) == 1:
        return  # with one type there is nothing to choose
    for family in families:
        if family == chosen:
            continue
        best = min(
            candidates.get(family, ()), key=lambda c: (_standing(c.scenario), *rank(c), c.size.nodes), default=None
        )
        lowest = min(passed.get(family, ()), key=lambda p: (p.least_usd, p.choice.id), default=None)
        if lowest and (best is None or _standing(best.scenario)[0] > 2):
            yield Rejected(kind=kind, family=family, passed_over=lowest)
        else:
            yield Rejected(kind=kind, family=family, best=best)


def _standing(scenario: Scenario) -> tuple[int, float, float]:
    """How near a scenario is to being recommended; if it is not eligible, by the outcomes that keep every limit, then
    by the length of its run."""
    if scenario.eligible:
        return (1 if scenario.held_back else 0), 0.0, 0.0
    if scenario.feasible and scenario.complete:
        shares = (scenario.finish_fraction, scenario.on_time_fraction, scenario.in_budget_fraction)
        kept = min((share for share in shares if share is not None), default=0.0)
        return 2, -kept, scenario.days.p90 if scenario.days else math.inf
    if scenario.feasible:
        return (4 if without_nodes(scenario.unpriced) else 3), cost_of(scenario, "planned"), 0.0
    return 5, 0.0, 0.0
