"""Instance types as hardware: GPUs, memory, drives, network. No prices here."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class InstanceType:
    """Facts of one EC2 instance type.

    memory_mib: MiB. nvme_drive_gb: decimal GB of one instance-store drive. network_mbps: megabits a
    second over all cards. efa_interfaces: 0 where the type has no EFA. nitro_version: 0 where unknown.
    peak_tflops: dense fp16/bf16 tensor peak of one accelerator, None where no data sheet was found.
    """

    name: str
    vcpu: int
    memory_mib: int
    gpu_count: int
    gpu_name: str
    nvme_drives: int
    nvme_drive_gb: float
    network_mbps: int
    network_cards: int
    max_network_interfaces: int
    efa_interfaces: int
    nitro_version: int
    ebs_mbps: int
    peak_tflops: float | None
    source: str
    notes: str = ""

    @property
    def raw_nvme_tb(self) -> float:
        """Decimal TB of instance-store NVMe on one node."""
        return self.nvme_drives * self.nvme_drive_gb / 1000.0

    @property
    def family(self) -> str:
        """`p5` of `p5.48xlarge`: the unit that an EC2 Instance Savings Plan covers."""
        return self.name.split(".", 1)[0]
