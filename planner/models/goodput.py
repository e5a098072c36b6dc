"""G: failures, checkpoints, restarts and spares: the share of the time that is useful, by the exact renewal formula."""

from __future__ import annotations

import math

import numpy as np

from planner.models.equation import equation
from planner.models.number import Number
from pricing.offers import HOURS_PER_MONTH

_DALY = "Daly 2006 (10.1016/j.future.2004.11.016); Aupy, Robert, Vivien 2013, table 2"
_META = "arXiv 2410.21680"

# A run with less than one useful hour in a thousand counts as never finishing. The floor keeps
# the draws finite; reports show the share of draws at the floor (`unfinished_fraction`).
AVAILABILITY_FLOOR = 1e-3


def _never_up(*, mtbf_hours: float, **_: float) -> str:
    return "" if mtbf_hours > 0 else "mtbf_hours must be greater than 0"


@equation(
    "G1",
    "platform-mtbf",
    units={
        "nodes": "nodes",
        "failures_per_1000_node_days": "1/(1000 node-days)",
        "hazard_per_node_hour": "1/h",
    },
    result_unit="h",
    source=_META + ": 6.50 per 1,000 node-days gives 1.8 h at 16,384 GPUs",
    steps=("result = 1 / (nodes * (failures_per_1000_node_days / 24000 + hazard_per_node_hour))",),
)
def platform_mtbf(*, nodes: Number, failures_per_1000_node_days: Number, hazard_per_node_hour: Number = 0.0) -> Number:
    """Mean hours between interruptions of a job that needs all its nodes.

    Node failures are exponential and independent; a second hazard rate (spot interruptions) is added to the first.
    """
    return 1.0 / (nodes * (failures_per_1000_node_days / 24_000 + hazard_per_node_hour))


@equation(
    "G2",
    "spot-hazard",
    units={"monthly_reclaim_fraction": "fraction"},
    result_unit="1/h per node",
    source="AWS Spot Advisor: share of instances interrupted in the last month",
    steps=("result = -log(1 - monthly_reclaim_fraction) / 730",),
)
def spot_hazard(*, monthly_reclaim_fraction: float) -> float:
    """Constant hourly hazard rate of one spot node that gives Spot Advisor's share of interruptions in a month.

    Limits: optimistic for a large job: Spot Advisor averages over all users of the type, and the published
    traces of scarce capacity show several losses per node-day.
    """
    return -math.log(1.0 - monthly_reclaim_fraction) / HOURS_PER_MONTH


def _show_no_spare(*, failures_per_hour: float, replacement_hours: float, spares: int) -> list[str]:
    mean = failures_per_hour * replacement_hours
    found = no_spare_probability(
        failures_per_hour=failures_per_hour, replacement_hours=replacement_hours, spares=int(spares)
    )
    return [
        f"mean nodes out of service m = {failures_per_hour:g} x {replacement_hours:g} = {mean:.6g}",
        f"P(out of service >= {int(spares)}) = 1 - sum over k < {int(spares)} of e^-m m^k / k!",
        f"result = {found:.6g}",
    ]


