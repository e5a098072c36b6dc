"""What runs hour by hour, and what can be committed to. Money is in USD, time in whole hours from the first hour."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[np.float64]

Flags: TypeAlias = npt.NDArray[np.bool_]

PLAN_STEP = 0.001  # USD an hour: the smallest commitment, API reference of CreateSavingsPlan


class Kind(IntEnum):
    """In the order in which AWS applies them."""

    RESERVED = 0
    INSTANCE_PLAN = 1
    COMPUTE_PLAN = 2


@dataclass(frozen=True, kw_only=True)
class Usage:
    """Instances of one type that run in each hour.

    price: USD for an instance-hour that no commitment covers: On-Demand, or spot for what may be interrupted.
    hours: instances in each hour, at least 0.
    interruptible: it may run on spot, and on committed capacity that is idle.
    """

    instance_type: str
    price: float
    hours: Array
    interruptible: bool = False


@dataclass(frozen=True, kw_only=True)
class Offer:
    """Something that can be bought, or is owned already.

    rates: instance type -> what an instance-hour takes from it. Of a plan, USD at the plan's rate; of a Reserved
    Instance, a Capacity Block or a reservation, 1 for its one type.
    price: USD for each unit and hour of its time, used or not. A unit is an instance, or 1 USD an hour of a plan.
    first, last: the hours [first, last) in which it holds; hours outside the horizon cost nothing here.
    least, most: units. What is owned has both alike.
    """

    name: str
    kind: Kind
    rates: dict[str, float]
    price: float
    first: int = 0
    last: int = 2**31
    least: float = 0.0
    most: float = float("inf")

    @property
    def step(self) -> float:
        """Smallest difference of two amounts: a whole instance, or a tenth of a cent an hour."""
        return 1.0 if self.kind is Kind.RESERVED else PLAN_STEP


@dataclass(frozen=True, kw_only=True)
class Pool:
    """Offers that cover the same usage at the same rates. rates: row -> what one of its hours takes."""

    kind: Kind
    rates: dict[int, float]


@dataclass(frozen=True, kw_only=True)
class Market:
    """The usage of a horizon and everything on offer for it."""

    usage: tuple[Usage, ...]
    offers: tuple[Offer, ...]

    def __post_init__(self) -> None:
        lengths = {row.hours.shape for row in self.usage}
        if len(lengths) != 1:
            raise ValueError("every row of usage needs the same hours")
        if any(offer.least > offer.most or min(offer.rates.values(), default=1) <= 0 for offer in self.offers):
            raise ValueError("an offer needs least <= most and rates above 0")

    @cached_property
    def hours(self) -> int:
        return self.usage[0].hours.size

    @cached_property
    def demand(self) -> Array:
        """Rows x hours."""
        return np.ascontiguousarray([row.hours for row in self.usage], dtype=np.float64)

    @cached_property
    def prices(self) -> Array:
        return np.array([row.price for row in self.usage])

    @cached_property
    def _pooled(self) -> tuple[tuple[Pool, ...], tuple[int, ...]]:
        pools: dict[tuple[int, tuple[tuple[int, float], ...]], int] = {}
        member = []
        for offer in self.offers:
            rates = tuple(
                (at, offer.rates[row.instance_type])
                for at, row in enumerate(self.usage)
                if row.instance_type in offer.rates
            )
            member.append(pools.setdefault((offer.kind, rates), len(pools)))
        return tuple(Pool(kind=Kind(kind), rates=dict(rates)) for kind, rates in pools), tuple(member)

    @property
    def pools(self) -> tuple[Pool, ...]:
        return self._pooled[0]

    @property
    def pool_of(self) -> tuple[int, ...]:
        """The pool of each offer."""
        return self._pooled[1]

    @cached_property
    def spans(self) -> tuple[tuple[int, int], ...]:
        """The hours of each offer inside the horizon."""
        return tuple(
            (min(max(offer.first, 0), self.hours), min(max(offer.last, 0), self.hours)) for offer in self.offers
        )

    @cached_property
    def costs(self) -> Array:
        """USD for a unit of each offer, over its hours inside the horizon."""
        return np.array([o.price * (last - first) for o, (first, last) in zip(self.offers, self.spans, strict=True)])

    @cached_property
    def largest(self) -> Array:
        """Units of each offer beyond which nothing more can be used."""
        most = []
        for offer, pool, (first, last) in zip(self.offers, self.pool_of, self.spans, strict=True):
            rates = self.pools[pool].rates
            used = sum(self.demand[row, first:last] * rate for row, rate in rates.items())
            top = float(np.max(used, initial=0.0)) if rates else 0.0
            most.append(max(offer.least, min(offer.most, np.ceil(top / offer.step) * offer.step)))
        return np.array(most)

    @cached_property
    def _steady(self) -> bool:
        return all(span == (0, self.hours) for span in self.spans)

    def capacity(self, amounts: Array) -> Array:
        """Units of each pool in each hour: pools x hours, or pools x 1 where no offer begins or ends in the horizon."""
        if self._steady:
            return np.bincount(self.pool_of, weights=amounts, minlength=len(self.pools)).astype(np.float64)[:, None]
        steps = np.zeros((len(self.pools), self.hours + 1))
        for amount, pool, (first, last) in zip(amounts, self.pool_of, self.spans, strict=True):
            if amount:
                steps[pool, first] += amount
                steps[pool, last] -= amount
        return np.cumsum(steps[:, :-1], axis=1)

    @cached_property
    def least(self) -> Array:
        return np.array([offer.least for offer in self.offers])

    @cached_property
    def steps(self) -> Array:
        return np.array([offer.step for offer in self.offers])
