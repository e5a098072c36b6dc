"""What the stack of a pool bills besides its nodes: network, key and alarms by the hour, images and logs by use.

The same lines are in the stack file (planner/stack/choose_workers.py), by the names of bill_lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from planner.models.ledger import Ledger
from planner.models.number import each_draw
from planner.models.values import Values
from planner.worker_pool.result import Floats
from planner.worker_pool.run import PoolRun
from pricing.offers import HOURS_PER_MONTH

HOURS_PER_DAY = 24.0
# three on the NAT gateway: bulk data through it, no free ports, dropped packets (infra/alarms.py)
ALARMS = 3


@dataclass(frozen=True, kw_only=True)
class Standing:
    """Billed while it stands. by_month: its price is of a month, else of an hour."""

    line: str
    item: tuple[str, str]
    count: int
    by_month: bool

    @property
    def units_per_hour(self) -> float:
        """Of its price."""
        return self.count / HOURS_PER_MONTH if self.by_month else float(self.count)


BY_HOUR = (
    Standing(line="network.nat-gateway", item=("AmazonVPC", "NAT gateway hour"), count=1, by_month=False),
    Standing(line="network.public-ipv4", item=("AmazonVPC", "Public IPv4 address, in use"), count=1, by_month=False),
    Standing(line="guard.alarms", item=("AmazonCloudWatch", "Standard resolution alarm"), count=ALARMS, by_month=True),
    Standing(line="storage.kms.key", item=("awskms", "Customer managed key"), count=1, by_month=True),
)
BY_USE = ("network.nat-data", "network.flow-logs", "fleet.logs")
_LOGS = ("AmazonCloudWatch", "Logs ingestion")


def standing(ledger: Ledger, drawn: Values, found: Sequence[PoolRun], months: Floats) -> None:
    """Adds its lines, from the first job to the last. months: of the calendar, of each run."""
    spans = np.array([run.makespan if np.isfinite(run.makespan) else 0.0 for run in found])
    days = np.array([run.node_hours + run.boot_hours for run in found]) / HOURS_PER_DAY
    started = np.array([float(run.nodes_started) for run in found])
    for one in BY_HOUR:
        quantity, equation = (months, "T6") if one.by_month else (spans, "T3")
        ledger.metered(
            one.line, one.item, equation=equation, quantity=one.count * quantity, inputs={}, standing=one.count
        )

    def by_use(line: str, item: tuple[str, str], equation: str, times: Floats, assumption: str) -> None:
        each = each_draw(drawn[assumption], len(found))
        ledger.metered(line, item, equation=equation, quantity=times * each, inputs={})

    data = ("AmazonVPC", "NAT gateway data processed")
    by_use("network.nat-data", data, "T11", started, "workers.nat_gb_per_node")
    by_use("network.flow-logs", _LOGS, "T12", days, "network.flow_log_gb_per_node_day")
    by_use("fleet.logs", _LOGS, "T12", days, "workers.log_gb_per_node_day")
