"""C: cost of the GPU nodes with each purchase option, over the dates of the run."""

from __future__ import annotations

import numpy as np

from planner.models.block_sizes import BLOCK_MAX_DAYS
from planner.models.equation import equation
from planner.models.number import Number

BLOCK_MAX_NODES = 256
BLOCK_LOST_TAIL_HOURS = 0.5  # instances are terminated from 30 minutes before the block's end
_BLOCKS = "EC2 User Guide, Capacity Blocks: 1-day steps to 14 days, 7-day steps to 182, 64 instances per block"


@equation(
    "C1",
    "instance-cost",
    units={"node_hours": "h", "usd_per_hour": "USD/h"},
    result_unit="USD",
    source="EC2 On-Demand pricing: by the second, shown by the hour",
    steps=("result = node_hours * usd_per_hour",),
)
def instance_cost(*, node_hours: Number, usd_per_hour: Number) -> Number:
    """Cost of instance-hours at an hourly rate."""
    return node_hours * usd_per_hour


@equation(
    "C2",
    "gpu-hours-cost",
    units={"gpu_hours": "GPU-hours", "usd_per_hour": "USD/h per node", "gpus_per_node": "GPUs"},
    result_unit="USD",
    source="150,000 A100-hours at 32.7726 USD/h per 8 GPUs is 614,486 USD",
    steps=("result = gpu_hours / gpus_per_node * usd_per_hour",),
)
def gpu_hours_cost(*, gpu_hours: Number, usd_per_hour: Number, gpus_per_node: Number = 8) -> Number:
    """List price of GPU-hours: hours x price, without failures or waiting."""
    return gpu_hours / gpus_per_node * usd_per_hour


@equation(
    "C3",
    "commitment-used",
    units={"nodes": "nodes", "run_hours": "h", "usd_per_hour": "USD/h"},
    result_unit="USD",
    source="AWS: Reserved Instances and Savings Plans bill every hour of the term, used or not",
    steps=("result = nodes * run_hours * usd_per_hour",),
)
def commitment_used(*, nodes: Number, run_hours: Number, usd_per_hour: Number) -> Number:
    """Cost of the hours of a commitment that the run uses."""
    return nodes * run_hours * usd_per_hour


@equation(
    "C4",
    "commitment-unused",
    units={
        "nodes": "nodes",
        "run_hours": "h",
        "term_hours": "h",
        "usd_per_hour": "USD/h",
        "reuse_value_fraction": "fraction",
    },
    result_unit="USD",
    source="AWS: Reserved Instances and Savings Plans bill every hour of the term, used or not",
    steps=(
        "terms = ceil(run_hours / term_hours)",
        "unused_hours = nodes * (terms * term_hours - run_hours)",
        "result = unused_hours * usd_per_hour * (1 - reuse_value_fraction)",
    ),
)
def commitment_unused(
    *,
    nodes: Number,
    run_hours: Number,
    term_hours: Number,
    usd_per_hour: Number,
    reuse_value_fraction: Number = 0.0,
) -> Number:
    """Cost of the unused hours of a commitment, minus the share that other work in the company uses.

    run_hours: those at its rate (C13); more than a term of them need another full term.
    """
    terms = np.ceil(run_hours / term_hours)
    return nodes * (terms * term_hours - run_hours) * usd_per_hour * (1 - reuse_value_fraction)


def usable_hours(days: Number) -> Number:
    """Hours for which a Capacity Block of so many days has nodes."""
    return days * 24 - BLOCK_LOST_TAIL_HOURS


def _no_such_length(*, run_hours: float) -> str:
    limit = usable_hours(BLOCK_MAX_DAYS)
    return f"a Capacity Block lasts at most {BLOCK_MAX_DAYS} days" if run_hours > limit else ""


def _no_such_block(*, nodes: float, block_days: float, usd_per_hour: float) -> str:
    if nodes > BLOCK_MAX_NODES or nodes != int(nodes) or nodes < 1:
        return f"Capacity Blocks hold 1 to {BLOCK_MAX_NODES} whole instances"
    whole = block_days == int(block_days) and (1 <= block_days <= 14 or block_days % 7 == 0)
    return "" if whole and block_days <= BLOCK_MAX_DAYS else "blocks last 1 to 14 days, then whole weeks to 182 days"


@equation(
    "C5",
    "block-days",
    units={"run_hours": "h"},
    result_unit="days",
    source=_BLOCKS + "; the last 30 minutes are lost",
    steps=(
        "days = max(1, ceil((run_hours + 0.5) / 24))",
        "result = days if days <= 14 else 7 * ceil(days / 7)",
    ),
    refuse=_no_such_length,
)
def block_days(*, run_hours: Number) -> Number:
    """Days of Capacity Block to buy for a run: whole days up to 14, then whole weeks.

    AWS terminates the instances from 30 minutes before the end, so the block must be that much longer than the run.
    AWS sells no single block longer than 182 days.
    """
    days = np.maximum(1.0, np.ceil((run_hours + BLOCK_LOST_TAIL_HOURS) / 24))
    return np.where(days <= 14, days, 7 * np.ceil(days / 7))[()]


@equation(
    "C6",
    "block-fee",
    units={"nodes": "nodes", "block_days": "days", "usd_per_hour": "USD/h"},
    result_unit="USD",
    source=_BLOCKS + "; the fee for all hours is paid at purchase",
    steps=("result = nodes * block_days * 24 * usd_per_hour",),
    refuse=_no_such_block,
)
def block_fee(*, nodes: Number, block_days: Number, usd_per_hour: Number) -> Number:
    """Reservation fee of a Capacity Block, for used and unused hours."""
    return nodes * block_days * 24 * usd_per_hour


