"""One row for each storage layout: its components, its allowed flows (allowed_flows.py), and what its nodes get.

Network, firewall, data bucket, artefacts, fleet and guard belong to every stack. A layout adds components to them:
`pool` (control nodes), `nvme` (storage cluster), `lustre` (file system). `workers` has nodes of AWS Batch instead of
the group of the fleet. alarms.py lists the alarms of each component.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from infra.allowed_flows import (
    ALL,
    ANYWHERE,
    CONTROL_NODES,
    EVERY_STACK,
    FILE_SYSTEM,
    LUSTRE,
    METADATA,
    SLURM_CLUSTER,
    STORAGE_CLUSTER,
    TARGETS_ON_GPU_NODES,
    WORKER_NODES,
    AllowedFlow,
    Ports,
)
from planner.errors import UsageProblem
from planner.stack.spec import WORKERS, ClusterSpec


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
    """What a layout deploys in addition to the components of every stack.

    flows: without those of every stack, unless apart: whether its nodes know nothing of each other. targets_on: which
    nodes run the pool's targets: `gpu`, `storage`, or empty without a pool.
    """

    components: tuple[str, ...] = ()
    flows: tuple[AllowedFlow, ...] = ()
    targets_on: str = ""
    directories: tuple[Directory, ...] = ()
    apart: bool = False


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
    WORKERS: DeployedLayout(components=("workers",), flows=WORKER_NODES, apart=True),
}


def layout_of(spec: ClusterSpec) -> DeployedLayout:
    """The row of a spec's layout. Raises UsageProblem if the spec lacks one of its components, or has another one."""
    layout = LAYOUTS[spec.layout]
    given = {
        "pool": spec.control.count > 0,
        "nvme": spec.nvme is not None,
        "lustre": spec.lustre is not None,
        "workers": spec.workers is not None,
    }
    for component, is_given in given.items():
        if is_given != (component in layout.components):
            raise UsageProblem(f"layout {spec.layout} {'takes no' if is_given else 'needs'} {component}")
    return layout


def _egress(spec: ClusterSpec) -> tuple[AllowedFlow, ...]:
    """The ports of the plan's `deploy.egress`; HTTPS is allowed in every stack."""
    ports: tuple[Ports, ...] = tuple(("tcp", port, port) for port in dict.fromkeys(spec.egress) if port != 443)
    flow = AllowedFlow(source="fleet", target=ANYWHERE, ports=ports, why="deploy.egress of the plan")
    return (flow,) if ports else ()


def allowed_flows(spec: ClusterSpec) -> tuple[AllowedFlow, ...]:
    """Everything that may connect in a stack. A file system with EFA needs all protocols, like the fleet itself."""
    layout = LAYOUTS[spec.layout]
    cluster = SLURM_CLUSTER if spec.scheduler else ()
    files = METADATA if spec.files else ()
    flows = (*(() if layout.apart else EVERY_STACK), *layout.flows, *files, *cluster, *_egress(spec))
    if spec.lustre is None or not spec.lustre.efa:
        return flows
    return tuple(replace(flow, ports=ALL) if flow.ports == LUSTRE else flow for flow in flows)
