"""One fleet of a search: every choice on it priced in draws and judged, without bills and facts."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from planner.answer.measure import cost_of
from planner.answer.recommend import NEAR
from planner.decide.eligibility import judged
from planner.decide.enumerate import choices_of, layouts_in
from planner.estimate.choice import Choice, FleetSize
from planner.estimate.committed_purchase import least_commitment_usd
from planner.estimate.evaluate import Evaluated
from planner.estimate.outcomes import RunOutcomes, outcomes_of
from planner.estimate.request import Request
from planner.estimate.result import Scenario
from planner.estimate.summary import outlined


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """One choice on one fleet. scenario: judged, without its bill and facts."""

    size: FleetSize
    scenario: Scenario


@dataclass(frozen=True, kw_only=True)
class PassedOver:
    """A commitment that was not priced in draws: its nodes alone cost at least least_usd in every draw, which is beyond
    a tie with On-Demand, and more than its P90, on the same fleet and layout."""

    size: FleetSize
    choice: Choice
    least_usd: float


@dataclass(frozen=True, kw_only=True)
class PricedFleet:
    """Every choice on one fleet."""

    candidates: tuple[Candidate, ...]
    passed_over: tuple[PassedOver, ...]


class FleetPricer:
    """Prices one fleet after the other with the same draws. only: ids of the choices to price, None for all."""

    def __init__(self, request: Request, only: Collection[str] | None = None) -> None:
        self.request, self._only = request, only
        self._kept: dict[str, RunOutcomes] = {}  # of those that were asked for by name: few
        self._layouts = None if only is None else layouts_in(only)
        self._central = request.central(recording=False)
        self._drawn = request.drawn(self._central) if request.draws else None

    def __call__(self, size: FleetSize) -> PricedFleet:
        """A commitment runs as long as On-Demand does. Where its nodes alone cost so much more that it can be neither
        first, nor tied, nor the safest, nor within the budget, it is passed over."""
        found: list[Scenario] = []
        outcomes: dict[str, RunOutcomes] = {}
        passed: list[PassedOver] = []
        for runs, every in choices_of(self.request, self._central, self._drawn, [size], self._layouts):
            choices = [choice for choice in every if self._only is None or choice.id in self._only]
            uncommitted = [
                self._scenario(runs.evaluated(choice), outcomes) for choice in choices if not choice.option.years
            ]
            at_most = self._at_most(uncommitted)
            least = {choice: self._least_usd(choice) for choice in choices if choice.option.years}
            close = [choice for choice, usd in least.items() if usd <= at_most]
            found += [*uncommitted, *(self._scenario(runs.evaluated(choice), outcomes) for choice in close)]
            passed += [PassedOver(size=size, choice=c, least_usd=usd) for c, usd in least.items() if usd > at_most]
        if self._only is not None:
            self._kept |= outcomes
        return PricedFleet(
            candidates=tuple(Candidate(size=size, scenario=s) for s in judged(self.request.plan, found, outcomes)),
            passed_over=tuple(passed),
        )

    def outcomes(self, candidate: Candidate) -> RunOutcomes:
        """Every draw of one candidate, evaluated again where all choices were priced."""
        if kept := self._kept.get(candidate.scenario.id):
            return kept
        for runs, choices in choices_of(self.request, self._central, self._drawn, [candidate.size]):
            for choice in choices:
                if choice.id == candidate.scenario.id:
                    return outcomes_of(runs.evaluated(choice), self.request.draws)
        raise KeyError(candidate.scenario.id)

    def _least_usd(self, choice: Choice) -> float:
        return least_commitment_usd(self.request.book, choice, self.request.plan.region, self.request.plan.purchase)

    def _at_most(self, uncommitted: Sequence[Scenario]) -> float:
        """What a commitment on the same run may cost and still matter; infinite without On-Demand."""
        base = next((s for s in uncommitted if s.option.family == "on-demand" and s.feasible and s.complete), None)
        if base is None:
            return math.inf
        plan = self.request.plan
        tied = (1 + NEAR) * max(cost_of(base, "p50"), cost_of(base, plan.decision.rank_by))
        return max(tied, cost_of(base, "p90"), plan.constraints.max_cost_usd or 0.0)

    def _scenario(self, entry: Evaluated, outcomes: dict[str, RunOutcomes]) -> Scenario:
        """What the decision needs to know of a choice; its draws are added to `outcomes`."""
        drawn = None
        if entry.spread is not None and not entry.why_not:
            drawn = outcomes[entry.choice.id] = outcomes_of(entry, self.request.draws)
        return outlined(self.request, entry, drawn, self._central)
