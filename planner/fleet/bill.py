"""The bill of a fleet: node-hours by how they were bought, then storage, network and Slurm, which all ways share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from planner.fleet.bought import Paid, Shop
from planner.fleet.model import Floats
from planner.fleet.workload import MONTH_HOURS
from planner.layouts.base import Timing
from planner.layouts.converged.bill import bill_control_nodes
from planner.layouts.converged.settings import ConvergedSettings
from planner.layouts.shared.network import bill_network
from planner.layouts.shared.s3 import bill_key
from planner.layouts.shared.scheduler import bill_scheduler
from planner.mix.model import Kind
from planner.models.bill import NODE_HOURS, Line, PlannedLine, Unpriced, mean_line
from planner.models.bill_lines import COMMITMENT_UNUSED, COMPUTE
from planner.models.capacity import gb_months, lustre_capacity_gib, pool_raw_tb, pool_usable_tb
from planner.models.ledger import Ledger
from planner.models.metered import months_of
from planner.models.number import each_draw
from planner.models.sheet import UNRECORDED
from planner.models.values import Values
from planner.plan.fleet_types import FleetPlan, Project
from pricing.book import PriceBook
from pricing.catalog import InstanceType
from pricing.offers import Price

KINDS = {Kind.RESERVED: "reserved", Kind.INSTANCE_PLAN: "instance-plan", Kind.COMPUTE_PLAN: "compute-plan"}
LUSTRE = ("AmazonFSx", "PERSISTENT_2 SSD storage")
LUSTRE_MBPS = "250 MB/s/TiB"
STEP_GIB = 2400
GIB = 2.0**30


@dataclass(frozen=True, kw_only=True)
class Around:
    """What is billed beside the nodes. usd: of each draw."""

    lines: tuple[PlannedLine, ...]
    usd: Floats
    unpriced: tuple[Unpriced, ...]


def data_by_month(plan: FleetPlan, project: Project) -> tuple[Floats, Floats]:
    """Bytes in S3 and hot bytes of a project in each month."""
    month = np.arange(1, plan.run.months + 1)
    there = (month >= project.from_month) & (month <= (project.to_month or plan.run.months))
    grown: Floats = np.power(1.0 + project.data_growth, month - float(project.from_month)) * there
    return (project.data_bytes or 0.0) * grown, (project.hot_bytes or 0.0) * grown


def hot_union(plan: FleetPlan) -> Floats:
    """Bytes that jobs read again and again, each once, by month: of each further project's hot data the share that is
    not others' too."""
    hot = np.sort(np.array([data_by_month(plan, one)[1] for one in plan.projects]), axis=0)
    return hot[-1] + (1 - plan.storage.overlap) * hot[:-1].sum(axis=0)


def cache_tb(plan: FleetPlan, book: PriceBook, nodes: tuple[int, ...]) -> float:
    """Usable TB of the nodes' drives: the largest group's, since a pool has one type of node."""
    return max(group_tb(one, count) for count, one in zip(nodes, map(book.instance, plan.types), strict=True))


def group_tb(instance: InstanceType, nodes: int) -> float:
    """Usable TB of a pool on the drives of so many nodes."""
    drive_tb = instance.nvme_drive_gb / 1000
    return float(pool_usable_tb(raw_tb=pool_raw_tb(nodes=nodes, drives=instance.nvme_drives, drive_tb=drive_tb)))


def lustre_gib(plan: FleetPlan) -> int:
    """Of the Lustre file system for the projects' hot data; 0 without any."""
    hot = float(hot_union(plan).max())
    return int(lustre_capacity_gib(needed_gib=hot / GIB, step_gib=STEP_GIB)) if hot else 0


def around(plan: FleetPlan, book: PriceBook, nodes: int, values: Values) -> Around:
    """Storage by calendar month, and what every stack has besides: network, volumes, guards, Slurm, its key. nodes:
    that stand, of all groups. values: with draws."""
    ledger = Ledger(book=book, region=plan.region, sheet=UNRECORDED)
    hours = plan.run.months * MONTH_HOURS
    start = plan.start or book.as_of
    until = [float(months_of(start=start, hours=h)) for h in np.arange(0.0, hours + 1, MONTH_HOURS).tolist()]
    kept = sum(data_by_month(plan, one)[0] @ np.diff(until) for one in plan.projects)
    timing = Timing(
        standing_hours=hours,
        months=until[-1],
        retention_hours=0.0,
        s3_read_bytes=0.0,
        read_bytes=0.0,
        s3_through_vpc=False,
        checkpoints_written=0.0,
        checkpoints_stored=0.0,
    )
    if kept:
        quantity = gb_months(stored_bytes=kept, months=1.0)
        item = ("AmazonS3", "S3 Standard storage")
        ledger.metered("storage.s3.standard", item, equation="S6", quantity=quantity, inputs={}, hours=hours)
    size = lustre_gib(plan)
    if plan.storage.layout == "fsx-lustre" and size:
        ledger.metered(
            "storage.lustre.capacity",
            LUSTRE,
            equation="S6",
            quantity=size * timing.months,
            inputs={},
            offering=LUSTRE_MBPS,
            standing=size,
        )
    bill_network(ledger, nodes, timing, values)
    bill_scheduler(ledger, nodes, nodes, timing, values)
    if plan.storage.layout == "converged":
        bill_control_nodes(ConvergedSettings.model_construct(), ledger, timing, values)
    bill_key(ledger, timing.months)
    return Around(
        lines=tuple(map(mean_line, ledger.lines)),
        usd=np.sum([each_draw(line.effective_cost, values.draws) for line in ledger.lines], axis=0),
        unpriced=tuple(ledger.unpriced),
    )


def node_lines(shop: Shop, paid: Paid) -> Iterator[PlannedLine]:
    """Node-hours by type and by what covers them, means over the draws; what commitments leave unused."""
    for name, hours in zip(shop.types, paid.on_demand.mean(axis=0), strict=True):
        price = shop.main.on_demand[name]
        if hours > 0:
            yield mean_line(_line(f"{COMPUTE}-on-demand-{name}", float(hours), price.usd, price.usd, price, "Standard"))
    for one in paid.covered:
        listed = shop.main.on_demand[one.instance_type]
        name = f"{COMPUTE}-{KINDS[one.kind]}-{one.instance_type}"
        yield mean_line(
            _line(
                name, one.node_hours, one.unit_usd, listed.usd, one.price or listed, "Committed", own=one.price is None
            )
        )
    if paid.unused_usd > 0.005:
        price = next((one.price for one in paid.covered if one.price), shop.main.on_demand[shop.types[0]])
        yield mean_line(_line(COMMITMENT_UNUSED, paid.unused_usd, 1.0, 1.0, price, "Committed", unit="USD"))


def _line(
    line: str,
    quantity: float,
    usd: float,
    listed: float,
    price: Price,
    category: str,
    *,
    unit: str = "node-hours",
    own: bool = False,
) -> Line:
    return Line(
        line=line,
        service="AmazonEC2",
        equation=NODE_HOURS,
        quantity=quantity,
        unit=unit,
        list_unit_price=listed,
        effective_unit_price=usd,
        usd_per_hour=None,
        price_source="purchase.owned of the plan" if own else price.source,
        price_date=price.observed,
        price_grade=None if own else price.grade or None,
        basis="own" if own else price.basis.value,
        carried_back=price.carried_back and not own,
        pricing_category=category,
        price_note=price.note,
    )
