"""The environment of the command on one node: rendezvous, and NCCL over EFA by instance type. Pure.

Rendezvous: torchrun reads PET_<OPTION> for every option that its command line leaves out (torch.distributed.run,
"env" and "check_env" actions). The static backend keeps our ranks; c10d would sort nodes by host name. Both find the
same endpoint, so `torchrun --rdzv-backend=c10d` works too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fleet_pool.compat import frozen
from fleet_pool.launch.ranks import Member

FIRST_PORT, PORTS = 29400, 100  # 29400 is torchrun's own default; each attempt has another, so that no late rank joins

# Families whose EFA reads and writes GPU or accelerator memory (AWS, EFA User Guide, "Get started with EFA and NCCL";
# Neuron documentation, "EFA"; read 2026-11-23). g5, g6 and g6e have EFA without it on most sizes.
DEVICE_RDMA = ("p4d", "p4de", "p5", "p5e", "p5en", "p6", "trn1", "trn1n", "trn2")


@frozen
class Fabric:
    """What a node has. interface: that carries its address. efa_devices: of the driver efa."""

    instance_type: str
    interface: str
    efa_devices: int


def of_fabric(fabric: Fabric) -> dict[str, str]:
    """NCCL, Gloo and libfabric on this type (aws-samples/awsome-distributed-training, EFA cheatsheet, read
    2026-11-23). Newer plugins choose protocol, channels and buffers themselves; setting those would undo it."""
    sockets = {"NCCL_SOCKET_IFNAME": f"={fabric.interface}", "GLOO_SOCKET_IFNAME": fabric.interface}
    found = {"NCCL_DEBUG": "WARN", **(sockets if fabric.interface else {})}
    if not fabric.efa_devices:
        return found
    found["FI_PROVIDER"] = "efa"  # aws-ofi-nccl up to 1.5 needs it; a libfabric that falls back to TCP is an error
    found["FI_EFA_USE_HUGE_PAGE"] = "0"  # data loaders that fork would run out of huge pages
    found["FI_EFA_FORK_SAFE"] = "1"  # kernels before 5.15; no effect on later ones
    family = fabric.instance_type.partition(".")[0].partition("-")[0]
    if family in DEVICE_RDMA:
        found["FI_EFA_USE_DEVICE_RDMA"] = "1"  # libfabric before 1.18; the default of later ones
    return found


def of_rendezvous(members: Sequence[Member], rank: int, *, run: str, attempt: int) -> dict[str, str]:
    """How rank `rank` of the members finds the others."""
    master, port = members[0].address, str(FIRST_PORT + attempt % PORTS)
    return {
        "MASTER_ADDR": master,
        "MASTER_PORT": port,
        "NNODES": str(len(members)),
        "NODE_RANK": str(rank),
        "PET_NNODES": str(len(members)),
        "PET_NODE_RANK": str(rank),
        "PET_MASTER_ADDR": master,
        "PET_MASTER_PORT": port,
        "PET_RDZV_BACKEND": "static",
        "PET_RDZV_ENDPOINT": f"{master}:{port}",
        "PET_RDZV_ID": f"{run}-{attempt}",
        "PET_MAX_RESTARTS": "0",  # restarts are the launcher's: torchrun on one node cannot replace another
    }


def of_logs(folder: str) -> dict[str, str]:
    """torchrun writes the output of each rank into files of its own, and still to its own output."""
    return {"PET_LOG_DIR": folder, "PET_TEE": "3"}


def of_checkpoints(bucket: str, prefix: str, commit: int | None) -> Mapping[str, str]:
    """Where the job saves and restores (fleet_pool.client.Checkpoints). PLANNER_COMMIT: the newest committed step."""
    return {
        "PLANNER_STORE": f"s3://{bucket}",
        "PLANNER_CHECKPOINTS": prefix,
        "PLANNER_COMMIT": "" if commit is None else str(commit),
    }
