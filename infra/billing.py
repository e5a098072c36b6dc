"""Which resources have which bill line, and the cost per hour of each.

`planner.models.bill_lines` has the component of each line; the tables here have the resources of that component. A
line's cost per hour is divided among the resources of the first pattern that matches any: by nodes where the GPU nodes
are in several groups, else equally. Resources without a line are free: routes, security groups, roles, launch
templates, the S3 gateway endpoint, SNS email, EventBridge's rules for events of AWS, a budget. A budget with an action
is free for the first two of an account and costs 0.10 USD per day beyond that, which is not counted. The metrics that
nodes publish and the dashboard are one line, with the alarms.
"""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from planner.models.bill_lines import bill_line
from planner.stack.component import usd_per_hour_now
from planner.stack.slurm_settings import AS_JOBS_NEED
from planner.stack.spec import ClusterSpec

FLEET_GROUP = "fleet-group"  # and fleet-group-2: of the nodes of a second Capacity Block
# in a useful order for a person; firewall and artefacts have no bill lines of their own
COMPONENTS = (
    "network",
    "firewall",
    "tier",
    "artefacts",
    "pool",
    "files",
    "nvme",
    "lustre",
    "fleet",
    "scheduler",
    "guard",
)

# component -> logical names of the resources that have its lines; the first pattern that matches any is used
CARRIERS: dict[str, tuple[str, ...]] = {
    "network": ("network-vpc",),
    # instances and their volumes, which the group launches, or AWS Batch
    "fleet": (f"{FLEET_GROUP}*", "fleet-environment"),
    "pool": ("pool-node-?",),
    "files": ("files-database",),
    "lustre": ("lustre-file-system",),
    "nvme": ("nvme-group",),
    "tier": ("tier-bucket",),
    "scheduler": ("scheduler-cluster",),
    "guard": ("guard-alarm-*", "guard-budget"),
}
# line -> the resource of its component that has it, if it is a single one
NEARER_CARRIERS = {
    "network.nat-gateway": "network-nat",
    "network.nat-data": "network-nat",
    "network.nat-s3-data": "network-nat",
    "network.public-ipv4": "network-nat-address",
    "network.interface-endpoints": "network-endpoint-*",
    "network.endpoint-data": "network-endpoint-*",
    "network.flow-logs": "network-flow-logs",
    "fleet.logs": "fleet-logs",
    "fleet.compute-on-demand": f"{FLEET_GROUP}{AS_JOBS_NEED}",
    "scheduler.login-node": "scheduler-login-group",
    "scheduler.login-ebs": "scheduler-login-group",
    "storage.kms.key": "tier-key",
    "storage.kms.requests": "tier-key",
}

# a few kilobytes in a bucket of their own: billed with the lines of the tier, without a cost per hour
ALSO = (("storage.s3.standard", "artefacts-bucket"), ("storage.s3.put-requests", "artefacts-object-*"))


def carriers(line: str) -> tuple[str, ...]:
    """Patterns of the resources that may have a line, the preferred one first. Raises UnknownBillLine."""
    nearer = (NEARER_CARRIERS[line],) if line in NEARER_CARRIERS else ()
    return (*nearer, *CARRIERS[bill_line(line).component])


def lines_of(spec: ClusterSpec) -> tuple[str, ...]:
    """Every line that a resource must have, in order. Raises UnknownBillLine."""
    return tuple(
        line for line in sorted({*spec.usd_per_hour, *spec.metered, *spec.unpriced}) if bill_line(line).in_stack
    )


def carried(spec: ClusterSpec, names: Sequence[str]) -> dict[str, tuple[tuple[str, ...], float]]:
    """Logical name -> its bill lines and USD per hour. Raises ValueError if no resource has one of the lines."""
    lines: dict[str, list[str]] = {name: [] for name in names}
    usd, hourly = dict.fromkeys(names, 0.0), usd_per_hour_now(spec)
    for line in lines_of(spec):
        bearers = _of_type(line, spec) or _bearers(line, names)
        for name in bearers:
            lines[name].append(line)
            usd[name] += _part(hourly.get(line, 0.0), spec, name, bearers)
        for also, pattern in ALSO:
            for name in names if also == line else ():
                if fnmatchcase(name, pattern):
                    lines[name].append(line)
    return {name: (tuple(lines[name]), usd[name]) for name in names}


def _of_type(line: str, spec: ClusterSpec) -> list[str]:
    """The group that has a line of one instance type, where there are several: fleet.compute-on-demand-p5.48xlarge."""
    types = zip(spec.group_suffixes, spec.by_type, strict=True) if spec.by_type[1:] else ()
    return [f"{FLEET_GROUP}{suffix}" for suffix, one in types if line.endswith(f"-{one.fleet.instance_type}")]


def _part(usd: float, spec: ClusterSpec, name: str, bearers: Sequence[str]) -> float:
    """The part of a line that a resource has: by its nodes where groups of them share it, else an equal one."""
    if len(bearers) > 1 and name.startswith(FLEET_GROUP):
        nodes = [part.nodes for part in spec.blocks] or [one.fleet.nodes for one in spec.by_type]
        return usd * nodes[spec.group_suffixes.index(name.removeprefix(FLEET_GROUP))] / sum(nodes)
    return usd / len(bearers)


def _waits(name: str) -> bool:
    """Whether it is a group that has nodes only while a job needs them: what is billed all the time is another's."""
    return name == f"{FLEET_GROUP}{AS_JOBS_NEED}"


def _bearers(line: str, names: Sequence[str]) -> list[str]:
    for pattern in carriers(line):
        found = [name for name in names if fnmatchcase(name, pattern) and (pattern == name or not _waits(name))]
        if found:
            return found
    raise ValueError(f"the bill has the line {line}, but no resource of the stack has it")
