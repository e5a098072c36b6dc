"""S, separate-nvme: a storage cluster of its own on i3en, i4i or i7ie, running the same engine over S3.

Planned as deployed: targets, spare nodes and three control nodes, all on-demand. A protected system (16+4
and the like) is a setting that is priced and sized, not deployed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from planner.layouts.base import Demand, Layout, Service, Timing
from planner.layouts.converged import CONTROL_INSTANCE_TYPE
from planner.layouts.instances import bill_on_demand_nodes, bill_volumes
from planner.layouts.pool import client_rate, pool_of, pool_warnings
from planner.layouts.s3 import DURABILITY, s3_write_rate
from planner.models.bill import Ledger
from planner.models.capacity import cluster_nodes, pool_usable_tb, protected_usable_tb
from planner.models.values import Values
from planner.plan.types import SeparateSettings
from pricing.book import NotOffered, PriceBook, PriceNotFound
from pricing.catalog import InstanceType

CANDIDATES = ("i3en.24xlarge", "i4i.32xlarge", "i7ie.24xlarge", "i7ie.48xlarge")


@dataclass(frozen=True, kw_only=True)
class SeparateNvme(Layout):
    settings: SeparateSettings
    storage_instance: InstanceType
    nodes: int
    spares: int
    stripes: tuple[int, int] | None
    not_considered: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    name: ClassVar[str] = "separate-nvme"

    def refusals(self) -> tuple[str, ...]:
        if self.refused:
            return self.refused
        if self.storage_instance.raw_nvme_tb == 0:
            return (f"{self.storage_instance.name} has no instance-store drives",)
        return ()

    def service(self, values: Values) -> Service:
        serving = self.nodes - self.spares
        pool = pool_of(self.storage_instance, serving, self.storage_instance.vcpu, self.demand, values)
        usable, protection = pool.usable_tb, "one copy in the cluster"
        if self.stripes:
            data, parity = self.stripes
            usable = protected_usable_tb(
                raw_tb=self.nodes * self.storage_instance.raw_nvme_tb,
                nodes=self.nodes,
                spares=self.spares,
                data_stripes=data,
                parity_stripes=parity,
            )
            protection = f"{data}+{parity} over the cluster survives {parity} lost nodes (priced, not deployed)"
        return Service(
            raw_tb=self.nodes * self.storage_instance.raw_nvme_tb,
            usable_tb=usable,
            warm_gb_per_s=pool.warm_gb_per_s,
            cold_gb_per_s=pool.cold_gb_per_s,
            steady_gb_per_s=pool.warm_gb_per_s if self.stripes else pool.steady_gb_per_s,
            hit_fraction=1.0 if self.stripes else pool.hit_fraction,
            # a checkpoint need not pass through the cluster: the larger of its way and straight to S3
            write_gb_per_s=np.maximum(
                pool.write_gb_per_s,
                s3_write_rate(self.demand, values, self.demand.instance, self.demand.training_nodes),
            ),
            slowdown_fraction=0.0,
            durability=f"{DURABILITY}; {protection}",
            lost_node="a lost GPU node loses nothing; a lost storage node is a cache miss",
            reserved=f"{self.nodes} x {self.storage_instance.name}, {self.spares} of them spare",
            warnings=self.not_considered
            + (() if self.stripes else pool_warnings(pool, self.demand, self.storage_instance)),
        )

    def bill(self, ledger: Ledger, timing: Timing, values: Values) -> None:
        hours = timing.standing_hours
        bill_on_demand_nodes(ledger, "storage.nvme.nodes", self.storage_instance.name, self.nodes, hours)
        bill_volumes(ledger, "storage.nvme.ebs", self.nodes, values["pool.control_volume_gib"], hours)
        count = values["pool.control_nodes"]
        bill_on_demand_nodes(ledger, "pool.control-nodes", CONTROL_INSTANCE_TYPE, count, hours)
        bill_volumes(ledger, "pool.control-ebs", count, values["pool.control_volume_gib"], hours)


def _cluster_of(settings: SeparateSettings, demand: Demand, instance: InstanceType, values: Values) -> SeparateNvme:
    spares = int(values.central("separate.spares")) if settings.spares is None else settings.spares
    stripes = None
    if settings.protection not in (None, "none"):
        data, parity = settings.protection.split("+")
        stripes = int(data), int(parity)
        spares = max(spares, 1)
        usable = instance.raw_nvme_tb * stripes[0] / sum(stripes) * 0.9
    else:
        usable = pool_usable_tb(
            raw_tb=instance.raw_nvme_tb,
            filesystem_fraction=values.central("converged.filesystem_fraction"),
            low_watermark_fraction=values.central("converged.low_watermark_fraction"),
        )
    if not usable:  # no drives: refused, and nothing to divide by
        return SeparateNvme(
            settings=settings,
            demand=demand,
            storage_instance=instance,
            nodes=1 + spares,
            spares=spares,
            stripes=stripes,
        )
    central = Values(table=values.table, used=values.used)
    one = pool_of(instance, 1, instance.vcpu, demand, central)
    nodes = cluster_nodes(
        needed_tb=demand.hot_tb,
        usable_tb_per_node=usable,
        # no more than the training nodes can take in
        needed_gb_per_s=min(demand.planned_gb_per_s, float(client_rate(demand, central))),
        gb_per_s_per_node=float(one.warm_gb_per_s),
        spares=spares,
    )
    if stripes:
        nodes = max(nodes, sum(stripes) + spares)
    return SeparateNvme(
        settings=settings,
        demand=demand,
        storage_instance=instance,
        nodes=nodes,
        spares=spares,
        stripes=stripes,
    )


def separate_cluster(
    settings: SeparateSettings, demand: Demand, book: PriceBook, region: str, values: Values
) -> SeparateNvme:
    """The cluster on the type the plan names, else on the candidate with the lowest price an hour.

    A candidate whose price is not known may be that one, so the choice stops there and the scenario is a lower
    bound. One that AWS does not sell, or whose hardware is not known, is no candidate.
    """
    if settings.instance_type:
        return _cluster_of(settings, demand, book.instance(settings.instance_type), values)
    priced, unknown = [], []
    known = {instance.name: instance for instance in book.instances()}
    for name in CANDIDATES:
        if name not in known:
            unknown.append(f"{name} is no candidate: its hardware is not in the price book")
            continue
        cluster = _cluster_of(settings, demand, known[name], values)
        try:
            usd = book.on_demand(name, region).usd * cluster.nodes
        except NotOffered:
            continue
        except PriceNotFound:
            why = f"the price of {name} is not known and might be the lowest"
            told = f"{why}: name storage.separate-nvme.instance_type to choose another"
            return replace(cluster, not_considered=(told,))
        priced.append((usd, name, cluster))
    if not priced:
        nothing = _cluster_of(settings, demand, demand.instance, values)
        return replace(nothing, refused=("no instance type for a storage cluster is sold or known here",))
    return replace(min(priced, key=lambda entry: entry[:2])[2], not_considered=tuple(unknown))
