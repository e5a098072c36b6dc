"""Which bill line of a plan a charge belongs to, from AWS's usage type and the component that the stack's tag names.

Usage types begin with a code of the Region outside us-east-1 (USW2-BoxUsage:p5.48xlarge), KMS's with its name.
Sources: AWS price list files (attribute usagetype) of EC2, EBS, VPC, S3, FSx, KMS and CloudWatch.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from planner.bills.charges import UNUSED, BilledCharge
from planner.models.bill_lines import BLOCK_UNUSED, COMMITMENT_UNUSED, COMPUTE, COMPUTE_FALLBACK

_REGION = re.compile(r"^(?:[A-Z]{2,4}[0-9]-|EU-|[a-z]{2}(?:-[a-z]+)+-[0-9]-)")
_INSTANCES = re.compile(
    r"^(?P<how>BoxUsage|SpotUsage|UnusedBox|HeavyUsage|Reservation|DedicatedRes|CapacityBlock\w*)(?::(?P<type>.+))?$"
)
_NODES = {"pool": "pool.control-nodes", "nvme": "storage.nvme.nodes", "scheduler": "scheduler.login-node"}
_VOLUMES = {
    "fleet": "fleet.ebs",
    "pool": "pool.control-ebs",
    "nvme": "storage.nvme.ebs",
    "scheduler": "scheduler.login-ebs",
}
# (services that bill it, usage type without its Region, line); the first that matches counts. () is any service, where
# no other has a usage type of that name: images in ECR are TimedStorage-ByteHrs too
_S3, _WATCH = ("AmazonS3", "Amazon Simple Storage Service"), ("AmazonCloudWatch", "Amazon CloudWatch")
_RULES: tuple[tuple[tuple[str, ...], str, str | Mapping[str, str]], ...] = (
    ((), r"EBS:VolumeUsage\.gp3", _VOLUMES),
    ((), r"NatGateway-Hours", "network.nat-gateway"),
    ((), r"NatGateway-Bytes", "network.nat-data"),
    ((), r"PublicIPv4:InUseAddress", "network.public-ipv4"),
    ((), r"VpcEndpoint-Hours", "network.interface-endpoints"),
    ((), r"VpcEndpoint-Bytes", "network.endpoint-data"),
    (_WATCH, r"(VendedLog|DataProcessing)-Bytes", "network.flow-logs"),
    (_WATCH, r"CW:AlarmMonitorUsage", "guard.alarms"),
    (_WATCH, r"CW:MetricMonitorUsage|DashboardsUsageHour.*", "guard.metrics"),
    (_S3, r"TimedStorage-ByteHrs", "storage.s3.standard"),
    (_S3, r"TimedStorage-SIA-ByteHrs", "storage.s3.standard-ia"),
    (_S3, r"TimedStorage-GIR-ByteHrs", "storage.s3.glacier-ir"),
    (_S3, r"TimedStorage-INT-FA-ByteHrs", "storage.s3.intelligent-tiering.frequent"),
    (_S3, r"TimedStorage-INT-IA-ByteHrs", "storage.s3.intelligent-tiering.infrequent"),
    (_S3, r"TimedStorage-INT-AIA-ByteHrs", "storage.s3.intelligent-tiering.archive"),
    (_S3, r"Monitoring-Automation-INT", "storage.s3.intelligent-tiering.monitoring"),
    (_S3, r"Requests-SIA-Tier1", "storage.s3.standard-ia.put-requests"),
    (_S3, r"Requests-GIR-Tier1", "storage.s3.glacier-ir.put-requests"),
    (_S3, r"Requests-INT-Tier1", "storage.s3.intelligent-tiering.put-requests"),
    (_S3, r"Requests-Tier1", "storage.s3.put-requests"),
    (_S3, r"Requests-Tier2", "storage.s3.get-requests"),
    ((), r"KMS-Keys", "storage.kms.key"),
    ((), r"KMS-Requests.*", "storage.kms.requests"),
    ((), r"(.*-)?AWS-Out-Bytes", {"tier": "transfer.ingest"}),
)
_LUSTRE = (
    (r"Backup", ""),
    (r"IOPS", "storage.lustre.metadata-iops"),
    (r"Throughput", "storage.lustre.throughput"),
    (r"Request|Tier[12]", "storage.lustre.requests"),
    (r"Storage", "storage.lustre.capacity"),
)
# lines of a plan that AWS bills as one usage type
MERGED = {"storage.s3.checkpoints": "storage.s3.standard", "network.nat-s3-data": "network.nat-data"}


def line_of(charge: BilledCharge, *, gpu_type: str, family: str) -> str:
    """The plan's line, or "" for what no plan has. gpu_type: of the plan's GPU nodes; family: how they are bought."""
    if charge.line:
        return MERGED.get(charge.line, charge.line)
    usage = _REGION.sub("", charge.usage_type)
    unused = _unused_line(family) if charge.status == UNUSED else ""
    match = _INSTANCES.match(usage)
    if match:
        return _node_line(charge, match["how"], match["type"] or "", unused, gpu_type, family)
    if unused and (charge.commitment or charge.reservation):
        return unused
    if charge.service in ("AmazonFSx", "Amazon FSx"):
        return next((line for pattern, line in _LUSTRE if re.search(pattern, usage)), "")
    for services, pattern, line in _RULES:
        if re.fullmatch(pattern, usage) and (not services or charge.service in ("", *services)):
            return line if isinstance(line, str) else line.get(charge.component, "")
    return ""


def _node_line(charge: BilledCharge, how: str, kind: str, unused: str, gpu_type: str, family: str) -> str:
    if kind and kind != gpu_type:
        return _NODES.get(charge.component, "")
    if charge.component in _NODES:  # the same type in another role
        return _NODES[charge.component]
    if unused or (how in ("UnusedBox", "Reservation") and charge.status != "Used"):
        return unused or _unused_line(family)
    if family == "spot-fallback" and how == "BoxUsage":
        return COMPUTE_FALLBACK
    return COMPUTE


def _unused_line(family: str) -> str:
    return {"capacity-block": BLOCK_UNUSED, "ri": COMMITMENT_UNUSED, "sp": COMMITMENT_UNUSED}.get(family, "")
