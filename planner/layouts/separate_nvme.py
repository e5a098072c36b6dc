"""S, separate-nvme: a storage cluster of its own on i3en, i4i or i7ie, running the same engine over S3.

Planned as deployed: targets, spare nodes and three control nodes, all on-demand. A protected system (16+4
and the like) is a setting that is priced and sized, not deployed.
"""

from __future__ import annotations

from collections.abc import Mapping
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
from planner.models.derived import Given
from planner.models.number import Number
from planner.models.sheet import Sheet
from planner.models.values import Values
from planner.plan.types import SeparateSettings
from pricing.book import NotOffered, PriceBook, PriceNotFound
from pricing.catalog import InstanceType

# names of the pool's numbers where the cluster has its own by that name
_POOL = {"storage.raw_tb": "storage.serving_raw_tb", "storage.write_gb_per_s": "storage.pool_write_gb_per_s"}
_POOL_UNDER_STRIPES = {
    f"storage.{name}": f"storage.pool_{name}" for name in ("usable_tb", "hit_fraction", "read_gb_per_s")
}
_DIRECT = {
    f"storage.s3_write_{name}": f"storage.fleet_write_{name}" for name in ("clients_gb_per_s", "streams_gb_per_s")
}
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
    sizing: Mapping[str, Given] | None = None
    name: ClassVar[str] = "separate-nvme"

    def refusals(self) -> tuple[str, ...]:
        if self.refused:
            return self.refused
        if self.storage_instance.raw_nvme_tb == 0:
            return (f"{self.storage_instance.name} has no instance-store drives",)
        return ()

    def service(self, values: Values) -> Service:
        sheet, pooled, instance = values.sheet(), values.sheet(), self.storage_instance
        self._nodes(sheet, values)
        cores = (instance.vcpu, f"catalogue:{instance.name}.vcpu")
        serving = (self.nodes - self.spares, "run:storage.serving_nodes")
        pool = pool_of(instance, serving, cores, self.demand, values, pooled)
        sheet.take(pooled.derived, _POOL if not self.stripes else _POOL | _POOL_UNDER_STRIPES)
        raw = sheet.words(
            "storage.raw_tb",
            self.nodes * instance.raw_nvme_tb,
            "TB",
            "storage nodes x TB of a node, spares included",
            nodes=(self.nodes, "run:storage.nodes", "nodes"),
            raw_nvme_tb=(instance.raw_nvme_tb, f"catalogue:{instance.name}.raw_nvme_tb", "TB"),
        )
        usable, steady, hit = pool.usable_tb, pool.steady_gb_per_s, pool.hit_fraction
        protection = "one copy in the cluster"
        if self.stripes:
            data, parity = self.stripes
            usable = sheet.equation(
                "storage.usable_tb",
                protected_usable_tb,
                raw_tb=(raw, "run:storage.raw_tb"),
                nodes=(self.nodes, "run:storage.nodes"),
                spares=(self.spares, "run:storage.spares"),
                data_stripes=(data, "plan:storage.separate-nvme.protection"),
                parity_stripes=(parity, "plan:storage.separate-nvme.protection"),
                metadata_fraction=(0.10, "rule:WEKA user guide: a tenth of the net capacity is reserved"),
            )
            all_hit = "a protected system holds the data and reads no S3 in between"
            steady = pool.warm_gb_per_s
            warm = (steady, "run:storage.warm_gb_per_s", "GB/s")
            sheet.words("storage.read_gb_per_s", steady, "GB/s", all_hit, warm=warm)
            hit = sheet.words("storage.hit_fraction", 1.0, "fraction", all_hit)
            protection = f"{data}+{parity} over the cluster survives {parity} lost nodes (priced, not deployed)"
        return Service(
            raw_tb=raw,
            usable_tb=usable,
            warm_gb_per_s=pool.warm_gb_per_s,
            cold_gb_per_s=pool.cold_gb_per_s,
            steady_gb_per_s=steady,
            hit_fraction=hit,
            write_gb_per_s=self._write(pool.write_gb_per_s, values, sheet),
            slowdown_fraction=sheet.words("storage.slowdown_fraction", 0.0, "fraction", "nothing runs beside training"),
            durability=f"{DURABILITY}; {protection}",
            lost_node="a lost GPU node loses nothing; a lost storage node is a cache miss",
            reserved=f"{self.nodes} x {self.storage_instance.name}, {self.spares} of them spare",
            warnings=self.not_considered
            + (() if self.stripes else pool_warnings(pool, self.demand, self.storage_instance)),
            derived=sheet.derived,
        )

    def _nodes(self, sheet: Sheet, values: Values) -> None:
        """How many storage nodes stand, and how many of them serve."""
        own = self.settings.spares
        spares: Given = values.given_central("separate.spares")
        if own is not None:
            spares = (own, "plan:storage.separate-nvme.spares")
        floor = "; a protected system has one at least" if self.stripes else ""
        sheet.words(
            "storage.spares", self.spares, "nodes", f"whole nodes{floor}", spares=(spares[0], spares[1], "nodes")
        )
        if self.sizing is not None:
            sheet.equation("storage.nodes_sized", cluster_nodes, **self.sizing)
            sized = (cluster_nodes(**{key: what[0] for key, what in self.sizing.items()}), "run:storage.nodes_sized")
            how = "as sized" + ("; as many as the stripes need, at least" if self.stripes else "")
            sheet.words("storage.nodes", self.nodes, "nodes", how, sized=(*sized, "nodes"))
        nodes = (self.nodes, "run:storage.nodes", "nodes")
        kept = (self.spares, "run:storage.spares", "nodes")
        sheet.words(
            "storage.serving_nodes", self.nodes - self.spares, "nodes", "without spares", nodes=nodes, spares=kept
        )

    def _write(self, through_pool: Number, values: Values, sheet: Sheet) -> Number:
        """A checkpoint need not pass through the cluster: the larger of its way and straight to S3."""
        fleet, direct = self.demand.instance, values.sheet()
        clients = (self.demand.training_nodes, "run:training_nodes")
        straight = s3_write_rate(self.demand, values, fleet, clients, direct)
        sheet.take(direct.derived, _DIRECT)
        return sheet.words(
            "storage.write_gb_per_s",
            np.maximum(through_pool, straight),
            "GB/s",
            "the larger of the way through the cluster and straight to S3",
            through_pool=(through_pool, "run:storage.pool_write_gb_per_s", "GB/s"),
            straight=(straight, "run:storage.fleet_write_streams_gb_per_s", "GB/s"),
        )

    def bill(self, ledger: Ledger, timing: Timing, values: Values) -> None:
        hours = timing.standing_hours
        nodes, size_gib = (self.nodes, "run:storage.nodes"), values.given("pool.control_volume_gib")
        bill_on_demand_nodes(ledger, "storage.nvme.nodes", self.storage_instance.name, nodes, hours)
        bill_volumes(ledger, "storage.nvme.ebs", nodes, size_gib, hours)
        count = values.given("pool.control_nodes")
        bill_on_demand_nodes(ledger, "pool.control-nodes", CONTROL_INSTANCE_TYPE, count, hours)
        bill_volumes(ledger, "pool.control-ebs", count, size_gib, hours)


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
    one = pool_of(instance, 1, (instance.vcpu, f"catalogue:{instance.name}.vcpu"), demand, central)
    share = f"{stripes[0]}+{stripes[1]} stripes and a tenth kept back" if stripes else "what LRU never evicts below"
    sizing: dict[str, Given] = {
        "needed_tb": (demand.hot_tb, "plan:data.hot_dataset"),
        "usable_tb_per_node": (usable, f"rule:{instance.raw_nvme_tb:g} TB of {instance.name}, {share}"),
        "needed_gb_per_s": (
            min(demand.planned_gb_per_s, float(client_rate(demand, central))),
            "rule:storage.planned_gb_per_s, no more than the training nodes take in",
        ),
        "gb_per_s_per_node": (float(one.warm_gb_per_s), "rule:one such node by equation I2, on central values"),
        "spares": (spares, "run:storage.spares"),
    }
    nodes = cluster_nodes(**{name: what[0] for name, what in sizing.items()})
    if stripes:
        nodes = max(nodes, sum(stripes) + spares)
    return SeparateNvme(
        settings=settings,
        demand=demand,
        storage_instance=instance,
        nodes=nodes,
        spares=spares,
        stripes=stripes,
        sizing=sizing,
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
