"""Instance types as hardware: GPUs, memory, drives, network. No prices here."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class InstanceType:
    """Facts of one EC2 instance type.

    memory_mib: MiB. gpu_count, gpu_name: GPUs, or AWS's own accelerators if there are no GPUs ("Trainium").
    nvme_drives: 0 without instance store, or if the number of drives is not published. nvme_drive_gb: decimal GB of one
    instance-store drive. nvme_total_gb: of all together. network_mbps: Mbit/s over all cards. efa_interfaces: 0 if the
    type has no EFA. nitro_version: 0 if unknown. peak_tflops: dense fp16/bf16 tensor peak of one accelerator, None if
    no data sheet was found.
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
    nvme_total_gb: float = 0.0

    @property
    def raw_nvme_tb(self) -> float:
        """Decimal TB of instance-store NVMe on one node, also if the number of drives is not known."""
        return (self.nvme_drives * self.nvme_drive_gb or self.nvme_total_gb) / 1000.0

    @property
    def has_gpus(self) -> bool:
        """Whether its accelerators are GPUs, not AWS's own: an hour of one is no hour of the other."""
        return bool(self.gpu_count) and not self.gpu_name.startswith(("Trainium", "Inferentia"))

    @property
    def family(self) -> str:
        """`p5` of `p5.48xlarge`: the unit that an EC2 Instance Savings Plan covers."""
        return self.name.split(".", 1)[0]


@dataclass(frozen=True, kw_only=True)
class FsxPerformance:
    """Throughput and cache of FSx for Lustre per TiB of capacity. Rates in MB/s per TiB, cache in GiB per TiB.

    deployment, tier: "PERSISTENT_2", 250. None: not in the User Guide's tables.
    """

    deployment: str
    tier: int
    network_baseline: float
    network_burst: float | None
    disk_read: float
    disk_write: float
    disk_burst: float | None
    ram_cache: float | None
    source: str
