"""What a plan expects of the stack that stands, as ranges: rates of storage, times of checkpoints, starts.

All of it is read from the scenario's own evaluation, at central values and in draws.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from planner.decide.enumerate import evaluate
from planner.estimate.evaluate import Evaluated
from planner.estimate.request import Request
from planner.estimate.run import Run
from planner.layouts.base import Service
from planner.models.number import Number, quantiles
from planner.models.values import Values
from planner.plan.assumptions import Assumption

Table = Mapping[str, Assumption]
P5, P95 = 0.05, 0.95

READS = (
    "converged.read_efficiency_fraction",
    "converged.get_requests_per_second_per_target",
    "s3.read_gb_per_s_per_node",
    "s3.get_requests_per_second_per_prefix",
    "lustre.client_gb_per_s",
)
FROM_S3 = ("s3.read_gb_per_s_per_node", "s3.get_requests_per_second_per_prefix", "lustre.lazy_load_fraction")
WRITES = ("s3.write_gb_per_s_per_node", "converged.drive_write_gb_per_s", "lustre.client_gb_per_s")
STARTS = ("goodput.bring_up_hours",)


@dataclass(frozen=True, kw_only=True)
class Quantity:
    """Something that a plan expects and a stack shows. knobs: assumptions that decide it, the first that reaches the
    measured value is the one that the next plan takes. of: from the service, its value in GB/s, as far as knobs move
    it; None where the one knob is the value itself."""

    id: str
    what: str
    unit: str
    more_is_better: bool
    knobs: tuple[str, ...]
    planned: Callable[[Run, Values], Number]
    of: Callable[[Service], Number] | None = None


def _seconds(gb_per_s: Callable[[Service], Number]) -> Callable[[Run, Values], Number]:
    """Of one checkpoint of the planned size."""
    return lambda run, _: run.demand.checkpoint_bytes / 1e9 / gb_per_s(run.service)


def _reads(service: Service) -> Number:
    return service.warm_gb_per_s


def _writes(service: Service) -> Number:
    return service.write_gb_per_s


def _cold(service: Service) -> Number:
    return service.cold_gb_per_s


READ, SAVE, RESTORE, BOOT = "read", "checkpoint-save", "checkpoint-restore", "boot"
QUANTITIES = (
    Quantity(
        id=READ,
        what="reads of all nodes at once",
        unit="GB/s",
        more_is_better=True,
        knobs=READS,
        planned=lambda run, _: _reads(run.service),
        of=_reads,
    ),
    Quantity(
        id=SAVE,
        what="bytes of one checkpoint into storage",
        unit="s",
        more_is_better=False,
        knobs=WRITES,
        planned=_seconds(_writes),
        of=_writes,
    ),
    Quantity(
        id=RESTORE,
        what="bytes of one checkpoint out of S3",
        unit="s",
        more_is_better=False,
        knobs=FROM_S3,
        planned=_seconds(_cold),
        of=_cold,
    ),
    Quantity(
        id=BOOT,
        what="slowest node from its launch until it was ready",
        unit="h",
        more_is_better=False,
        knobs=STARTS,
        planned=lambda _, values: values[STARTS[0]],
    ),
)


@dataclass(frozen=True, kw_only=True)
class Expected:
    """A quantity's planned value with its 5th and 95th percentile."""

    quantity: Quantity
    low: float
    planned: float
    high: float


def evaluated(request: Request, scenario: str, table: Table | None = None) -> Evaluated:
    """One scenario: sizes, counts and intervals are those of the plan, since they stand; the draws are those of `table`
    (None: the plan's). Raises LookupError for a scenario that the plan has not."""
    central = request.central(recording=False)
    drawn = Values(
        table=table or central.table, draws=request.draws, seed=request.seed, used=central.used, recording=False
    )
    found = next(iter(evaluate(request, central, drawn, only=[scenario])), None)
    if found is None or found.planned is None or found.spread is None:
        raise LookupError(f"the plan has no scenario {scenario} that can be had")
    return found


def expected_of(request: Request, found: Evaluated) -> tuple[Expected, ...]:
    """Every quantity of a scenario that can be had."""
    assert found.planned is not None
    assert found.spread is not None
    central = request.central(recording=False)
    drawn = request.drawn(central)
    return tuple(
        _expected(one, one.planned(found.planned.run, central), one.planned(found.spread.run, drawn))
        for one in QUANTITIES
    )


def read_at(request: Request, scenario: str, object_bytes: float) -> Expected:
    """Reads of objects of another size than the plan's: small ones are limited by requests."""
    plan = request.plan.model_copy(update={"data": request.plan.data.model_copy(update={"shard_bytes": object_bytes})})
    other = replace(request, plan=plan)
    found = evaluated(other, scenario)
    return next(one for one in expected_of(other, found) if one.quantity.id == READ)


def _expected(quantity: Quantity, planned: Number, drawn: Number) -> Expected:
    low, high = quantiles(np.atleast_1d(np.asarray(drawn, dtype=float)), (P5, P95))
    return Expected(quantity=quantity, low=low, planned=float(planned), high=high)
