"""A comparison: every scenario of a plan, ranked, with the prices and assumptions behind them."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from planner.decide.measure import per_unit
from planner.decide.narrow import Searched
from planner.decide.price_age import StalePrice
from planner.decide.recommend import Answer
from planner.estimate.ranges import Range
from planner.estimate.result import Scenario
from planner.plan.assumptions import Assumption


@dataclass(frozen=True, kw_only=True)
class Prices:
    """The price book of a comparison. age_days: None without a plan start or --as-of."""

    as_of: date
    age_days: int | None
    sha256: str
    intact: bool


@dataclass(frozen=True, kw_only=True)
class Relaxation:
    """A change of the plan with which a scenario is eligible.

    settings: `path=value`, as in `--set`. scenario: the recommended one after the change; its cost is a lower bound if
    it is not complete.
    """

    settings: tuple[str, ...]
    scenario: str
    cost_usd: float
    days: float
    complete: bool

    @property
    def options(self) -> str:
        """`--set run.deadline=5.26d`, quoted for a shell."""
        return " ".join(f"--set {shlex.quote(setting)}" for setting in self.settings)


@dataclass(frozen=True, kw_only=True)
class Proposal:
    """A change of the plan with which a scenario costs clearly less than the recommended one, and may be recommended.

    kind: "spares", "count" (a node count that fits a Capacity Block better) or "block" (a longer one). setting:
    `path=value`, as in `--set`. scenario: after the change; instead_of: the same choice as planned.
    """

    kind: str
    setting: str
    scenario: Scenario
    instead_of: Scenario


@dataclass(frozen=True, kw_only=True)
class Step:
    """A phase that speeds up later ones. number: in the plan, from 1.

    done, left_out: one scenario with the phase and without it; free: as if the phase had been done before.
    """

    number: int
    name: str
    speedup: float
    done: Scenario
    left_out: Scenario
    free: Scenario


@dataclass(frozen=True, kw_only=True)
class Electricity:
    """Of the GPU nodes of one scenario: kWh with the building's overhead, and kg of CO2."""

    scenario: Scenario
    kwh: Range
    kg_co2: Range


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Every scenario of a plan: the recommended one, other eligible ones by decision.rank_by, complete ones that are
    not eligible, lower bounds by planned cost, infeasible ones.

    relaxations: the nearest changes of the plan with which a scenario is eligible; empty unless none is and the caller
    searched for them. searched: the node counts that were priced, where only some are among the scenarios. proposals:
    changes worth acting on, if the caller asked for them; likewise steps: phases that speed up later ones,
    and the electricity of the recommended scenario.
    """

    plan_name: str
    plan_sha256: str
    region: str
    prices: Prices
    seed: int
    draws: int
    scenarios: tuple[Scenario, ...]
    answer: Answer
    assumptions: tuple[Assumption, ...]
    notes: tuple[str, ...]
    stale: tuple[StalePrice, ...]
    plan: Mapping[str, object]
    relaxations: tuple[Relaxation, ...] = ()
    searched: Searched | None = None
    proposals: tuple[Proposal, ...] = ()
    steps: tuple[Step, ...] = ()
    electricity: Electricity | None = None

    @property
    def best(self) -> Scenario | None:
        """The recommended scenario."""
        return next((s for s in self.complete if s.id == self.answer.recommended), None)

    @property
    def complete(self) -> list[Scenario]:
        """The feasible scenarios in which every line has a price."""
        return [s for s in self.scenarios if s.feasible and s.complete and s.cost_usd]

    @property
    def cheapest(self) -> Scenario | None:
        """The complete scenario with the lowest planned cost, whether it is eligible or not."""
        return min(self.complete, key=lambda s: (per_unit(s, "planned"), s.id), default=None)

    @property
    def safest(self) -> Scenario | None:
        """The eligible scenario with the lowest P90; of those that can be deployed, if there are any."""
        eligible = [s for s in self.scenarios if s.eligible]
        return min(eligible, key=lambda s: (s.held_back, per_unit(s, "p90"), s.id), default=None)

    @property
    def weak_lines(self) -> tuple[str, ...]:
        """Lines that count as unpriced with --strict: unpriced, bounded, grade C, or carried back in time."""
        found: dict[str, None] = {}
        for scenario in self.scenarios:
            if not scenario.feasible:
                continue
            for missing in scenario.unpriced:
                found[f"{scenario.id} {missing.line}: no price for {missing.what}"] = None
            for line in scenario.bill:
                if line.bounded:
                    found[f"{scenario.id} {line.line}: bounded by other Regions' prices, {line.price_date}"] = None
                elif line.price_grade == "C" or line.carried_back:
                    why = "grade C" if line.price_grade == "C" else "carried back in time"
                    found[f"{scenario.id} {line.line}: {why}, {line.price_date}"] = None
        return tuple(found)
