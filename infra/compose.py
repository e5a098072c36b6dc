"""The whole stack of a spec, top down: what every stack has, what its layout adds, the fleet, and the guard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pulumi
import pulumi_aws as aws
from fleet_pool.health import passes
from fleet_pool.health import records as health
from fleet_pool.launch import records
from fleet_pool.node import boot_log, gpu_use, job_credentials, starts, watch
from fleet_pool.node.facts import CLIENT
from fleet_pool.operate.canary import FOLDER as CANARY
from fleet_pool.settings import FILES_VOLUME as VOLUME
from fleet_pool.slurm import SETTINGS

from infra.addresses import FILES
from infra.alarms import alarms_of, paid_for
from infra.artefacts import Artefacts, ArtefactsArgs
from infra.buckets import bucket_arn
from infra.dashboard import dashboard
from infra.data_bucket import DataBucket, DataBucketArgs
from infra.derived import addresses_of, bundle_of, expected_of, interfaces_of
from infra.files import FilesArgs, FilesDatabase, mount_connections
from infra.firewall import Firewall
from infra.fleet import FleetArgs, GpuFleet, NodesOfSlurm, NodesOfType
from infra.guard import GuardArgs, Guards
from infra.identity import Access
from infra.job_role import JobAccess, job_role_arn
from infra.launch import NodeArgs
from infra.layouts import LAYOUTS, allowed_flows, layout_of
from infra.lustre import LustreArgs, LustreFileSystem
from infra.naming import Naming
from infra.network import Network, NetworkArgs
from infra.nvme import Nvme, NvmeArgs
from infra.pool import Pool, PoolArgs
from infra.scheduler import SchedulerArgs, SlurmCluster
from infra.workers import WorkerFleet, WorkersArgs
from planner.stack.component import node_usd_per_hour
from planner.stack.names import fleet_groups
from planner.stack.slurm_settings import holds_pool
from planner.stack.spec import ClusterSpec, suffixes
from planner.stack.switching import standing

Settings = Mapping[str, pulumi.Input[str]]
# alarms of an Auto Scaling group that nodes of a Slurm cluster have no need of: nodes that do not come and those that
# fail EC2's checks take no jobs, which is counted; the bill goes on paying for them, $0.10 a month each
OF_A_GROUP = 2


@dataclass(frozen=True, kw_only=True)
class Stack:
    """The components of a stack. Those that its layout does not have are None."""

    network: Network
    data_bucket: DataBucket
    artefacts: Artefacts
    fleet: GpuFleet | None
    workers: WorkerFleet | None
    scheduler: SlurmCluster | None
    pool: Pool | None
    nvme: Nvme | None
    files: FilesDatabase | None
    lustre: LustreFileSystem | None


@dataclass(frozen=True, kw_only=True)
class _Base:
    """What every stack has before its first node."""

    naming: Naming
    data_bucket: DataBucket
    artefacts: Artefacts
    network: Network
    firewall: Firewall

    @property
    def ready(self) -> list[pulumi.Resource]:
        """What must exist before a node boots."""
        return [*self.network.ready, *self.firewall.rules, *self.artefacts.ready, *self.data_bucket.ready]


def compose(spec: ClusterSpec, bundle_folder: Path | None = None) -> Stack:
    """Create every component of a spec. bundle_folder: the folder of `make bundle`.

    Raises UsageProblem for a spec that does not fit its layout or the address space.
    """
    components, base = layout_of(spec).components, _base(spec, bundle_folder)
    pool = _control_nodes(spec, base) if "pool" in components else None
    nvme = _storage_cluster(spec, base) if "nvme" in components else None
    lustre = _file_system(spec, base) if "lustre" in components else None
    files = _files_database(spec, base) if spec.files else None
    workers = _workers(spec, base) if "workers" in components else None
    scheduler = _scheduler(spec, base) if spec.scheduler else None
    fleet = _fleet(spec, base, pool, nvme, lustre or files, scheduler) if workers is None else None
    if scheduler and fleet:
        scheduler.queues(spec, fleet.slurm_groups)
    stack = Stack(
        network=base.network,
        data_bucket=base.data_bucket,
        artefacts=base.artefacts,
        fleet=fleet,
        workers=workers,
        scheduler=scheduler,
        pool=pool,
        nvme=nvme,
        files=files,
        lustre=lustre,
    )
    _guard(spec, base.naming, stack)
    return stack


def _base(spec: ClusterSpec, bundle_folder: Path | None) -> _Base:
    account = aws.get_caller_identity_output().account_id
    naming = Naming(
        stack=spec.stack,
        plan_sha256=spec.plan_sha256,
        region=spec.region,
        account=account,
        boundary=spec.permissions_boundary or None,
    )
    data_bucket = DataBucket(
        naming,
        DataBucketArgs(
            kept_prefix=spec.data.kept_prefix,
            beside_hot_class=spec.data.beside_hot_class,
            lustre=spec.lustre is not None,
        ),
    )
    artefacts = Artefacts(naming, ArtefactsArgs(key=data_bucket.key, bundle=bundle_of(spec), folder=bundle_folder))
    network = Network(
        naming,
        NetworkArgs(
            zone_id=spec.zone_id,
            began_as=f"{standing(spec)}{' canary' if spec.canary else ''}",
            addresses=addresses_of(spec),
            interface_endpoints=spec.interface_endpoints,
            gateway_endpoint=spec.gateway_endpoint,
            buckets=[bucket_arn(data_bucket.bucket.id), bucket_arn(artefacts.bucket.id)],
            read_buckets=spec.extra_buckets,
            more_zones=spec.workers.more_zones if spec.workers else (),
        ),
    )
    firewall = Firewall(network, allowed_flows(spec))
    return _Base(naming=naming, data_bucket=data_bucket, artefacts=artefacts, network=network, firewall=firewall)


def _node_settings(spec: ClusterSpec, base: _Base, role: str, group: str = "") -> Settings:
    """Environment of the bundle on nodes of a role. group: physical name of their Auto Scaling group."""
    return {
        "PLANNER_REGION": base.naming.region,
        "PLANNER_BUCKET": base.artefacts.bucket.id,
        "PLANNER_DATA": base.data_bucket.bucket.id,
        "PLANNER_ROLE": role,
        **({"PLANNER_PROXIES": " ".join(base.network.addresses.control)} if base.network.addresses.control else {}),
        **({"PLANNER_GROUP": group} if group else {}),
        **({} if role == "gpu" else _expected(spec, role)),
    }


def _expected(spec: ClusterSpec, role: str) -> Settings:
    """What `planner-ready` looks for there."""
    expected = str(expected_of(spec)[role])
    return {"PLANNER_EXPECTED": expected} if expected else {}


def _price(spec: ClusterSpec) -> Settings:
    """What a GPU node costs an hour, for the reasons of planner-health; nothing where the bill has no hourly price."""
    usd = node_usd_per_hour(spec)
    return {health.PRICE: f"{usd:.4f}"} if usd else {}


def _access(
    spec: ClusterSpec,
    *,
    groups: Sequence[str] = (),
    others: tuple[str, ...] = (),
    daemon: str = "",
    jobs: bool = False,
    by_pcs: bool = False,
    secret: pulumi.Input[str] | None = None,
) -> Access:
    """Nodes read the data set, and read and write checkpoints, nothing else of the bucket. daemon: of the pool, whose
    canary has a prefix of its own. jobs: whether planner-launch starts jobs there, which has two; a job may measure
    the network."""
    reads, launch = (spec.data.dataset_prefix,), ((records.PREFIX, records.LOGS) if jobs else ())
    sick = (health.PREFIX,) if jobs else ()
    canary = (CANARY,) if daemon else ()
    blocks = (f"{VOLUME}/",) if spec.files and daemon == "target" else ()  # jobs open files; only the pool has blocks
    own = JobAccess(
        reads=reads,
        writes=(spec.data.checkpoint_prefix, *canary, *launch, passes.PREFIX),
        others=others,
        lists_all=spec.control.count > 0,
    )
    return Access(
        reads=reads,
        writes=(spec.data.checkpoint_prefix, boot_log.PREFIX, *canary, *blocks, *launch, *sick),
        jobs=own if jobs else None,
        others=others,
        groups=tuple(groups),
        daemon=daemon,
        authority=spec.pool is not None and spec.pool.tls,
        by_pcs=by_pcs,
        secret=secret,
    )


def _control_nodes(spec: ClusterSpec, base: _Base) -> Pool:
    nodes = NodeArgs(
        data_bucket=base.data_bucket,
        artefacts=base.artefacts,
        subnet_id=base.network.private["control"].id,
        security_group_id=base.firewall.groups["pool"].id,
        access=_access(spec, daemon="proxy"),
        settings=_node_settings(spec, base, "control"),
        waits_for=base.ready,
    )
    ami = spec.control.ami or spec.fleet.ami
    return Pool(base.naming, nodes, PoolArgs(control=spec.control, ami=ami, addresses=base.network.addresses.control))


def _storage_cluster(spec: ClusterSpec, base: _Base) -> Nvme:
    assert spec.nvme is not None  # layout_of has checked it
    group = base.naming.physical("nvme-group")
    nodes = NodeArgs(
        data_bucket=base.data_bucket,
        artefacts=base.artefacts,
        subnet_id=base.network.nodes.id,
        security_group_id=base.firewall.groups["nvme"].id,
        access=_access(spec, groups=[group], daemon="target"),
        settings=_node_settings(spec, base, "storage", group),
        waits_for=base.ready,
    )
    image = spec.control if spec.control.ami else spec.fleet
    return Nvme(base.naming, nodes, NvmeArgs(cluster=spec.nvme, ami=image.ami, root_device=image.root_device))


def _file_system(spec: ClusterSpec, base: _Base) -> LustreFileSystem:
    assert spec.lustre is not None  # layout_of has checked it
    # EFA works only between members of one group
    groups = ("lustre", "fleet") if spec.lustre.efa else ("lustre",)
    return LustreFileSystem(
        base.naming,
        LustreArgs(
            size=spec.lustre,
            subnet_id=base.network.nodes.id,
            security_group_ids=[base.firewall.groups[group].id for group in groups],
            bucket=base.data_bucket.bucket.id,
            prefixes={one: getattr(spec.data, one.prefix) for one in LAYOUTS[spec.layout].directories},
            key_arn=base.data_bucket.key.arn,
            waits_for=[*base.firewall.rules, *base.data_bucket.ready],
        ),
    )


def _files_database(spec: ClusterSpec, base: _Base) -> FilesDatabase:
    assert spec.files is not None
    return FilesDatabase(
        base.naming,
        FilesArgs(
            size=spec.files,
            vpc_id=base.network.vpc.id,
            zone_ids=(spec.zone_id, spec.files.second_zone_id),
            blocks=FILES,
            security_group_id=base.firewall.groups["files"].id,
            key_arn=base.data_bucket.key.arn,
            waits_for=[*base.firewall.rules, base.data_bucket.key],
        ),
    )


def _scheduler(spec: ClusterSpec, base: _Base) -> SlurmCluster:
    # how far a gang is follows from when its COMMITs were written
    commits = (spec.data.checkpoint_prefix,) if spec.scheduler and spec.scheduler.markets else ()
    nodes = NodeArgs(
        data_bucket=base.data_bucket,
        artefacts=base.artefacts,
        subnet_id=base.network.nodes.id,
        security_group_id=base.firewall.groups["login"].id,
        access=Access(
            reads=(),
            writes=(boot_log.PREFIX,),
            by_pcs=True,
            bundles=(SETTINGS.partition("/")[0],),
            lists=commits,
        ),
        settings={**_node_settings(spec, base, "login"), "PLANNER_STACK": spec.stack},
        waits_for=base.ready,
        by_pcs=True,
    )
    args = SchedulerArgs(spec=spec, security_group_id=base.firewall.groups["scheduler"].id)
    return SlurmCluster(base.naming, nodes, args)


def _fleet(
    spec: ClusterSpec,
    base: _Base,
    pool: Pool | None,
    nvme: Nvme | None,
    shared: LustreFileSystem | FilesDatabase | None,
    scheduler: SlurmCluster | None,
) -> GpuFleet:
    groups = fleet_groups(spec)
    nodes = NodeArgs(
        data_bucket=base.data_bucket,
        artefacts=base.artefacts,
        subnet_id=base.network.nodes.id,
        security_group_id=base.firewall.groups["fleet"].id,
        access=_access(
            spec,
            groups=[] if scheduler else groups,
            others=spec.extra_buckets,
            daemon="target" if LAYOUTS[spec.layout].targets_on == "gpu" else "",
            jobs=True,
            by_pcs=scheduler is not None,
            secret=shared.secret_arn if isinstance(shared, FilesDatabase) else None,
        ),
        settings={
            **_node_settings(spec, base, "gpu"),
            **_mount_settings(spec, shared),
            **_give_up_settings(spec),
            job_credentials.ROLE_VARIABLE: job_role_arn(base.naming),
        },
        waits_for=[
            *base.ready,
            *(pool.nodes if pool else ()),
            *(shared.ready if shared else ()),
            *((nvme.group,) if nvme else ()),
        ],
        by_pcs=scheduler is not None,
    )
    return GpuFleet(
        base.naming,
        nodes,
        FleetArgs(
            kinds=tuple(
                NodesOfType(
                    fleet=one.fleet,
                    nics=interfaces_of(one),
                    settings={
                        **_expected(one, "gpu"),
                        **_price(one),
                        # the drives of one type are the pool, and the others' nodes its clients
                        **({CLIENT: "yes"} if at and holds_pool(spec) else {}),
                    },
                )
                for at, one in enumerate(spec.by_type)
            ),
            buying=spec.buying,
            blocks=spec.blocks,
            canary=spec.canary,
            may_move=spec.fallback is not None,
            cluster=NodesOfSlurm(spec=spec, cluster_id=scheduler.cluster_id) if scheduler else None,
        ),
    )


def _workers(spec: ClusterSpec, base: _Base) -> WorkerFleet:
    assert spec.workers is not None  # layout_of has checked it
    return WorkerFleet(
        base.naming,
        WorkersArgs(
            fleet=spec.fleet,
            settings=spec.workers,
            spot=spec.buying.kind == "spot",
            data=spec.data,
            data_bucket=base.data_bucket,
            artefacts=base.artefacts,
            subnet_ids=[subnet.id for subnet in base.network.of_nodes],
            security_group_id=base.firewall.groups["fleet"].id,
            waits_for=base.ready,
        ),
    )


def _mount_settings(spec: ClusterSpec, shared: LustreFileSystem | FilesDatabase | None) -> Settings:
    """What nodes mount, and over which network; or where the metadata of their files is."""
    if isinstance(shared, FilesDatabase):
        connections = mount_connections(spec.fleet.nodes)
        return {
            "PLANNER_FILES": shared.url(connections),
            "PLANNER_FILES_SECRET": shared.secret_arn,
        }
    if shared is None or spec.lustre is None:
        return {}
    return {"PLANNER_LUSTRE": shared.mount_source, "PLANNER_FABRIC": "efa" if spec.lustre.efa else "tcp"}


def _give_up_settings(spec: ClusterSpec) -> Settings:
    """How long nodes wait for the rest of their fleet. A Capacity Block is paid whether it is used or not, and jobs of
    a Slurm cluster need not be as large as the fleet."""
    hours = 0 if spec.blocks or spec.scheduler else spec.guard.give_up_hours
    return {starts.GIVE_UP: f"{hours:g}"} if hours else {}


def _guard(spec: ClusterSpec, naming: Naming, stack: Stack) -> None:
    alarms = alarms_of(spec, (*LAYOUTS[spec.layout].components, *(("files",) if spec.files else ())))
    if spec.guard.alarms > len(alarms) + (OF_A_GROUP if spec.scheduler else 0):
        pulumi.log.warn(f"the bill pays for {spec.guard.alarms} alarms; this stack has only {len(alarms)}")
    groups = stack.fleet.groups if stack.fleet else []
    dimensions: dict[str, Mapping[str, pulumi.Input[str]]] = {
        **{
            f"fleet{suffix}": {"AutoScalingGroupName": group.name}
            for suffix, group in zip(suffixes(spec.blocks), groups, strict=bool(groups))
        },
        **(
            {
                f"fleet{suffix}": {gpu_use.OF_SLURM: name}
                for suffix, name in zip(spec.group_suffixes, fleet_groups(spec), strict=True)
            }
            if stack.scheduler
            else {}
        ),
        "scheduler": {watch.STACK: spec.stack},
        "network": {"NatGatewayId": stack.network.nat.id},
        "pool": {watch.STACK: spec.stack},
        **({"nvme": {"AutoScalingGroupName": stack.nvme.group.name}} if stack.nvme else {}),
        **({"files": {"DBInstanceIdentifier": stack.files.instance.identifier}} if stack.files else {}),
        **({"lustre": {"FileSystemId": stack.lustre.file_system.id}} if stack.lustre else {}),
    }
    guards = Guards(
        naming,
        GuardArgs(
            guard=spec.guard,
            blocks=spec.blocks,
            alarms=paid_for(alarms, spec.guard.alarms),
            dimensions=dimensions,
            groups=groups,
            storage_groups=[stack.nvme.group] if stack.nvme else [],
            data_bucket=stack.data_bucket.bucket.id,
            queue=stack.workers.queue.arn if stack.workers else None,
            by_pcs=stack.scheduler is not None,
        ),
    )
    if stack.workers:
        return  # it would have alarms alone: AWS Batch has pages of its own for jobs
    dashboard(
        guards,
        spec,
        groups=fleet_groups(spec) if stack.scheduler else [group.name for group in groups],
        storage_groups=[stack.nvme.group.name] if stack.nvme else [],
        file_system=stack.lustre.file_system.id if stack.lustre else None,
        alarms=guards.alarms,
    )
