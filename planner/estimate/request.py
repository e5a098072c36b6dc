"""The input of a comparison: a plan, a price book, how many draws."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date

from planner.estimate.defaults import DEFAULT_DRAWS, DEFAULT_SEED
from planner.models.values import Values
from planner.plan.assumptions import Assumption, resolve
from planner.plan.types import Plan
from pricing.book import PriceBook


@dataclass(frozen=True, kw_only=True)
class Request:
    """What to compare.

    as_of: the day that ages are counted from; None: the plan's start, else no ages.
    fixed: central values of assumptions instead of the plan's, by key, as `--set assumptions.KEY=VALUE` has them.
    pinned: standard normal or uniform values of streams (see `Values`) for the central run, by name.
    derivations: whether scenarios carry the derivation of every number; without, a comparison is a fifth faster.
    """

    plan: Plan
    plan_sha256: str
    book: PriceBook
    draws: int = DEFAULT_DRAWS
    seed: int = DEFAULT_SEED
    as_of: date | None = None
    max_price_age_days: int | None = None
    fixed: Mapping[str, float] = field(default_factory=dict)
    pinned: Mapping[str, float] = field(default_factory=dict)
    derivations: bool = True

    @property
    def start(self) -> date:
        """The first day of the run; the day of the prices where the plan names none."""
        return self.plan.start or self.book.as_of

    def table(self) -> Mapping[str, Assumption]:
        """Every assumption by key, the plan's overrides and the fixed values put in."""
        table = dict(resolve(self.plan.assumptions))
        for key, value in self.fixed.items():
            entry = table[key]
            table[key] = replace(entry, value=value, low=min(entry.low, value), high=max(entry.high, value))
        return table

    def central(self, *, recording: bool = True) -> Values:
        """Assumptions at their central values. recording: whether a run records its derivations."""
        return Values(table=self.table(), pinned=self.pinned, recording=recording)

    def drawn(self, central: Values, *, recording: bool = False) -> Values:
        """The same table in draws; what they use is noted with what the central run uses."""
        return Values(table=central.table, draws=self.draws, seed=self.seed, used=central.used, recording=recording)
