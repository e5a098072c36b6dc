"""Samples per second of a fleet: rows of the plan's table, or a fit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.estimate.place import PhaseIds
from planner.models.number import Number, scalar
from planner.models.sheet import Sheet
from planner.models.values import Values
from planner.models.workload import strong_scaling_throughput, throughput_spread
from planner.plan.training_types import ThroughputRow

ROWS = "GPUs:samples/s, ..."


@dataclass(frozen=True, kw_only=True)
class Throughput:
    """Samples per second of a fleet, planned, and how far the 90 % interval reaches down and up, as fractions."""

    samples_per_second: float
    slower: Number
    faster: Number
    extrapolated: bool
    note: str = ""


def throughput_at(
    rows: tuple[ThroughputRow, ...], gpus: int, scaling: str, values: Values, place: PhaseIds, sheet: Sheet
) -> Throughput:
    """The row for this size; otherwise the strong-scaling fit over the measured rows, or linear scaling if the plan
    says so."""
    measured = tuple((row.gpus, row.samples_per_second) for row in rows if row.measured)
    every = tuple((row.gpus, row.samples_per_second) for row in rows)
    name, table, wanted = place.id("samples_per_second"), place.plan("throughput"), (gpus, "run:gpus", "GPUs")
    largest = max((n for n, _ in measured), default=0)
    faster = values["workload.error_per_doubling_fraction"]
    slower = values["workload.shortfall_per_doubling_fraction"]
    listed = {row.gpus: row for row in rows}.get(gpus)
    beyond = gpus > largest
    if listed is None and scaling == "linear":
        near, rate = min(measured or every, key=lambda r: abs(r[0] - gpus))
        # one-sided: a larger fleet is at most as fast as linear scaling says, and a smaller one at least
        doublings = float(np.log2(gpus / near))
        return Throughput(
            samples_per_second=sheet.arithmetic(
                name,
                rate * gpus / near,
                "samples/s",
                "row(rows, nearest) * gpus / nearest",
                "scaled linearly from the nearest row (`run.scaling: linear`)",
                rows=(every, table, ROWS),
                gpus=wanted,
                nearest=(near, "rule:the row of the table nearest to these GPUs", "GPUs"),
            ),
            slower=max(doublings, 0.0) * slower,
            faster=max(-doublings, 0.0) * faster,
            extrapolated=beyond,
            note=f"throughput at {gpus} GPUs scaled linearly from {near} (run.scaling: linear)",
        )
    if listed is None:
        note = f"throughput at {gpus} GPUs is fitted, t(n) = a/n + b, over rows at " + ", ".join(
            str(n) for n, _ in measured
        )
        return Throughput(
            samples_per_second=scalar(
                sheet.equation(name, strong_scaling_throughput, rows=(measured, table), gpus=(gpus, "run:gpus"))
            ),
            slower=throughput_spread(rows=measured, gpus=gpus, error_per_doubling_fraction=slower),
            faster=throughput_spread(rows=measured, gpus=gpus, error_per_doubling_fraction=faster),
            extrapolated=beyond,
            note=note + (f": extrapolated beyond {largest}" if beyond else ""),
        )
    rows_input = (every, table, ROWS)
    sheet.arithmetic(name, listed.samples_per_second, "samples/s", "row(rows, gpus)", rows=rows_input, gpus=wanted)
    if listed.measured:
        # a measured row varies by workload.throughput_factor alone
        return Throughput(samples_per_second=listed.samples_per_second, slower=0.0, faster=0.0, extrapolated=False)

    def spread(per_doubling: Number) -> Number:
        if len({n for n, _ in measured}) >= 2:
            return throughput_spread(rows=measured, gpus=gpus, error_per_doubling_fraction=per_doubling)
        return per_doubling * max(1.0, float(np.log2(gpus / largest))) if largest else per_doubling

    return Throughput(
        samples_per_second=listed.samples_per_second,
        slower=spread(slower),
        faster=spread(faster),
        extrapolated=True,
        note=f"throughput at {gpus} GPUs is listed but not measured: extrapolated",
    )
