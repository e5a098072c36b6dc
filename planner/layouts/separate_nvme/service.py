"""S, separate-nvme: a separate storage cluster on i3en, i4i or i7ie, with the same engine over S3.

Planned as deployed: targets, spare nodes and three control nodes, all On-Demand. A protected system (such as 16+4) can
be sized and priced, but not deployed.
"""

from __future__ import annotations

import numpy as np

from planner.layouts.base import NO_SLOWDOWN, Demand, Service
from planner.layouts.separate_nvme.cluster import Cluster
from planner.layouts.shared.pool import pool_of, pool_warnings
from planner.layouts.shared.s3 import DURABILITY, s3_write_rate
from planner.models.capacity import cluster_nodes, protected_usable_tb
from planner.models.derived import Sourced
from planner.models.number import Number, scalar
from planner.models.sheet import Sheet
from planner.models.values import Values

# numbers of the pool that the cluster has under the same name
_POOL = {"storage.raw_tb": "storage.serving_raw_tb", "storage.write_gb_per_s": "storage.pool_write_gb_per_s"}
_POOL_UNDER_STRIPES = {
    f"storage.{name}": f"storage.pool_{name}" for name in ("usable_tb", "hit_fraction", "read_gb_per_s")
}
_DIRECT = {
    f"storage.s3_write_{name}": f"storage.fleet_write_{name}" for name in ("clients_gb_per_s", "streams_gb_per_s")
}

HOLDS_ALL = (1.0, "rule:a protected system has all data and reads nothing from S3 during training")


def service_of(cluster: Cluster, demand: Demand, values: Values, not_considered: tuple[str, ...]) -> Service:
    """What the cluster provides. not_considered: warnings about the choice of a type."""
    sheet, pooled, instance = values.sheet(), values.sheet(), cluster.storage_instance
    _nodes(cluster, sheet, values)
    cores = (instance.vcpu, f"catalogue:{instance.name}.vcpu")
    serving = (cluster.nodes - cluster.spares, "run:storage.serving_nodes")
    pool = pool_of(instance, serving, cores, demand, values, pooled)
    sheet.include(pooled.derived, _POOL if not cluster.stripes else _POOL | _POOL_UNDER_STRIPES)
    raw = sheet.arithmetic(
        "storage.raw_tb",
        cluster.nodes * instance.raw_nvme_tb,
        "TB",
        "nodes * raw_nvme_tb",
        "all storage nodes, spares included",
        nodes=(cluster.nodes, "run:storage.nodes", "nodes"),
        raw_nvme_tb=(instance.raw_nvme_tb, f"catalogue:{instance.name}.raw_nvme_tb", "TB"),
    )
    usable, steady, hit = pool.usable_tb, pool.steady_gb_per_s, pool.hit_fraction
    protection = "one copy in the cluster"
    if cluster.stripes:
        data, parity = cluster.stripes
        usable = scalar(
            sheet.equation(
                "storage.usable_tb",
                protected_usable_tb,
                raw_tb=(raw, "run:storage.raw_tb"),
                nodes=(cluster.nodes, "run:storage.nodes"),
                spares=(cluster.spares, "run:storage.spares"),
                data_stripes=(data, "plan:storage.separate-nvme.protection"),
                parity_stripes=(parity, "plan:storage.separate-nvme.protection"),
                metadata_fraction=(0.10, "rule:WEKA user guide: a tenth of the net capacity is reserved"),
            )
        )
        warm = (pool.warm_gb_per_s, "run:storage.warm_gb_per_s")
        steady = sheet.taken("storage.read_gb_per_s", "GB/s", warm=warm)
        hit = sheet.taken("storage.hit_fraction", "fraction", hits=HOLDS_ALL)
        protection = f"{data}+{parity} across the cluster survives the loss of {parity} nodes (priced, not deployed)"
    return Service(
        raw_tb=raw,
        usable_tb=usable,
        warm_gb_per_s=pool.warm_gb_per_s,
        cold_gb_per_s=pool.cold_gb_per_s,
        steady_gb_per_s=steady,
        hit_fraction=hit,
        write_gb_per_s=_write(demand, pool.write_gb_per_s, values, sheet),
        slowdown_fraction=sheet.taken("storage.slowdown_fraction", "fraction", slowdown=NO_SLOWDOWN),
        durability=f"{DURABILITY}; {protection}",
        lost_node="no data is lost with a GPU node; a lost storage node only causes cache misses",
        reserved=f"{cluster.nodes} x {cluster.storage_instance.name}, {cluster.spares} of them spare",
        warnings=not_considered + (() if cluster.stripes else pool_warnings(pool, demand, cluster.storage_instance)),
        derived=sheet.derived,
    )


def _nodes(cluster: Cluster, sheet: Sheet, values: Values) -> None:
    """The number of storage nodes, and how many of them serve data."""
    own = cluster.settings.spares
    spares: Sourced = values.given_central("separate.spares")
    if own is not None:
        spares = (own, "plan:storage.separate-nvme.spares")
    at_least_one = "a protected system has at least one spare" if cluster.stripes else ""
    whole = "max(floor(spares), 1)" if cluster.stripes else "floor(spares)"
    sheet.arithmetic(
        "storage.spares", cluster.spares, "nodes", whole, at_least_one, spares=(spares[0], spares[1], "nodes")
    )
    nodes = (cluster.nodes, "run:storage.nodes", "nodes")
    kept = (cluster.spares, "run:storage.spares", "nodes")
    if cluster.sizing is not None:
        sized = (sheet.equation("storage.nodes_sized", cluster_nodes, **cluster.sizing), "run:storage.nodes_sized")
        if cluster.stripes:
            sheet.arithmetic(
                "storage.nodes",
                cluster.nodes,
                "nodes",
                "max(sized, stripes + spares)",
                "at least one node per stripe member",
                sized=(*sized, "nodes"),
                stripes=(sum(cluster.stripes), "plan:storage.separate-nvme.protection", "nodes"),
                spares=kept,
            )
        else:
            sheet.taken("storage.nodes", "nodes", sized=sized)
    serving = cluster.nodes - cluster.spares
    sheet.arithmetic("storage.serving_nodes", serving, "nodes", "nodes - spares", nodes=nodes, spares=kept)


def _write(demand: Demand, through_pool: Number, values: Values, sheet: Sheet) -> Number:
    """Write rate of a checkpoint, which may bypass the cluster: the larger of both ways."""
    fleet, direct = demand.instance, values.sheet()
    clients = (demand.training_nodes, "run:training_nodes")
    straight = s3_write_rate(demand, values, fleet, clients, direct)
    sheet.include(direct.derived, _DIRECT)
    return sheet.arithmetic(
        "storage.write_gb_per_s",
        np.maximum(through_pool, straight),
        "GB/s",
        "max(through_pool, straight)",
        "through the cluster or straight to S3, whichever is faster",
        through_pool=(through_pool, "run:storage.pool_write_gb_per_s", "GB/s"),
        straight=(straight, "run:storage.fleet_write_streams_gb_per_s", "GB/s"),
    )
