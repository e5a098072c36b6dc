"""The separate storage cluster: nodes with instance-store drives that run the pool's targets."""

from __future__ import annotations

from dataclasses import dataclass

from infra.launch import (
    AT_ITS_START,
    PATIENCE,
    Machine,
    NodeArgs,
    cluster_placement,
    identity_of,
    latest,
    launch_template,
    node_group,
)
from infra.naming import Component, Naming
from infra.nics import Nic
from planner.stack.spec import NvmeCluster


@dataclass(frozen=True, kw_only=True)
class NvmeArgs:
    """cluster: number and type of the nodes, spares included. ami, root_device: the image and its name of the root."""

    cluster: NvmeCluster
    ami: str
    root_device: str


class Nvme(Component):
    """Template, placement and group of the storage nodes, On-Demand. A lost node costs cache misses: it is replaced."""

    def __init__(self, naming: Naming, nodes: NodeArgs, args: NvmeArgs) -> None:
        super().__init__("nvme", naming)
        identity = identity_of(self, nodes)
        machine = Machine(
            instance_type=args.cluster.instance_type,
            image=args.ami,
            root_device=args.root_device,
            root_volume_gib=args.cluster.root_volume_gib,
            nics=[Nic(card=0, device=0, kind="interface")],
        )
        template = launch_template(
            self,
            nodes,
            machine,
            identity,
            description=f"Storage nodes of stack {naming.stack}",
            placement_group=cluster_placement(self).name,
        )
        self.group = node_group(
            self,
            nodes,
            args.cluster.nodes,
            smallest=args.cluster.nodes,
            launch_template=latest(template),
            suspended_processes=["AZRebalance"],
            protect_from_scale_in=True,
            options=self.child(depends_on=[*identity.ready, *nodes.waits_for], ignored=AT_ITS_START, patience=PATIENCE),
        )
        self.register_outputs({"group": self.group.name})
