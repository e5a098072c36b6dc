"""The input of a comparison: a plan, a price book, and the number of draws."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date

from planner.estimate.choice import FleetSize
from planner.estimate.defaults import DEFAULT_DRAWS, DEFAULT_SEED
from planner.estimate.failures_counted import FAILURE_RATE, counted
from planner.estimate.own_prices import with_own_prices
from planner.models.values import Values
from planner.plan.assumptions import Assumption, resolve
from planner.plan.types import Plan
from pricing.book import PriceBook


@dataclass(frozen=True, kw_only=True)
class Request:
    """What to compare.

    book: it answers with the plan's own prices where there are any. as_of: the day from which ages are counted; None:
    the plan's start, else no ages. pinned: standard normal or uniform values of streams (see `Values`) in the central
    run, by name. block_stretch: by scenario id, without draws: the time for which a Capacity Block is bought, as a
    multiple of the planned hours. derivations: whether scenarios have the derivation of every number; without them, a
    comparison takes 20 % less time. fleets: to price instead of the plan's.
    """

    plan: Plan
    plan_sha256: str
    book: PriceBook
    draws: int = DEFAULT_DRAWS
    seed: int = DEFAULT_SEED
    as_of: date | None = None
    max_price_age_days: int | None = None
    pinned: Mapping[str, float] = field(default_factory=dict)
    derivations: bool = True
    block_stretch: Mapping[str, float] = field(default_factory=dict)
    fleets: tuple[FleetSize, ...] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "book", with_own_prices(self.book, self.plan))

    @property
    def start(self) -> date:
        """The first day of the run; the day of the prices if the plan has none."""
        return self.plan.start or self.book.as_of

    def table(self) -> Mapping[str, Assumption]:
        """Every assumption by key, with the plan's overrides."""
        table = dict(resolve(self.plan.assumptions))
        if self.plan.reliability.observed and FAILURE_RATE not in self.plan.assumptions:
            table[FAILURE_RATE] = counted(table[FAILURE_RATE], self.plan.reliability.observed)
        return table

    def central(self, *, recording: bool = True) -> Values:
        """Assumptions at their central values. recording: whether a run records its derivations."""
        return Values(table=self.table(), pinned=self.pinned, recording=recording)

    def drawn(self, central: Values, *, recording: bool = False) -> Values:
        """The same table in draws; both record the keys that they use together."""
        return Values(table=central.table, draws=self.draws, seed=self.seed, used=central.used, recording=recording)
