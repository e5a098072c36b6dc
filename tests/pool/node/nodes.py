"""Nodes of every layout and role as tests want them: what lsblk and sysfs tell of a p4d and a p5, stacks, facts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from fleet_pool import settings
from fleet_pool.node.facts import Node, Stack, stack_of

from infra.derived import bundle_of, expected_of
from infra.node.render import bundle_files, installed_files
from planner.stack.spec import ClusterSpec
from tests.cluster.specs import slurm_spec
from tests.infra.specs import fleet_of, spec_of, with_files

INSTANCE = "i-0123456789abcdef0"


def disk(name: str, *, model: str = settings.DRIVE_MODEL, size: int = 10**12, **more: Any) -> dict[str, Any]:
    """One entry of lsblk. NVMe models come padded with blanks."""
    found = {"name": name, "path": f"/dev/{name}", "type": "disk", "model": f"{model}      ", "size": size}
    return {**found, "serial": f"AWS{name.upper()}", "mountpoints": [None], "fstype": None, "label": None, **more}


def child(name: str, kind: str, place: str | None = None, *children: dict[str, Any]) -> dict[str, Any]:
    entry = {"name": name, "path": f"/dev/{'mapper/' if kind == 'lvm' else ''}{name}", "type": kind, "size": 1}
    return {**entry, "model": None, "mountpoints": [place], **({"children": list(children)} if children else {})}


def root_disk(name: str = "nvme0n1") -> dict[str, Any]:
    parts = [child(f"{name}p1", "part", "/"), child(f"{name}p15", "part", "/boot/efi")]
    return disk(name, model="Amazon Elastic Block Store", serial="vol0123", children=parts)


def p4d(**of_each: Any) -> dict[str, Any]:
    """Eight drives and the root, whose number is in the middle on this boot."""
    names = ["nvme3n1", "nvme1n1", "nvme8n1", "nvme5n1", "nvme0n1", "nvme7n1", "nvme2n1", "nvme6n1"]
    drives = [disk(name, **of_each) for name in names]
    return {"blockdevices": [*drives[:4], root_disk("nvme4n1"), *drives[4:]]}


def topology(sockets: int, nodes_per_socket: int, cores_per_node: int) -> Mapping[int, tuple[tuple[int, int], ...]]:
    """Cores with two hyperthreads, numbered as Linux does: first one thread of every core, then the other."""
    count, cores = sockets * nodes_per_socket, cores_per_node
    every = count * cores
    return {node: tuple((cpu, cpu + every) for cpu in range(node * cores, (node + 1) * cores)) for node in range(count)}


P4D_CORES = topology(2, 1, 24)  # two sockets of 24 cores: 96 vCPU
P5_CORES = topology(2, 1, 48)  # two sockets of 48 cores: 192 vCPU


@dataclass(frozen=True, kw_only=True)
class Case:
    """A node of some stack. cores: of its type, none where nothing is kept of them."""

    name: str
    spec: ClusterSpec
    role: str
    number: int = -1
    cores: tuple[tuple[int, Any], ...] = tuple(P5_CORES.items())

    @property
    def stack(self) -> Stack:
        return stack_of(json.loads(bundle_of(self.spec).texts["stack.json"]))

    @property
    def node(self) -> Node:
        return Node(
            role=self.role,
            instance=INSTANCE,
            address="10.0.255.229" if self.role == "control" else "10.0.1.7",
            number=self.number,
            group=""
            if self.role == "control"
            else f"planner-dev-{'nvme' if self.role == 'storage' else 'fleet'}-group",
            region="us-east-1",
            artefacts_bucket="planner-dev-artefacts-111122223333-us-east-1",
            data_bucket="planner-dev-data-111122223333-us-east-1",
        )

    @property
    def environment(self) -> dict[str, str]:
        """What the user data sets."""
        node = self.node
        found = {
            "PLANNER_ROLE": node.role,
            "PLANNER_REGION": node.region,
            "PLANNER_BUCKET": node.artefacts_bucket,
            "PLANNER_DATA": node.data_bucket,
        }
        expected = str(expected_of(self.spec)[self.role])
        if expected:
            found["PLANNER_EXPECTED"] = expected
        if node.group:
            found["PLANNER_GROUP"] = node.group
        if self.number >= 0:
            found["PLANNER_NUMBER"] = str(self.number)
        if self.stack.proxies:
            found["PLANNER_PROXIES"] = " ".join(self.stack.proxies)
        return found


def _converged(instance_type: str, reserved: int, nodes: int = 4) -> ClusterSpec:
    return spec_of("converged", fleet=replace(fleet_of(instance_type, nodes), reserved_vcpu=reserved))


CASES = (
    Case(name="control", spec=_converged("p4d.24xlarge", 8), role="control", number=1),
    Case(name="p4d", spec=_converged("p4d.24xlarge", 8), role="gpu", cores=tuple(P4D_CORES.items())),
    Case(name="p5", spec=_converged("p5.48xlarge", 12), role="gpu"),
    Case(name="files", spec=with_files(_converged("p5.48xlarge", 12)), role="gpu"),
    Case(name="storage", spec=spec_of("separate-nvme"), role="storage"),
    Case(name="client", spec=spec_of("separate-nvme"), role="gpu"),
    Case(name="no-pool", spec=spec_of("s3-stream"), role="gpu"),
    Case(name="lustre", spec=spec_of("fsx-lustre"), role="gpu"),
)
# nodes of a stack with a Slurm cluster, whose user data is a part of a MIME archive
IN_SLURM = (
    Case(name="slurm", spec=slurm_spec(), role="gpu"),
    Case(name="slurm-pool", spec=slurm_spec("separate-nvme"), role="gpu"),
)


def every_bundle() -> Iterator[tuple[str, Mapping[str, str], Mapping[str, str]]]:
    """Of each kind of stack: a name, the texts of its bundle, and what start.sh puts in place."""
    for name in ("p4d", "files", "storage", "no-pool", "lustre"):
        case = next(case for case in CASES if case.name == name)
        yield (
            {"p4d": "converged", "storage": "separate-nvme"}.get(name, name),
            bundle_files(case.stack),
            installed_files(case.stack),
        )


def bundles_in_slurm() -> Iterator[tuple[str, Mapping[str, str], Mapping[str, str]]]:
    """The same of stacks with a Slurm cluster."""
    for case in IN_SLURM:
        yield case.name, bundle_files(case.stack), installed_files(case.stack)
