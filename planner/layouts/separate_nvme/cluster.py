"""The number of nodes of a separate storage cluster."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from planner.layouts.base import Demand
from planner.layouts.separate_nvme.settings import SeparateSettings
from planner.layouts.shared.links import client_rate
from planner.layouts.shared.pool import pool_of
from planner.models.capacity import cluster_nodes, pool_usable_tb
from planner.models.derived import Sourced
from planner.models.values import Values
from pricing.catalog import InstanceType


@dataclass(frozen=True, kw_only=True)
class Cluster:
    """A storage cluster.

    nodes: spares included. stripes: (data, parity) of a protected system, else None. sizing: the inputs of equation S10
    that gave the nodes, each with its origin; None if the type has no drives.
    """

    settings: SeparateSettings
    storage_instance: InstanceType
    nodes: int
    spares: int
    stripes: tuple[int, int] | None
    sizing: Mapping[str, Sourced] | None = None


def cluster_of(settings: SeparateSettings, demand: Demand, instance: InstanceType, values: Values) -> Cluster:
    """The cluster on one instance type: nodes for capacity and throughput, at central values, and spares."""
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
    if not usable:  # no drives: refused; nothing to divide by
        return Cluster(
            settings=settings,
            storage_instance=instance,
            nodes=1 + spares,
            spares=spares,
            stripes=stripes,
        )
    central = Values(table=values.table, used=values.used)
    one = pool_of(instance, 1, (instance.vcpu, f"catalogue:{instance.name}.vcpu"), demand, central)
    share = f"{stripes[0]}+{stripes[1]} stripes, a tenth reserved" if stripes else "up to the low watermark"
    sizing: dict[str, Sourced] = {
        "needed_tb": (demand.hot_tb, "plan:data.hot_dataset"),
        "usable_tb_per_node": (usable, f"rule:{instance.raw_nvme_tb:g} TB of {instance.name}, {share}"),
        "needed_gb_per_s": (
            min(demand.planned_gb_per_s, float(client_rate(demand, central))),
            "rule:storage.planned_gb_per_s, at most what the training nodes can receive",
        ),
        "gb_per_s_per_node": (float(one.warm_gb_per_s), "rule:one node of this type by equation I2, at central values"),
        "spares": (spares, "run:storage.spares"),
    }
    nodes = cluster_nodes(**{name: what[0] for name, what in sizing.items()})
    if stripes:
        nodes = max(nodes, sum(stripes) + spares)
    return Cluster(
        settings=settings,
        storage_instance=instance,
        nodes=nodes,
        spares=spares,
        stripes=stripes,
        sizing=sizing,
    )
