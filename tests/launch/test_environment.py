"""What a command finds in its environment on each type."""

from __future__ import annotations

import pytest
from fleet_pool.launch.environment import Fabric, of_fabric, of_rendezvous
from fleet_pool.launch.ranks import Member

MEMBERS = [Member(instance=f"i-{n}", incarnation="1", address=f"10.0.0.{n}") for n in (7, 8, 9)]


@pytest.mark.parametrize(
    ("instance_type", "devices", "efa", "gpu_memory"),
    [
        ("p4d.24xlarge", 4, True, True),
        ("p5.48xlarge", 32, True, True),
        ("p6-b200.48xlarge", 8, True, True),
        ("trn1.32xlarge", 8, True, True),
        ("g6.8xlarge", 1, True, False),
        ("g5.xlarge", 0, False, False),
        ("p5.48xlarge", 0, False, False),  # no device, whatever the type could have: sockets, instead of an error
    ],
)
def test_efa_by_type_and_by_what_the_node_has(instance_type, devices, efa, gpu_memory):
    found = of_fabric(Fabric(instance_type=instance_type, interface="ens32", efa_devices=devices))
    assert (found.get("FI_PROVIDER") == "efa", found.get("FI_EFA_USE_DEVICE_RDMA") == "1") == (efa, gpu_memory)
    assert ("FI_EFA_USE_HUGE_PAGE" in found) is efa
    # exactly this interface: without "=" NCCL takes every one whose name begins so
    assert (found["NCCL_SOCKET_IFNAME"], found["GLOO_SOCKET_IFNAME"]) == ("=ens32", "ens32")
    assert not found.keys() & {"NCCL_PROTO", "NCCL_ALGO", "NCCL_BUFFSIZE", "RDMAV_FORK_SAFE"}


def test_rank_0_is_the_meeting_place_and_each_attempt_has_a_port_of_its_own():
    first, second = (of_rendezvous(MEMBERS, 2, run="000007", attempt=attempt) for attempt in (1, 2))
    assert (first["MASTER_ADDR"], first["NNODES"], first["NODE_RANK"]) == ("10.0.0.7", "3", "2")
    assert (first["PET_RDZV_ENDPOINT"], second["PET_RDZV_ENDPOINT"]) == ("10.0.0.7:29401", "10.0.0.7:29402")
    assert first["PET_RDZV_ID"] != second["PET_RDZV_ID"]
