"""A comparison of any kind of plan: its rows in order, the answer, and the prices and assumptions behind them."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Generic

from planner.answer.measure import per_unit
from planner.answer.price_age import StalePrice
from planner.answer.recommend import Answer
from planner.answer.row import R
from planner.plan.assumptions import Assumption

if TYPE_CHECKING:
    from pricing.book import PriceBook


@dataclass(frozen=True, kw_only=True)
class Prices:
    """The price book of a comparison. age_days: None without a plan start or --as-of."""

    as_of: date
    age_days: int | None
    sha256: str
    intact: bool

    @classmethod
    def of(cls, book: PriceBook, day: date | None) -> Prices:
        """Of a book, with its age on a day."""
        age = None if day is None else (day - book.as_of).days
        return cls(as_of=book.as_of, age_days=age, sha256=book.sha256, intact=book.intact)


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
class Compared(Generic[R]):
    """Every choice of a plan: the recommended one, other eligible ones by decision.rank_by, complete ones that are not
    eligible, lower bounds by planned cost, infeasible ones.

    relaxations: the nearest changes of the plan with which a choice is eligible; empty unless none is and the caller
    searched for them.
    """

    plan_name: str
    plan_sha256: str
    region: str
    prices: Prices
    seed: int
    draws: int
    scenarios: tuple[R, ...]
    answer: Answer
    assumptions: tuple[Assumption, ...]
    notes: tuple[str, ...]
    stale: tuple[StalePrice, ...]
    relaxations: tuple[Relaxation, ...] = ()

    @property
    def best(self) -> R | None:
        """The recommended scenario."""
        return next((s for s in self.complete if s.id == self.answer.recommended), None)

    @property
    def complete(self) -> list[R]:
        """The feasible scenarios in which every line has a price."""
        return [s for s in self.scenarios if s.feasible and s.complete and s.cost_usd]

    @property
    def cheapest(self) -> R | None:
        """The complete scenario with the lowest planned cost, whether it is eligible or not."""
        return min(self.complete, key=lambda s: (per_unit(s, "planned"), s.id), default=None)

    @property
    def safest(self) -> R | None:
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
