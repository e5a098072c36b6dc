"""A Slurm cluster by AWS PCS: controller with accounting, login node, settings of the login node, queues."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
import pulumi_aws as aws
from fleet_pool.slurm import SETTINGS
from fleet_pool.slurm import settings as login

from infra import pcs
from infra.launch import Machine, NodeArgs, identity_of, launch_template
from infra.naming import Component, Naming
from infra.nics import nics
from planner.stack.slurm_settings import node_groups, queues_of
from planner.stack.spec import PLACEHOLDER, ClusterSpec
from planner.stack.timestamps import parse_timestamp


@dataclass(frozen=True, kw_only=True)
class SchedulerArgs:
    """security_group_id: of the controller."""

    spec: ClusterSpec
    security_group_id: pulumi.Input[str]


class SlurmCluster(Component):
    """Cluster and login node; `queues` follows once there are groups of nodes."""

    def __init__(self, naming: Naming, nodes: NodeArgs, args: SchedulerArgs) -> None:
        super().__init__("scheduler", naming)
        spec, scheduler = args.spec, args.spec.scheduler
        assert scheduler is not None
        self._scheduler = scheduler
        given = pulumi.Output.all(subnet=nodes.subnet_id, group=args.security_group_id)
        name = self.physical("cluster")
        self.cluster = pcs.resource(
            self,
            "cluster",
            pcs.CLUSTER,
            given.apply(lambda ids: pcs.cluster_state(name, scheduler, ids["subnet"], ids["group"])),
            depends_on=nodes.waits_for,
        )
        self.cluster_id = pcs.id_of(self.cluster)
        settings = aws.s3.BucketObjectv2(
            self.named("settings"),
            bucket=nodes.artefacts.bucket.id,
            key=SETTINGS,
            content=login.written(settings_of(spec)),
            content_type="application/json",
            tags=self.tags("settings"),
            opts=self.child(depends_on=nodes.artefacts.ready),
        )
        self._login(nodes, spec, settings)

    def _login(self, nodes: NodeArgs, spec: ClusterSpec, settings: pulumi.Resource) -> None:
        identity = identity_of(self, nodes)
        machine = Machine(
            instance_type=self._scheduler.login_type,
            image=spec.fleet.ami,
            root_device=spec.fleet.root_device,
            root_volume_gib=self._scheduler.login_volume_gib,
            nics=nics(self._scheduler.login_type, "ip-saving", 1, 0),
        )
        template = launch_template(
            self,
            nodes,
            machine,
            identity,
            description=f"Login node of stack {self.naming.stack}",
            placement_group=None,
        )
        given = pcs.ids_of(self.cluster_id, nodes, template, identity)
        scheduler = self._scheduler
        self.login = pcs.resource(
            self,
            "login-group",
            pcs.GROUP,
            given.apply(lambda ids: pcs.login_state(scheduler, "login", ids)),
            depends_on=[*identity.ready, *nodes.waits_for, settings],
        )

    def queues(self, spec: ClusterSpec, made: Sequence[aws.cloudcontrol.Resource]) -> None:
        """A queue for each priority, and for each instance type where there are several. made: the groups of nodes."""
        scheduler, ids = self._scheduler, dict(zip(node_groups(spec), map(pcs.id_of, made), strict=True))
        for queue, groups in queues_of(spec).items():
            own = pulumi.Output.all(*(ids[group] for group in groups))
            given = pulumi.Output.all(cluster=self.cluster_id, groups=own)
            pcs.resource(
                self,
                f"queue-{queue.name}",
                pcs.QUEUE,
                given.apply(
                    lambda ids, queue=queue: pcs.queue_state(queue, scheduler, ids["cluster"], list(ids["groups"]))
                ),
            )
        self.register_outputs({"cluster": self.cluster_id})


def settings_of(spec: ClusterSpec) -> login.Cluster:
    """What the login node makes of the cluster, and the plan's price of a node."""
    assert spec.scheduler is not None
    scheduler, groups = spec.scheduler, node_groups(spec)
    markets = scheduler.markets
    usd = {group.name: of.usd_per_node_hour for group in groups if (of := spec.by_type[group.of].scheduler)}
    if markets:
        usd[groups[-1].name] = markets.on_demand_usd_per_node_hour
    return login.Cluster(
        projects=tuple(login.Project(**vars(one)) for one in scheduler.projects),
        blocks=tuple(
            login.Block(group=group.name, ends=None if PLACEHOLDER in block.ends else parse_timestamp(block.ends))
            for group, block in zip(groups, spec.blocks, strict=False)
        ),
        usd_per_node_hour=usd,
        gpus_per_node=spec.fleet.gpus,
        as_jobs_need=tuple(group.name for group in groups if not group.least),
        # another image or plan has starts of its own
        canary=f"planner-canary-{spec.fleet.ami}-{spec.plan_sha256[:8]}" if spec.canary else "",
        markets=login.Markets(
            spot=groups[0].name,
            on_demand=groups[-1].name,
            nodes=markets.nodes,
            work_hours=markets.work_hours,
            deadline_hours=markets.deadline_hours,
            changeover_hours=markets.changeover_hours,
        )
        if markets
        else None,
    )
