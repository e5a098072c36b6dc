"""G: how often a job is interrupted, and how long it then waits for nodes."""

from __future__ import annotations

import math

import numpy as np

from planner.models.equation import equation
from planner.models.number import Number
from pricing.offers import HOURS_PER_MONTH

_META = "arXiv 2410.21680"


@equation(
    "G1",
    "platform-mtbf",
    units={
        "nodes": "nodes",
        "failures_per_1000_node_days": "1/(1000 node-days)",
        "hazard_per_node_hour": "1/h",
        "gang_interruptions_per_hour": "1/h",
    },
    result_unit="h",
    source=_META + ": 6.50 per 1,000 node-days gives 1.8 h at 16,384 GPUs",
    steps=(
        "result = 1 / (nodes * (failures_per_1000_node_days / 24000 + hazard_per_node_hour)"
        " + gang_interruptions_per_hour)",
    ),
)
def platform_mtbf(
    *,
    nodes: Number,
    failures_per_1000_node_days: Number,
    hazard_per_node_hour: Number = 0.0,
    gang_interruptions_per_hour: Number = 0.0,
) -> Number:
    """Mean hours between interruptions of a job that needs all its nodes.

    Node failures are exponential and independent; so are spot interruptions of single nodes, a second hazard rate.
    Spot interruptions that stop all nodes at once come as often for a large fleet as for a small one.
    """
    per_node = failures_per_1000_node_days / 24_000 + hazard_per_node_hour
    return 1.0 / (nodes * per_node + gang_interruptions_per_hour)


@equation(
    "G2",
    "spot-hazard",
    units={"monthly_reclaim_fraction": "fraction"},
    result_unit="1/h per node",
    source="AWS Spot Advisor: share of instances interrupted in the last month",
    steps=("result = -log(1 - monthly_reclaim_fraction) / 730",),
)
def spot_hazard(*, monthly_reclaim_fraction: Number) -> Number:
    """Constant hourly hazard rate of one spot node that gives Spot Advisor's share of interruptions in a month.

    Limits: for calm markets. Spot Advisor averages over all users of the type; in scarce markets, published traces
    show a gang of nodes interrupted 3 to 14 times a day.
    """
    return (-np.log(1.0 - np.asarray(monthly_reclaim_fraction)) / HOURS_PER_MONTH)[()]


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
    """Probability that all spares are in use when a node of a held fleet fails, so that it misses a node.

    Limits: every failed node is replaced after the same mean time, and the others go on and fail meanwhile, so that it
    is of fleets that are held; a job that needs all its nodes stands still meanwhile (G26). Failures of waiting spares
    are ignored.
    """
    mean = np.maximum(np.asarray(failures_per_hour * replacement_hours, dtype=float), 1e-300)
    # in logarithms, since e^-m is 0 for a mean beyond 745; terms this far above every mean add nothing
    largest = float(np.max(mean))
    reach = min(int(spares), math.ceil(largest + 12 * math.sqrt(largest) + 40))
    below = np.zeros_like(mean)
    for k in range(reach):
        below = below + np.exp(k * np.log(mean) - mean - math.lgamma(k + 1))
    return np.clip(1.0 - below, 0.0, 1.0)[()]


def _show_wait(*, failures_per_hour: float, replacement_hours: float, spares: int) -> list[str]:
    mean, blocked = failures_per_hour * replacement_hours, 1.0
    lines = [f"mean m = {failures_per_hour:g} x {replacement_hours:g} = {mean:.6g}; B(0) = 1"]
    for k in range(1, int(spares) + 1):
        blocked = mean * blocked / (k + mean * blocked)
        lines.append(f"B({k}) = m B({k - 1}) / ({k} + m B({k - 1})) = {blocked:.6g}")
    result = blocked * replacement_hours / (int(spares) + 1)
    return [*lines, f"result = B({int(spares)}) x {replacement_hours:g} / {int(spares) + 1} = {result:.6g}"]


