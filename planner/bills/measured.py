"""What a bill and a job log measured of a plan's assumptions, and the file that the next plan reads.

An assumption keeps its range, widened to the measured value where that lies outside: one run measures one value, not
how far the next may be from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from planner.bills.job_log import JobRecord
from planner.bills.reconcile import Reconciliation
from planner.models.bill_lines import COMPUTE, COMPUTE_FALLBACK
from planner.models.calendar_months import calendar_months
from planner.plan.assumptions import Assumption, default_assumptions

MOST_GOODPUT = 1.001  # more work was kept than node-hours were billed: the log and the bill are not of the same hours
GPU_LINES = (COMPUTE, COMPUTE_FALLBACK)


@dataclass(frozen=True, kw_only=True)
class Measured:
    """One value of the next plan. path: as in `--set`. planned: before, None where the plan had none. how: in words.

    low, high: its range, where it is an assumption.
    """

    path: str
    value: float | Mapping[str, float]
    unit: str
    planned: float | None
    how: str
    low: float | None = None
    high: float | None = None


def measured_of(
    found: Reconciliation, nodes: int, log: JobRecord | None, used: Mapping[str, Assumption]
) -> tuple[Measured, ...]:
    """Everything that was measured. nodes: GPU nodes of the scenario. used: the plan's assumptions by key."""
    return (*_by_the_bill(found, nodes, used), *(_by_the_log(found, log, used) if log else ()))


def _by_the_bill(found: Reconciliation, nodes: int, used: Mapping[str, Assumption]) -> Iterator[Measured]:
    billed = {line.line: line.billed_quantity for line in found.lines if line.in_plan}
    node_hours = sum(billed.get(line) or 0.0 for line in GPU_LINES)
    if not node_hours:
        return
    node_days, hours = node_hours / 24, node_hours / nodes
    months = float(calendar_months(found.start, hours))
    requests = sum((billed.get(f"storage.s3.{kind}-requests") or 0.0) for kind in ("get", "put"))
    for line, key, divisor, factor, how in (
        ("network.nat-data", "network.nat_gb_per_node", float(nodes), 1.0, "GB through the NAT gateway, per node"),
        ("network.endpoint-data", "network.endpoint_gb_per_node_day", node_days, 1.0, "GB through endpoints"),
        ("network.flow-logs", "network.flow_log_gb_per_node_day", node_days, 1.0, "GB of flow logs"),
        ("fleet.ebs", "fleet.root_volume_gib", nodes * months, 1.0, "GB-months of root volumes, per node-month"),
        ("storage.kms.requests", "s3.kms_request_fraction", requests, 10.0, "KMS requests per S3 request"),
    ):
        quantity = billed.get(line)
        if quantity and divisor:
            yield assumption_of(used, key, quantity * factor / divisor, how)


def _by_the_log(found: Reconciliation, log: JobRecord, used: Mapping[str, Assumption]) -> Iterator[Measured]:
    if log.node_days and log.failures:
        yield Measured(
            path="reliability.observed",
            value={"failures": log.failures, "node_days": round(log.node_days, 6)},
            unit="failures in node-days",
            planned=None,
            how="failures that ended an attempt in the job log",
        )
    if log.node_days and log.interruptions:
        yield Measured(
            path="reliability.spot_observed",
            value={
                "interruptions": log.interruptions,
                "node_days": round(log.node_days, 6),
                "nodes": max(attempt.nodes for attempt in log.attempts),
            },
            unit="interruptions in node-days",
            planned=None,
            how="spot interruptions in the job log",
        )
    if log.restart_minutes:
        yield assumption_of(used, "goodput.restart_minutes", log.restart_minutes, "from a failure to the next attempt")


def goodput_of(found: Reconciliation, log: JobRecord) -> tuple[float, float] | None:
    """(measured, node-hours that were paid) goodput: node-hours of kept work over all that the bill has, waiting and
    repeated work included; None where one of them is unknown."""
    kept = log.kept_node_hours
    billed = sum(line.billed_quantity or 0.0 for line in found.lines if line.line in GPU_LINES)
    return None if kept is None or not billed else (kept / billed, billed)


def assumption_of(used: Mapping[str, Assumption], key: str, value: float, how: str) -> Measured:
    """An assumption at its measured value. used: the plan's by key. how: it was measured, in words."""
    before = used.get(key) or default_assumptions()[key]
    rounded = float(f"{value:.4g}")
    return Measured(
        path=f"assumptions.{key}",
        value=rounded,
        unit=before.unit,
        planned=before.value,
        how=how,
        low=min(before.low, rounded),
        high=max(before.high, rounded),
    )


def plan_values(values: tuple[Measured, ...], source: str) -> dict[str, dict[str, object]]:
    """The sections of a plan that have these values, as `--set @FILE` reads them. source: named in each assumption."""
    sections: dict[str, dict[str, object]] = {}
    for entry in values:
        section, _, key = entry.path.partition(".")
        value: object = entry.value
        if entry.low is not None:
            value = {"value": entry.value, "low": entry.low, "high": entry.high, "source": f"{source}: {entry.how}"}
        sections.setdefault(section, {})[key] = value
    return sections
