"""G: checkpoints and restarts: the share of the time that is useful, by the exact renewal formula."""

from __future__ import annotations

import math

import numpy as np

from planner.models.equation import equation
from planner.models.number import Number

_DALY = "Daly 2006 (10.1016/j.future.2004.11.016); Aupy, Robert, Vivien 2013, table 2"
_META = "arXiv 2410.21680"

# A run with less than one useful hour in a thousand counts as never finishing. The floor keeps
# the draws finite; reports show the share of draws at the floor (`unfinished_fraction`).
AVAILABILITY_FLOOR = 1e-3


def _never_up(*, mtbf_hours: float, **_: float) -> str:
    return "" if mtbf_hours > 0 else "mtbf_hours must be greater than 0"


def _show_interval(*, mtbf_hours: float, write_hours: float) -> list[str]:
    return [
        "minimise (e^((W + C)/M) - 1) / W: W = M (1 + LambertW(-e^(-C/M - 1)))",
        f"M = {mtbf_hours:g} h, C = {write_hours:g} h: W/M solves 1 - w = e^(-w - C/M)",
        f"result = {optimal_interval(mtbf_hours=mtbf_hours, write_hours=write_hours):.6g}",
    ]


@equation(
    "G4",
    "optimal-checkpoint-interval",
    units={"mtbf_hours": "h", "write_hours": "h"},
    result_unit="h of work between checkpoints",
    source=_DALY + "; W = M (1 + LambertW(-e^(-C/M - 1)))",
    show=_show_interval,
    refuse=_never_up,
)
def optimal_interval(*, mtbf_hours: Number, write_hours: Number) -> Number:
    """Hours of work between two checkpoints that minimize the expected time under exponential failures.

    Exact; Young's and Daly's formulas (G7, G8) are approximations for C much smaller than M. Solved by
    Newton's iteration on 1 - w = exp(-w - C/M), w = W/M, which is monotone from above.
    """
    ratio = np.asarray(write_hours / mtbf_hours, dtype=float)
    w = np.minimum(1.0, np.sqrt(2 * ratio))
    for _ in range(60):
        lost = -np.expm1(-w - ratio)  # 1 - e^(-w - C/M) without cancelling, for writes that take next to no time
        step = (w - lost) / lost
        w = w - step
        if np.all(np.abs(step) <= 1e-9 * w):  # the error after a step is about its square
            break
    return (w * mtbf_hours)[()]


@equation(
    "G5",
    "availability",
    units={
        "work_hours": "h of work between checkpoints",
        "write_hours": "h",
        "restart_hours": "h",
        "wait_hours": "h",
        "mtbf_hours": "h",
    },
    result_unit="fraction",
    source=_DALY,
    steps=(
        "segment = (mtbf_hours + wait_hours) * exp(min(restart_hours / mtbf_hours, 50))"
        " * expm1(min((work_hours + write_hours) / mtbf_hours, 50))",
        "result = max(work_hours / segment, 0.001)",
    ),
    refuse=_never_up,
)
def availability(
    *, work_hours: Number, write_hours: Number, restart_hours: Number, wait_hours: Number, mtbf_hours: Number
) -> Number:
    """Share of the time whose work is kept: W divided by the expected time of a segment of W, exactly.

    A segment is W hours of work and a checkpoint of C hours. Failures are exponential with mean M, and they can also
    occur during the write and the restart R. After each failure the job first waits D hours for a node, when it
    cannot fail: E[T] = (M + D) e^(R/M) (e^((W + C)/M) - 1). At least 1 in 1,000.
    """
    exponent = np.minimum((work_hours + write_hours) / mtbf_hours, 50.0)
    restart = np.minimum(restart_hours / mtbf_hours, 50.0)
    segment = (mtbf_hours + wait_hours) * np.exp(restart) * np.expm1(exponent)
    return np.maximum(work_hours / segment, AVAILABILITY_FLOOR)


@equation(
    "G6",
    "checkpoint-write-hours",
    units={"checkpoint_gb": "GB", "write_gb_per_s": "GB/s", "overhead_seconds": "s"},
    result_unit="h",
    source="stas00/ml-engineering (744d01e): BLOOM-176B paused for 40 s to write 2.3 TB",
    steps=("result = (overhead_seconds + checkpoint_gb / write_gb_per_s) / 3600",),
)
def checkpoint_write_hours(*, checkpoint_gb: Number, write_gb_per_s: Number, overhead_seconds: Number = 0.0) -> Number:
    """Hours that training pauses for one blocking checkpoint: barrier and copy, then writing the bytes."""
    return (overhead_seconds + checkpoint_gb / write_gb_per_s) / 3600


