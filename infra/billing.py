"""Which resource carries which line of the bill: the one place that says so.

A line goes to the resources of the first pattern below that fits the line and has resources; its dollars an hour are
divided equally among them. Lines of people and of support plans are nobody's resource.
What no line names is free at AWS: routes, groups, roles, templates, the S3 gateway endpoint, mail of a topic, a budget.
A budget with an action is free for the first two of an account and costs 0.10 USD a day beyond; that is not counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from planner.stack.spec import ClusterSpec

NO_RESOURCE = ("people.*", "support.*")
# in the order in which a person looks at a stack; firewall and artefacts bill nothing of their own
COMPONENTS = ("network", "firewall", "tier", "artefacts", "pool", "nvme", "lustre", "fleet", "guard")

# line of the bill -> logical names of the resources that carry it
CARRIERS: tuple[tuple[str, str], ...] = (
    ("fleet.*", "fleet-group"),  # instances and their volumes: what the group launches
    ("network.nat-*", "network-nat"),
    ("network.public-ipv4", "network-nat-address"),
    ("network.interface-endpoints", "network-endpoint-*"),
    ("network.endpoint-data", "network-endpoint-*"),
    ("network.flow-logs", "network-flow-logs"),
    ("network.*", "network-vpc"),
    ("pool.*", "pool-node-?"),
    ("storage.lustre.*", "lustre-file-system"),
    ("storage.nvme.*", "nvme-group"),
    ("storage.kms.*", "tier-key"),
    ("storage.*", "tier-bucket"),
    ("transfer.*", "tier-bucket"),
    ("guard.*", "guard-alarm-*"),
    ("guard.*", "guard-budget"),
)

# a few kilobytes in a bucket of their own: they bill by the lines of the tier, and carry no dollars an hour
ALSO = (("storage.s3.standard", "artefacts-bucket"), ("storage.s3.put-requests", "artefacts-object-*"))


def carriers(line: str) -> tuple[str, ...]:
    """Patterns of the resources that may carry a line, the first that has any counts; none of people's lines."""
    if any(fnmatchcase(line, pattern) for pattern in NO_RESOURCE):
        return ()
    return tuple(name for pattern, name in CARRIERS if fnmatchcase(line, pattern))


def lines_of(spec: ClusterSpec) -> tuple[str, ...]:
    """Every line that a resource must carry, in order."""
    found = {*spec.usd_per_hour, *spec.metered, *spec.unpriced}
    return tuple(line for line in sorted(found) if not any(fnmatchcase(line, none) for none in NO_RESOURCE))


def carried(spec: ClusterSpec, names: Sequence[str]) -> dict[str, tuple[tuple[str, ...], float]]:
    """Logical name -> its bill lines and dollars an hour. Raises ValueError where a line has no resource."""
    lines: dict[str, list[str]] = {name: [] for name in names}
    usd: dict[str, float] = dict.fromkeys(names, 0.0)
    for line in lines_of(spec):
        bearers = _bearers(line, names)
        for name in bearers:
            lines[name].append(line)
            usd[name] += spec.usd_per_hour.get(line, 0.0) / len(bearers)
        for also, pattern in ALSO:
            for name in names if also == line else ():
                if fnmatchcase(name, pattern):
                    lines[name].append(line)
    return {name: (tuple(lines[name]), usd[name]) for name in names}


def _bearers(line: str, names: Sequence[str]) -> list[str]:
    for pattern in carriers(line):
        found = [name for name in names if fnmatchcase(name, pattern)]
        if found:
            return found
    raise ValueError(f"the bill has the line {line}, and no resource of the stack carries it")