@equation(
    "G3",
    "no-spare-probability",
    units={"failures_per_hour": "1/h", "replacement_hours": "h", "spares": "nodes"},
    result_unit="fraction",
    source="Poisson arrivals see time averages: the number out of service is Poisson(rate x time)",
    show=_show_no_spare,
)
def no_spare_probability(*, failures_per_hour: Number, replacement_hours: Number, spares: int) -> Number:
    """Probability that all spares are in use when a node fails, so that the job waits for a new node.

    Limits: every failed node, spare or not, is replaced after the same mean time; failures of waiting
    spares are ignored.
    """
    mean = np.maximum(np.asarray(failures_per_hour * replacement_hours, dtype=float), 1e-300)
    # in logarithms, since e^-m is 0 for a mean beyond 745; terms this far above every mean add nothing
    largest = float(np.max(mean))
    reach = min(int(spares), math.ceil(largest + 12 * math.sqrt(largest) + 40))
    below = np.zeros_like(mean)
    for k in range(reach):
        below = below + np.exp(k * np.log(mean) - mean - math.lgamma(k + 1))
    return np.clip(1.0 - below, 0.0, 1.0)[()]


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
def optimal_interval(*, mtbf_hours: float, write_hours: float) -> float:
    """Hours of work between two checkpoints that minimize the expected time under exponential failures.

    Exact; Young's and Daly's formulas (G7, G8) are approximations for C much smaller than M. Solved by
    Newton's iteration on 1 - w = exp(-w - C/M), w = W/M, which is monotone from above.
    """
    ratio = write_hours / mtbf_hours
    w = min(1.0, math.sqrt(2 * ratio))
    for _ in range(60):
        lost = -math.expm1(-w - ratio)  # 1 - e^(-w - C/M) without cancelling, for writes that take next to no time
        step = (w - lost) / lost
        w -= step
        if abs(step) <= 1e-15 * w:
            break
    return w * mtbf_hours


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
    },
    result_unit="h",
    source="work divided by the computing share (I7) and the kept share (G5) of the time, plus bring-up and warm-up",
    steps=("result = bring_up_hours + warm_up_hours + work_hours / input_fraction / availability_fraction",),
)
def run_hours(
    *,
    bring_up_hours: Number,
    warm_up_hours: Number,
    work_hours: Number,
    input_fraction: Number,
    availability_fraction: Number,
) -> Number:
    """Hours from the first to the last paid GPU-hour of a run."""
    return bring_up_hours + warm_up_hours + work_hours / input_fraction / availability_fraction


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


@equation(
    "G12",
    "mean-wait-hours",
    units={
        "mtbf_hours": "h",
        "failures_per_hour": "1/h",
        "no_spare_fraction": "fraction",
        "replacement_hours": "h",
        "reclaims_per_hour": "1/h",
        "gang_wait_hours": "h",
    },
    result_unit="h",
    source="derived here: mean of the waits after failures and after spot interruptions, weighted by their frequency",
    steps=(
        "result = mtbf_hours * (failures_per_hour * no_spare_fraction * replacement_hours"
        " + reclaims_per_hour * gang_wait_hours)",
    ),
)
def mean_wait_hours(
    *,
    mtbf_hours: Number,
    failures_per_hour: Number,
    no_spare_fraction: Number,
    replacement_hours: Number,
    reclaims_per_hour: Number = 0.0,
    gang_wait_hours: Number = 0.0,
) -> Number:
    """Mean hours of waiting for nodes after an interruption.

    A failure waits for a new node if no spare is left; a spot interruption waits for all nodes.
    """
    return mtbf_hours * (
        failures_per_hour * no_spare_fraction * replacement_hours + reclaims_per_hour * gang_wait_hours
    )


@equation(
    "G13",
    "unheld-hours",
    units={
        "training_hours": "h",
        "mtbf_hours": "h",
        "wait_hours": "h",
        "reclaims_per_hour": "1/h",
        "gang_wait_hours": "h",
    },
    result_unit="h",
    source="derived here from G5: the job waits D / (M + D) of the time; in the traces it has all nodes or none",
    steps=(
        "gang_wait = mtbf_hours * reclaims_per_hour * gang_wait_hours",
        "result = training_hours * gang_wait / (mtbf_hours + wait_hours)",
    ),
)
def unheld_hours(
    *,
    training_hours: Number,
    mtbf_hours: Number,
    wait_hours: Number,
    reclaims_per_hour: Number = 0.0,
    gang_wait_hours: Number = 0.0,
) -> Number:
    """Hours in which an interrupted spot job waits for capacity: it has no nodes, so none are billed.

    G5 is proportional to M + D, so the job waits D / (M + D) of the time; this is the part after spot interruptions.
    A job has all its nodes or none: so do 94 % of the traces' samples.
    """
    return training_hours * (mtbf_hours * reclaims_per_hour * gang_wait_hours) / (mtbf_hours + wait_hours)
