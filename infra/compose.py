"""The whole stack of a spec: which components, in which order, and what each is told of the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pulumi
import pulumi_aws as aws
from fleet_pool.node.facts import Stack as PoolStack

from infra.addresses import AddressPlan, address_plan, lustre_addresses
from infra.alarms import paid_for, watches
from infra.artefacts import Artefacts, ArtefactsArgs, Bundle, bundle
from infra.buckets import bucket_arn
from infra.firewall import Firewall, ways
from infra.fleet import FleetArgs, GpuFleet, data_access
from infra.guard import GuardArgs, Guards
from infra.lustre import LustreArgs, LustreFileSystem
from infra.naming import Naming
from infra.network import ENDPOINTS, Network, NetworkArgs
from infra.nics import Nic, addresses_per_node, nics
from infra.nvme import Nvme, NvmeArgs
from infra.pool import Pool, PoolArgs
from infra.tier import Tier, TierArgs
from planner.errors import UsageProblem
from planner.stack.spec import ClusterSpec
from planner.stack.spec import Pool as PoolSettings

DATASET, CHECKPOINTS = "dataset", "checkpoints"  # directories of a file system

Settings = dict[str, pulumi.Input[str]]


@dataclass(frozen=True, kw_only=True)
class Stack:
    """What stands; parts that a layout does not have are None."""

    network: Network
    tier: Tier
    artefacts: Artefacts
    fleet: GpuFleet
    pool: Pool | None
    nvme: Nvme | None
    lustre: LustreFileSystem | None


def plan_addresses(spec: ClusterSpec, interfaces: tuple[Nic, ...]) -> AddressPlan:
    """Subnets for the nodes of a spec and for all else that takes an address. Raises UsageProblem."""
    others = min(spec.interface_endpoints, len(ENDPOINTS)) + (spec.nvme.nodes if spec.nvme else 0)
    if spec.lustre:
        others += lustre_addresses(spec.lustre.capacity_gib)
    return address_plan(
        nodes=spec.fleet.nodes,
        per_node=addresses_per_node(interfaces),
        others=others,
        control=spec.control.count,
    )


def bundle_of(spec: ClusterSpec) -> Bundle:
    """What the nodes of a spec fetch: nothing in it changes with prices."""
    fleet = spec.fleet
    interfaces = nics(fleet.instance_type, fleet.nic_profile, fleet.network_cards, fleet.efa_interfaces)
    return bundle(_told(spec, plan_addresses(spec, interfaces).control))


def compose(spec: ClusterSpec, built: Path | None = None) -> Stack:
    """Every component of a spec. built: the folder of `make bundle`. Raises UsageProblem where it cannot stand."""
    for layout, part in (("fsx-lustre", spec.lustre), ("separate-nvme", spec.nvme)):
        if (spec.layout == layout) != (part is not None):
            word = "needs" if part is None else "takes no"
            raise UsageProblem(f"layout {spec.layout} {word} {'file system' if layout == 'fsx-lustre' else 'cluster'}")
    account = aws.get_caller_identity_output().account_id
    naming = Naming(stack=spec.stack, plan_sha256=spec.plan_sha256, region=spec.region, account=account)
    fleet = spec.fleet
    interfaces = nics(fleet.instance_type, fleet.nic_profile, fleet.network_cards, fleet.efa_interfaces)
    tier = Tier(
        naming,
        TierArgs(
            kept_prefix=spec.data.kept_prefix,
            beside_hot_class=spec.data.beside_hot_class,
            lustre=spec.layout == "fsx-lustre",
        ),
    )
    artefacts = Artefacts(naming, ArtefactsArgs(key=tier.key, bundle=bundle_of(spec), folder=built))
    network = Network(
        naming,
        NetworkArgs(
            zone_id=spec.zone_id,
            addresses=plan_addresses(spec, interfaces),
            interface_endpoints=spec.interface_endpoints,
            gateway_endpoint=spec.gateway_endpoint,
            buckets=[bucket_arn(tier.bucket.id), bucket_arn(artefacts.bucket.id)],
        ),
    )
    efa_on_lustre = bool(spec.lustre and spec.lustre.efa)
    firewall = Firewall(network, ways(spec.layout, control=spec.control.count > 0, efa_on_lustre=efa_on_lustre))
    settings: Settings = {
        "PLANNER_REGION": spec.region,
        "PLANNER_BUCKET": artefacts.bucket.id,
        "PLANNER_DATA": tier.bucket.id,
    }
    ready: list[pulumi.Resource] = [*network.ready, *firewall.rules, *artefacts.ready, *tier.ready]
    builder = _Builder(spec, naming, tier, artefacts, network, firewall, settings, ready)
    pool, nvme, lustre = builder.pool(), builder.nvme(), builder.lustre()
    gpu_fleet = builder.fleet(interfaces, pool, nvme, lustre)
    _guard(spec, naming, network, gpu_fleet, pool, nvme, lustre)
    return Stack(network=network, tier=tier, artefacts=artefacts, fleet=gpu_fleet, pool=pool, nvme=nvme, lustre=lustre)


def _told(spec: ClusterSpec, proxies: Sequence[str]) -> PoolStack:
    """What the bundle says of the stack to a node."""
    targets, pool = spec.nvme or spec.fleet, spec.pool or PoolSettings()
    return PoolStack(
        name=spec.stack,
        layout=spec.layout,
        proxies=tuple(proxies),
        targets_on="" if not proxies else "storage" if spec.nvme else "gpu",
        drives=targets.drives if proxies else 0,
        reserved_vcpu=spec.fleet.reserved_vcpu,
        tls=pool.tls and bool(proxies),
        low_watermark_percent=pool.low_watermark_percent,
        dataset_prefix=spec.data.dataset_prefix,
        checkpoint_prefix=spec.data.checkpoint_prefix,
        checkpoints_kept=0 if spec.data.checkpoints_kept == "all" else int(spec.data.checkpoints_kept),
    )


@dataclass(frozen=True)
class _Builder:
    """The parts that launch nodes or serve them, from what they all share."""

    spec: ClusterSpec
    naming: Naming
    tier: Tier
    artefacts: Artefacts
    network: Network
    firewall: Firewall
    settings: Settings
    ready: list[pulumi.Resource]

    def pool(self) -> Pool | None:
        spec = self.spec
        if not spec.control.count:
            return None
        addresses = self.network.addresses.control
        self.settings["PLANNER_PROXIES"] = " ".join(addresses)
        return Pool(
            self.naming,
            self.tier,
            self.artefacts,
            PoolArgs(
                control=spec.control,
                ami=spec.control.ami or spec.fleet.ami,
                addresses=addresses,
                subnet_id=self.network.private["control"].id,
                security_group_id=self.firewall.groups["pool"].id,
                access=data_access(spec, "", "proxy"),
                settings={**self.settings, "PLANNER_ROLE": "control"},
                waits_for=self.ready,
            ),
        )

    def nvme(self) -> Nvme | None:
        spec = self.spec
        if spec.nvme is None:
            return None
        own = bool(spec.control.ami)
        return Nvme(
            self.naming,
            self.tier,
            self.artefacts,
            NvmeArgs(
                cluster=spec.nvme,
                ami=spec.control.ami if own else spec.fleet.ami,
                root_device=spec.control.root_device if own else spec.fleet.root_device,
                subnet_id=self.network.nodes.id,
                security_group_id=self.firewall.groups["nvme"].id,
                access=data_access(spec, self.naming.physical("nvme-group"), "target"),
                settings={
                    **self.settings,
                    "PLANNER_ROLE": "storage",
                    "PLANNER_GROUP": self.naming.physical("nvme-group"),
                },
                waits_for=self.ready,
            ),
        )

    def lustre(self) -> LustreFileSystem | None:
        spec = self.spec
        if spec.lustre is None:
            return None
        groups: list[pulumi.Input[str]] = [self.firewall.groups["lustre"].id]
        if spec.lustre.efa:
            groups.append(self.firewall.groups["fleet"].id)  # EFA speaks only inside one group
        found = LustreFileSystem(
            self.naming,
            LustreArgs(
                size=spec.lustre,
                subnet_id=self.network.nodes.id,
                security_group_ids=groups,
                bucket=self.tier.bucket.id,
                linked={DATASET: (spec.data.dataset_prefix, False), CHECKPOINTS: (spec.data.checkpoint_prefix, True)},
                key_arn=self.tier.key.arn,
                waits_for=[*self.firewall.rules, *self.tier.ready],
            ),
        )
        self.settings["PLANNER_LUSTRE"] = pulumi.Output.concat(
            found.file_system.dns_name, "@tcp:/", found.file_system.mount_name
        )
        return found

    def fleet(
        self, interfaces: tuple[Nic, ...], pool: Pool | None, nvme: Nvme | None, lustre: LustreFileSystem | None
    ) -> GpuFleet:
        served: list[pulumi.Resource] = [*(pool.nodes if pool else []), *(lustre.ready if lustre else [])]
        if nvme:
            served.append(nvme.group)
        group = self.naming.physical("fleet-group")
        return GpuFleet(
            self.naming,
            self.tier,
            self.artefacts,
            FleetArgs(
                nodes=self.spec.fleet,
                buying=self.spec.buying,
                nics=interfaces,
                subnet_id=self.network.nodes.id,
                security_group_id=self.firewall.groups["fleet"].id,
                access=data_access(self.spec, group, "target" if self.spec.layout == "converged" else ""),
                settings={**self.settings, "PLANNER_ROLE": "gpu", "PLANNER_GROUP": group},
                waits_for=[*self.ready, *served],
            ),
        )


def _guard(
    spec: ClusterSpec,
    naming: Naming,
    network: Network,
    fleet: GpuFleet,
    pool: Pool | None,
    nvme: Nvme | None,
    lustre: LustreFileSystem | None,
) -> None:
    dimensions: dict[str, Mapping[str, pulumi.Input[str]]] = {
        "group": {"AutoScalingGroupName": fleet.group.name},
        "nat": {"NatGatewayId": network.nat.id},
    }
    if nvme:
        dimensions["nvme"] = {"AutoScalingGroupName": nvme.group.name}
    if lustre:
        dimensions["lustre"] = {"FileSystemId": lustre.file_system.id}
    for number, node in enumerate(pool.nodes if pool else []):
        dimensions[f"pool-{number}"] = {"InstanceId": node.id}
    found = watches(
        nodes=spec.fleet.nodes,
        control=spec.control.count,
        storage_nodes=spec.nvme.nodes if spec.nvme else 0,
        lustre=lustre is not None,
        gateway_endpoint=spec.gateway_endpoint,
        waits=bool(spec.buying.starts),
    )
    if spec.guard.alarms > len(found):
        pulumi.log.warn(f"the bill has {spec.guard.alarms} alarms, and there are {len(found)} to set")
    Guards(
        naming,
        GuardArgs(
            guard=spec.guard,
            buying=spec.buying,
            nodes=spec.fleet.nodes,
            watches=paid_for(found, spec.guard.alarms),
            dimensions=dimensions,
            group=fleet.group,
        ),
    )
