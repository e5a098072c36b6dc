"""One row for each storage layout: its components, who may connect to whom, and what its nodes are given.

Network, firewall, data bucket, artefacts, fleet and guard belong to every stack. A layout adds components to them:
`pool` (control nodes), `nvme` (storage cluster), `lustre` (file system). alarms.py lists the alarms of each component.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from fleet_pool.settings import FIRST_PORT, LAST_PORT

from planner.errors import UsageProblem
from planner.stack.spec import ClusterSpec

Ports = tuple[str, int | None, int | None]  # protocol, first and last port

ANYWHERE = "anywhere"  # as a target: 0.0.0.0/0
ALL: tuple[Ports, ...] = (("-1", None, None),)
HTTPS: tuple[Ports, ...] = (("tcp", 443, 443),)
POOL: tuple[Ports, ...] = (("tcp", FIRST_PORT, LAST_PORT),)  # AIStore: listeners of proxies and targets
LUSTRE: tuple[Ports, ...] = (("tcp", 988, 988), ("tcp", 1018, 1023))  # FSx for Lustre User Guide: clients and servers


@dataclass(frozen=True, kw_only=True)
class AllowedFlow:
    """Connections that the firewall allows, in one direction. source, target: security groups, or ANYWHERE."""

    source: str
    target: str
    ports: tuple[Ports, ...]
    why: str


@dataclass(frozen=True, kw_only=True)
class Directory:
    """A directory of the file system that is linked to a prefix of the data bucket.

    prefix: field of the spec's `data` section. exported: whether files written there are copied to S3.
    """

    name: str
    prefix: str
    exported: bool


@dataclass(frozen=True, kw_only=True)
class DeployedLayout:
    """What a layout deploys beside the components of every stack. flows: without those of every stack.

    targets_on: which nodes run the pool's targets: `gpu`, `storage`, or empty where there is no pool.
    """

    components: tuple[str, ...] = ()
    flows: tuple[AllowedFlow, ...] = ()
    targets_on: str = ""
    directories: tuple[Directory, ...] = ()


# EFA needs all protocols inside the fleet's group
EVERY_STACK = (
    AllowedFlow(source="fleet", target="fleet", ports=ALL, why="EFA between the nodes"),
    AllowedFlow(source="fleet", target=ANYWHERE, ports=HTTPS, why="S3, Systems Manager, images"),
)
CONTROL_NODES = (
    AllowedFlow(source="pool", target="pool", ports=POOL, why="proxies among themselves"),
    AllowedFlow(source="pool", target=ANYWHERE, ports=HTTPS, why="S3, Systems Manager, packages"),
    AllowedFlow(source="fleet", target="pool", ports=POOL, why="clients and targets reach the proxies"),
)
TARGETS_ON_GPU_NODES = (AllowedFlow(source="pool", target="fleet", ports=POOL, why="proxies reach the targets"),)
STORAGE_CLUSTER = (
    AllowedFlow(source="nvme", target="nvme", ports=POOL, why="targets of the storage cluster"),
    AllowedFlow(source="nvme", target=ANYWHERE, ports=HTTPS, why="S3, Systems Manager, packages"),
    AllowedFlow(source="fleet", target="nvme", ports=POOL, why="training reads the storage cluster"),
    AllowedFlow(source="pool", target="nvme", ports=POOL, why="proxies reach the targets"),
    AllowedFlow(source="nvme", target="pool", ports=POOL, why="targets reach the proxies"),
)
FILE_SYSTEM = (
    AllowedFlow(source="lustre", target="lustre", ports=LUSTRE, why="between file servers"),
    AllowedFlow(source="fleet", target="lustre", ports=LUSTRE, why="clients mount the file system"),
    AllowedFlow(source="lustre", target="fleet", ports=LUSTRE, why="file servers call clients back"),
)
LINKED_DIRECTORIES = (
    Directory(name="dataset", prefix="dataset_prefix", exported=False),
    Directory(name="checkpoints", prefix="checkpoint_prefix", exported=True),
)

LAYOUTS = {
    "converged": DeployedLayout(components=("pool",), flows=(*CONTROL_NODES, *TARGETS_ON_GPU_NODES), targets_on="gpu"),
    "fsx-lustre": DeployedLayout(components=("lustre",), flows=FILE_SYSTEM, directories=LINKED_DIRECTORIES),
    "separate-nvme": DeployedLayout(
        components=("pool", "nvme"), flows=(*CONTROL_NODES, *STORAGE_CLUSTER), targets_on="storage"
    ),
    "s3-stream": DeployedLayout(),
    "fsx-lustre-scratch": DeployedLayout(components=("lustre",), flows=FILE_SYSTEM),
}


def layout_of(spec: ClusterSpec) -> DeployedLayout:
    """The row of a spec's layout. Raises UsageProblem where the spec lacks one of its components, or has another."""
    layout = LAYOUTS[spec.layout]
    given = {"pool": spec.control.count > 0, "nvme": spec.nvme is not None, "lustre": spec.lustre is not None}
    for component, is_given in given.items():
        if is_given != (component in layout.components):
            raise UsageProblem(f"layout {spec.layout} {'takes no' if is_given else 'needs'} {component}")
    return layout


def allowed_flows(spec: ClusterSpec) -> tuple[AllowedFlow, ...]:
    """Everything that may connect in a stack. A file system with EFA needs all protocols, like the fleet itself."""
    flows = (*EVERY_STACK, *LAYOUTS[spec.layout].flows)
    if spec.lustre is None or not spec.lustre.efa:
        return flows
    return tuple(replace(flow, ports=ALL) if flow.ports == LUSTRE else flow for flow in flows)