@equation(
    "C7",
    "break-even-hours",
    units={"term_hours": "h", "committed_usd_per_hour": "USD/h", "on_demand_usd_per_hour": "USD/h"},
    result_unit="h",
    source="ratio of prices: p4de at 24.01 against 40.96 breaks even at 58.6 % of the year",
    steps=("result = term_hours * committed_usd_per_hour / on_demand_usd_per_hour",),
)
def break_even_hours(*, term_hours: Number, committed_usd_per_hour: Number, on_demand_usd_per_hour: Number) -> Number:
    """Hours of use in a term from which on the commitment is cheaper than On-Demand."""
    return term_hours * committed_usd_per_hour / on_demand_usd_per_hour


@equation(
    "C8",
    "usd-per-useful-gpu-hour",
    units={"cost_usd": "USD", "useful_gpu_hours": "GPU-hours"},
    result_unit="USD per useful GPU-hour",
    source="all lines of the bill divided by the kept work",
    steps=("result = cost_usd / useful_gpu_hours",),
)
def usd_per_useful_gpu_hour(*, cost_usd: Number, useful_gpu_hours: Number) -> Number:
    """Total cost of the run per GPU-hour of kept work, at the throughput of the best row."""
    return cost_usd / useful_gpu_hours


@equation(
    "C9",
    "nodes-cost",
    units={
        "nodes": "nodes",
        "hours": "h",
        "usd_per_hour": "USD/h",
        "unheld_hours": "h",
        "discount_fraction": "fraction",
    },
    result_unit="USD",
    source="EC2 pricing: an instance is billed from its start to its end, so not after a spot interruption",
    steps=("result = nodes * (hours - unheld_hours) * usd_per_hour * (1 - discount_fraction)",),
)
def nodes_cost(
    *,
    nodes: Number,
    hours: Number,
    usd_per_hour: Number,
    unheld_hours: Number = 0.0,
    discount_fraction: Number = 0.0,
) -> Number:
    """Cost of a number of instances for a number of hours.

    unheld_hours: when an interrupted spot job has no nodes because it waits for capacity. discount_fraction: a
    private discount on the list price.
    """
    return nodes * (hours - unheld_hours) * usd_per_hour * (1 - discount_fraction)


@equation(
    "C10",
    "block-unused",
    units={"nodes": "nodes", "run_hours": "h", "block_days": "days", "usd_per_hour": "USD/h"},
    result_unit="USD",
    source=_BLOCKS + "; the fee for all hours is paid at purchase",
    steps=("result = nodes * (block_days * 24 - run_hours) * usd_per_hour",),
)
def block_unused(*, nodes: Number, run_hours: Number, block_days: Number, usd_per_hour: Number) -> Number:
    """The part of a Capacity Block's fee for the hours after the run; together with the used hours it adds up to C6."""
    return nodes * (block_days * 24 - run_hours) * usd_per_hour


@equation(
    "C11",
    "node-hours",
    units={"nodes": "nodes", "hours": "h", "unheld_hours": "h"},
    result_unit="node-hours",
    source="EC2 pricing: by the second, shown by the hour",
    steps=("result = nodes * (hours - unheld_hours)",),
)
def node_hours(*, nodes: Number, hours: Number, unheld_hours: Number = 0.0) -> Number:
    """Billed hours of all nodes together."""
    return nodes * (hours - unheld_hours)


@equation(
    "C12",
    "unused-node-hours",
    units={"nodes": "nodes", "run_hours": "h", "term_hours": "h", "reuse_value_fraction": "fraction"},
    result_unit="node-hours",
    source="AWS: Reserved Instances and Savings Plans bill every hour of the term, used or not",
    steps=("result = nodes * (ceil(run_hours / term_hours) * term_hours - run_hours) * (1 - reuse_value_fraction)",),
)
def unused_node_hours(
    *, nodes: Number, run_hours: Number, term_hours: Number, reuse_value_fraction: Number = 0.0
) -> Number:
    """Paid node-hours of a commitment that are available for other work of the run, such as experiments."""
    return nodes * (np.ceil(run_hours / term_hours) * term_hours - run_hours) * (1 - reuse_value_fraction)


@equation(
    "C13",
    "committed-run-hours",
    units={
        "run_hours": "h",
        "term_hours": "h",
        "committed_usd_per_hour": "USD/h",
        "on_demand_usd_per_hour": "USD/h",
        "reuse_value_fraction": "fraction",
    },
    result_unit="h",
    source="AWS: a commitment changes what running instances cost, so at its end they go on at the On-Demand rate",
    steps=(
        "whole_hours = max(1, floor(run_hours / term_hours)) * term_hours",
        "left_hours = max(0, run_hours - whole_hours)",
        "unused_usd = (term_hours - left_hours) * committed_usd_per_hour * (1 - reuse_value_fraction)",
        "again = left_hours * committed_usd_per_hour + unused_usd <= left_hours * on_demand_usd_per_hour",
        "result = run_hours if again else min(run_hours, whole_hours)",
    ),
)
def committed_run_hours(
    *,
    run_hours: Number,
    term_hours: Number,
    committed_usd_per_hour: Number,
    on_demand_usd_per_hour: Number,
    reuse_value_fraction: Number = 0.0,
) -> Number:
    """Hours of a run at the rate of its commitment; those after it are On-Demand.

    The first term is bought in any case. At its end another one is bought where that costs less than On-Demand for
    what is left of the run.
    """
    whole = np.maximum(1.0, np.floor(run_hours / term_hours)) * term_hours
    left = np.maximum(0.0, run_hours - whole)
    unused = (term_hours - left) * committed_usd_per_hour * (1 - reuse_value_fraction)
    again = left * committed_usd_per_hour + unused <= left * on_demand_usd_per_hour
    return np.where(again, run_hours, np.minimum(run_hours, whole))[()]