@equation(
    "G26",
    "spare-wait-hours",
    units={"failures_per_hour": "1/h", "replacement_hours": "h", "spares": "nodes"},
    result_unit="h",
    source="Erlang's loss formula, which holds for any distribution of repair times; simulated in tests/models",
    show=_show_wait,
)
def spare_wait_hours(*, failures_per_hour: Number, replacement_hours: Number, spares: int) -> Number:
    """Mean hours that a job waits for a node after a node fails, if it needs all its nodes.

    It waits only where all s spares are in use (probability B, Erlang's loss formula: a job that stands still has no
    further failures), and then for the first of the s + 1 nodes under replacement: B T / (s + 1) on average.

    Limits: every failed node is replaced after the same mean time T; failures of waiting spares are ignored.
    """
    mean = np.asarray(failures_per_hour * replacement_hours, dtype=float)
    blocked = np.ones_like(mean)
    for k in range(1, int(spares) + 1):
        blocked = mean * blocked / (k + mean * blocked)
        if np.all(blocked < 1e-300):
            return np.zeros_like(mean)[()]
    return (blocked * replacement_hours / (int(spares) + 1))[()]


@equation(
    "G12",
    "mean-wait-hours",
    units={
        "mtbf_hours": "h",
        "failures_per_hour": "1/h",
        "node_wait_hours": "h",
        "reclaims_per_hour": "1/h",
        "gang_wait_hours": "h",
    },
    result_unit="h",
    source="derived here: mean of the waits after failures and after spot interruptions, weighted by their frequency",
    steps=("result = mtbf_hours * (failures_per_hour * node_wait_hours + reclaims_per_hour * gang_wait_hours)",),
)
def mean_wait_hours(
    *,
    mtbf_hours: Number,
    failures_per_hour: Number,
    node_wait_hours: Number,
    reclaims_per_hour: Number = 0.0,
    gang_wait_hours: Number = 0.0,
) -> Number:
    """Mean hours of waiting for nodes after an interruption.

    failures_per_hour: losses of one node (a failure, or a spot interruption in a calm market), after each of which the
    job waits node_wait_hours on average (G26). A spot interruption of the whole gang waits for all nodes.
    """
    return mtbf_hours * (failures_per_hour * node_wait_hours + reclaims_per_hour * gang_wait_hours)


@equation(
    "G13",
    "unheld-hours",
    units={
        "training_hours": "h",
        "mtbf_hours": "h",
        "wait_hours": "h",
        "reclaims_per_hour": "1/h",
        "gang_wait_hours": "h",
        "node_reclaims_per_hour": "1/h",
        "replacement_hours": "h",
        "nodes": "nodes",
    },
    result_unit="h",
    source="derived here from G5: the job waits D / (M + D) of the time; in the traces it has all nodes or none",
    steps=(
        "gang_wait = mtbf_hours * reclaims_per_hour * gang_wait_hours",
        "node_wait = mtbf_hours * node_reclaims_per_hour * replacement_hours / nodes",
        "result = training_hours * (gang_wait + node_wait) / (mtbf_hours + wait_hours)",
    ),
)
def unheld_hours(
    *,
    training_hours: Number,
    mtbf_hours: Number,
    wait_hours: Number,
    reclaims_per_hour: Number = 0.0,
    gang_wait_hours: Number = 0.0,
    node_reclaims_per_hour: Number = 0.0,
    replacement_hours: Number = 0.0,
    nodes: Number = 1.0,
) -> Number:
    """Hours, averaged over the nodes, in which an interrupted spot job has no node to bill.

    G5 is proportional to M + D, so the job waits D / (M + D) of the time. After an interruption of the whole gang no
    node is billed: a job has all its nodes or none in 94 % of the traces' samples. After the loss of one node, that
    node is not billed until it is replaced; the survivors are.
    """
    gang_wait = mtbf_hours * reclaims_per_hour * gang_wait_hours
    node_wait = mtbf_hours * node_reclaims_per_hour * replacement_hours / nodes
    return training_hours * (gang_wait + node_wait) / (mtbf_hours + wait_hours)