@equation(
    "G7",
    "young-interval",
    units={"mtbf_hours": "h", "write_hours": "h"},
    result_unit="h, the write included",
    source="Young 1974; Aupy, Robert, Vivien 2013, table 2",
    steps=("result = sqrt(2 * mtbf_hours * write_hours) + write_hours",),
    refuse=_never_up,
)
def young_interval(*, mtbf_hours: float, write_hours: float) -> float:
    """Young's checkpoint period, a cross-check of G4; too long if the write time is not small."""
    return math.sqrt(2 * mtbf_hours * write_hours) + write_hours


@equation(
    "G8",
    "daly-interval",
    units={"mtbf_hours": "h", "write_hours": "h", "wait_hours": "h", "restart_hours": "h"},
    result_unit="h, the write included",
    source=_DALY,
    steps=("result = sqrt(2 * (mtbf_hours + wait_hours + restart_hours) * write_hours) + write_hours",),
    refuse=_never_up,
)
def daly_interval(
    *, mtbf_hours: float, write_hours: float, wait_hours: float = 0.0, restart_hours: float = 0.0
) -> float:
    """Daly's first-order checkpoint period, a cross-check of G4."""
    return math.sqrt(2 * (mtbf_hours + wait_hours + restart_hours) * write_hours) + write_hours


@equation(
    "G9",
    "meta-ettr",
    units={
        "nodes": "nodes",
        "failures_per_1000_node_days": "1/(1000 node-days)",
        "restart_hours": "h",
        "interval_hours": "h",
        "write_hours": "h",
    },
    result_unit="fraction",
    source=_META + ", expected ETTR",
    steps=(
        "per_hour = nodes * failures_per_1000_node_days / 24000",
        "result = (1 - per_hour * (restart_hours + interval_hours / 2)) / (1 + write_hours / interval_hours)",
    ),
)
def meta_ettr(
    *,
    nodes: float,
    failures_per_1000_node_days: float,
    restart_hours: float,
    interval_hours: float,
    write_hours: float = 0.0,
) -> float:
    """Meta's first-order effective training time ratio, a cross-check of G5; negative if failures are frequent."""
    per_hour = nodes * failures_per_1000_node_days / 24_000
    return (1 - per_hour * (restart_hours + interval_hours / 2)) / (1 + write_hours / interval_hours)


@equation(
    "G10",
    "run-hours",
    units={
        "bring_up_hours": "h",
        "warm_up_hours": "h",
        "work_hours": "h at full speed",
        "input_fraction": "fraction",
        "availability_fraction": "fraction",
        "first_wait_hours": "h",
    },
    result_unit="h",
    source="work divided by the computing share (I7) and the kept share (G5) of the time, plus bring-up and warm-up",
    steps=(
        "result = first_wait_hours + bring_up_hours + warm_up_hours"
        " + work_hours / input_fraction / availability_fraction",
    ),
)
def run_hours(
    *,
    bring_up_hours: Number,
    warm_up_hours: Number,
    work_hours: Number,
    input_fraction: Number,
    availability_fraction: Number,
    first_wait_hours: Number = 0.0,
) -> Number:
    """Hours from the request for the nodes to the last paid GPU-hour of a run.

    first_wait_hours: until spot first has capacity for all nodes; nodes that are bought otherwise start at once.
    """
    return first_wait_hours + bring_up_hours + warm_up_hours + work_hours / input_fraction / availability_fraction


@equation(
    "G11",
    "restart-hours",
    units={"restart_minutes": "min", "checkpoint_gb": "GB", "cold_gb_per_s": "GB/s"},
    result_unit="h",
    source=_META + ": u0 of 5 to 20 minutes; then the checkpoint is read from S3",
    steps=("result = restart_minutes / 60 + checkpoint_gb / cold_gb_per_s / 3600",),
)
def restart_hours(*, restart_minutes: Number, checkpoint_gb: Number, cold_gb_per_s: Number) -> Number:
    """Hours from having all nodes after an interruption to training again: startup, then reading the checkpoint."""
    return restart_minutes / 60 + checkpoint_gb / cold_gb_per_s / 3600
