"""Who may connect to whom, and on which ports: the allowed flows of every stack and of each component.

layouts.py says which of them a layout has; firewall.py turns them into security groups and rules.
"""

from __future__ import annotations

from dataclasses import dataclass

from fleet_pool.settings import FIRST_PORT, LAST_PORT

Ports = tuple[str, int | None, int | None]  # protocol, first and last port

ANYWHERE = "anywhere"  # as a target: 0.0.0.0/0
ALL: tuple[Ports, ...] = (("-1", None, None),)
HTTPS: tuple[Ports, ...] = (("tcp", 443, 443),)
POOL: tuple[Ports, ...] = (("tcp", FIRST_PORT, LAST_PORT),)  # AIStore: listeners of proxies and targets
POSTGRES: tuple[Ports, ...] = (("tcp", 5432, 5432),)
LUSTRE: tuple[Ports, ...] = (("tcp", 988, 988), ("tcp", 1018, 1023))  # FSx for Lustre User Guide: clients and servers


@dataclass(frozen=True, kw_only=True)
class AllowedFlow:
    """Connections that the firewall allows, in one direction. source, target: security groups, or ANYWHERE."""

    source: str
    target: str
    ports: tuple[Ports, ...]
    why: str


# EFA needs all protocols inside the fleet's group
EVERY_STACK = (
    AllowedFlow(source="fleet", target="fleet", ports=ALL, why="EFA between the nodes"),
    AllowedFlow(source="fleet", target=ANYWHERE, ports=HTTPS, why="S3, Systems Manager, images"),
)
# workers know nothing of each other
WORKER_NODES = (AllowedFlow(source="fleet", target=ANYWHERE, ports=HTTPS, why="S3, Amazon ECS, images"),)
CONTROL_NODES = (
    AllowedFlow(source="pool", target="pool", ports=POOL, why="proxies among themselves"),
    AllowedFlow(source="pool", target=ANYWHERE, ports=HTTPS, why="S3, Systems Manager, packages"),
    AllowedFlow(source="fleet", target="pool", ports=POOL, why="clients and targets reach the proxies"),
)
TARGETS_ON_GPU_NODES = (AllowedFlow(source="pool", target="fleet", ports=POOL, why="proxies reach the targets"),)
METADATA = (AllowedFlow(source="fleet", target="files", ports=POSTGRES, why="mounts ask for metadata"),)
STORAGE_CLUSTER = (
    AllowedFlow(source="nvme", target="nvme", ports=POOL, why="targets of the storage cluster"),
    AllowedFlow(source="nvme", target=ANYWHERE, ports=HTTPS, why="S3, Systems Manager, packages"),
    AllowedFlow(source="fleet", target="nvme", ports=POOL, why="training reads the storage cluster"),
    AllowedFlow(source="pool", target="nvme", ports=POOL, why="proxies reach the targets"),
    AllowedFlow(source="nvme", target="pool", ports=POOL, why="targets reach the proxies"),
)
# AWS PCS User Guide, "Security groups": controller, daemons of the nodes, database. What a step tells its srun stays in
# the fleet, or goes to the login node
SLURMCTLD: tuple[Ports, ...] = (("tcp", 6817, 6817),)
SLURMD: tuple[Ports, ...] = (("tcp", 6818, 6818),)
SLURMDBD: tuple[Ports, ...] = (("tcp", 6819, 6819),)
SRUN: tuple[Ports, ...] = (("tcp", 1024, 65535),)
SLURM_CLUSTER = (
    AllowedFlow(source="scheduler", target="scheduler", ports=ALL, why="parts of the controller"),
    AllowedFlow(source="fleet", target="scheduler", ports=(*SLURMCTLD, *SLURMDBD), why="nodes and jobs ask Slurm"),
    AllowedFlow(source="scheduler", target="fleet", ports=SLURMD, why="Slurm starts jobs on nodes"),
    AllowedFlow(source="login", target="scheduler", ports=(*SLURMCTLD, *SLURMDBD), why="people submit jobs"),
    AllowedFlow(source="scheduler", target="login", ports=SLURMD, why="Slurm knows the login node too"),
    AllowedFlow(source="login", target="fleet", ports=SLURMD, why="srun starts steps on nodes"),
    AllowedFlow(source="fleet", target="login", ports=SRUN, why="steps answer srun"),
    AllowedFlow(source="login", target=ANYWHERE, ports=HTTPS, why="S3, Systems Manager, packages"),
)
FILE_SYSTEM = (
    AllowedFlow(source="lustre", target="lustre", ports=LUSTRE, why="between file servers"),
    AllowedFlow(source="fleet", target="lustre", ports=LUSTRE, why="clients mount the file system"),
    AllowedFlow(source="lustre", target="fleet", ports=LUSTRE, why="file servers call clients back"),
)
