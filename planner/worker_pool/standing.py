"""What the stack of a pool bills besides its nodes: network, key and alarms by the hour, images and logs by use.

The same lines are in the stack file (planner/stack/choose_workers.py), by the names of bill_lines.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from planner.models.number import each_draw
from planner.models.values import Values
from planner.plan.training_types import HOURS_PER_MONTH
from planner.worker_pool.result import Floats
from planner.worker_pool.run import PoolRun

Item = tuple[str, str]
HOURS_PER_DAY = 24.0
# three on the NAT gateway: bulk data through it, no free ports, dropped packets (infra/alarms.py)
ALARMS = 3
# line, what, item of the price book, how many of its units an hour
BY_HOUR: tuple[tuple[str, str, Item, float], ...] = (
    ("network.nat-gateway", "NAT gateway", ("AmazonVPC", "NAT gateway hour"), 1.0),
    ("network.public-ipv4", "its address", ("AmazonVPC", "Public IPv4 address, in use"), 1.0),
    ("guard.alarms", "alarms", ("AmazonCloudWatch", "Standard resolution alarm"), ALARMS / HOURS_PER_MONTH),
    ("storage.kms.key", "key of the buckets", ("awskms", "Customer managed key"), 1 / HOURS_PER_MONTH),
)
BY_USE = {
    "network.nat-data": "data of started nodes through the NAT gateway",
    "network.flow-logs": "flow logs",
    "fleet.logs": "output of the jobs",
}


def standing(drawn: Values, found: Sequence[PoolRun]) -> list[tuple[str, tuple[str, str], Floats]]:
    """(line, item, quantity in the unit of its price in each run), from the first job to the last."""
    spans = np.array([run.makespan if np.isfinite(run.makespan) else 0.0 for run in found])
    days = np.array([run.node_hours + run.boot_hours for run in found]) / HOURS_PER_DAY
    started = np.array([float(run.nodes_started) for run in found])
    logs = ("AmazonCloudWatch", "Logs ingestion")
    return [
        *((line, item, spans * share) for line, _, item, share in BY_HOUR),
        (
            "network.nat-data",
            ("AmazonVPC", "NAT gateway data processed"),
            started * each_draw(drawn["workers.nat_gb_per_node"], len(found)),
        ),
        ("network.flow-logs", logs, days * each_draw(drawn["network.flow_log_gb_per_node_day"], len(found))),
        ("fleet.logs", logs, days * each_draw(drawn["workers.log_gb_per_node_day"], len(found))),
    ]


WHAT = {**{line: what for line, what, _, _ in BY_HOUR}, **BY_USE}
