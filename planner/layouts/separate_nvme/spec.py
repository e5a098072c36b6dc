"""The part of a stack file that only `separate-nvme` has: storage nodes, control nodes and the pool."""

from __future__ import annotations

from planner.layouts.deployment import Deployment, NotDeployable, control_section, pool_section, whole
from planner.layouts.separate_nvme.cluster import Cluster
from planner.layouts.shared.control_nodes import CONTROL_INSTANCE_TYPE
from planner.models.values import Values
from planner.plan.types import Plan


def deployment_of(cluster: Cluster, plan: Plan, values: Values) -> Deployment:
    """The cluster with its priced sizes. Raises NotDeployable for a protected system."""
    if cluster.stripes is not None:
        raise NotDeployable(
            f"protection {cluster.settings.protection} can be priced but not deployed: "
            "remove it from storage.separate-nvme to deploy a cluster without it"
        )
    return Deployment(
        sections={
            "nvme": {
                "instance_type": cluster.storage_instance.name,
                "nodes": cluster.nodes,
                "spares": cluster.spares,
                "drives": cluster.storage_instance.nvme_drives,
                "root_volume_gib": whole("pool.control_volume_gib", values),
            },
            "control": control_section(CONTROL_INSTANCE_TYPE, whole("pool.control_nodes", values), values),
            "pool": pool_section(plan, values),
        }
    )
