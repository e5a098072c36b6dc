"""What AWS Batch takes of a pool of workers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from planner.plan.wording import shown
from planner.plan.zone_ids import is_zone, zone_prefix
from planner.stack.finding import Finding
from planner.stack.spec import PLACEHOLDER, WORKERS, ClusterSpec

# AWS Batch API reference, ContainerProperties and JobTimeout
_IMAGE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@-]{0,254}")
LEAST_MEMORY_MIB = 4
LEAST_LIMIT_S = 60
MOST_LIMIT_HOURS = 14 * 24  # AWS Batch User Guide, "Job timeouts": none is documented for EC2; Fargate ends at 14 days


def worker_findings(spec: ClusterSpec) -> Iterator[Finding]:
    """Everything that keeps a pool of workers from being deployed."""
    workers = spec.workers
    if (workers is None) == (spec.layout == WORKERS):
        what = "needs" if workers is None else "has no"
        yield Finding(
            path=("workers",) if workers else (),
            message=f"{spec.layout} {what} section workers",
            remedy="`planner stack --force` writes the sections of a scenario",
        )
    if workers is None:
        return
    if PLACEHOLDER not in workers.image and not _IMAGE.fullmatch(workers.image):
        message = f"{shown(workers.image)} is not the name of a container image"
        yield Finding(
            path=("workers", "image"),
            message=message,
            remedy="like 111122223333.dkr.ecr.us-east-1.amazonaws.com/train:1.0",
        )
    if not 0 <= workers.least_nodes <= spec.fleet.nodes:
        message = f"{workers.least_nodes} nodes that stay, of at most {spec.fleet.nodes}"
        yield Finding(path=("workers", "least_nodes"), message=message, remedy="write 0 to pay for no idle node")
    if workers.memory_mib < LEAST_MEMORY_MIB:
        message = f"{workers.memory_mib} MiB of memory for a job: AWS Batch takes {LEAST_MEMORY_MIB} and more"
        yield Finding(path=("workers", "memory_mib"), message=message, remedy="`planner stack` writes the type's")
    if not LEAST_LIMIT_S / 3600 <= workers.limit_hours <= MOST_LIMIT_HOURS:
        message = f"a limit of {workers.limit_hours:g} h for one try of a job"
        yield Finding(
            path=("workers", "limit_hours"), message=message, remedy=f"write hours up to {MOST_LIMIT_HOURS}, like 12"
        )
    for at, zone in enumerate(workers.more_zones):
        if not is_zone(zone, spec.region) or zone in (spec.zone_id, *workers.more_zones[:at]):
            message = f"zone {shown(zone)} is not another one of {spec.region}"
            remedy = f"write another zone id, like {zone_prefix(spec.region)}-az2, or remove it"
            yield Finding(path=("workers", "more_zones", at), message=message, remedy=remedy)
    for at, name in enumerate(workers.more_types):
        if name in (spec.fleet.instance_type, *workers.more_types[:at]):
            message = f"{name} is in the pool already"
            yield Finding(path=("workers", "more_types", at), message=message, remedy="remove it")
    if spec.buying.kind not in ("spot", "on-demand"):
        message = f"workers are bought on spot or On-Demand, not in a {shown(spec.buying.kind)[1:-1]}"
        yield Finding(path=("buying", "kind"), message=message, remedy="choose another scenario")
