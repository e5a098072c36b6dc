"""Resources of a stack that remain and may be billed: from the state, from AWS's tags, and both together.

Prices are those of the stack's own resource graph, divided among the resources that carry a line. A missing price is
unknown, never zero.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from planner.stack.component import node_usd_per_hour
from planner.stack.deployed_resources import StateResource, TaggedResource
from planner.stack.spec import ClusterSpec

RESERVATION = "fleet-reservation"  # logical name of what `planner reserve` buys
KEPT = ("tier-bucket", "tier-key")  # what `pulumi destroy` keeps, where no state tells
# types that AWS lists by tag: one that is not listed does not exist. Only the state knows the others
LISTED = tuple(
    f"aws:{kind}"
    for kind in (
        "autoscaling/group:Group",
        "cloudwatch/logGroup:LogGroup",
        "cloudwatch/metricAlarm:MetricAlarm",
        "ec2/eip:Eip",
        "ec2/instance:Instance",
        "ec2/natGateway:NatGateway",
        "ec2/networkInterface:NetworkInterface",
        "ec2/subnet:Subnet",
        "ec2/vpc:Vpc",
        "ec2/vpcEndpoint:VpcEndpoint",
        "fsx/lustreFileSystem:LustreFileSystem",
        "kms/key:Key",
        "rds/instance:Instance",
        "s3/bucket:Bucket",
        "sns/topic:Topic",
    )
)
HOURS = 24
ENVIRONMENT = "fleet-environment"
_VOLUME = re.compile(r"[.-]ebs$")


@dataclass(frozen=True, kw_only=True)
class Remaining:
    """Resources of one name, kind and finding.

    found: `both`; `AWS` or `state` where only one was read, or only one can tell, `AWS only`, `state only`,
    `doubled`. usd_per_day: of all of them; None if unknown. by_use: lines of the bill that are billed by use.
    """

    name: str
    kind: str
    found: str
    ids: tuple[str, ...]
    usd_per_day: float | None
    by_use: tuple[str, ...] = ()
    retained: bool = False
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class Prices:
    """Prices of a stack. resources: those of its graph, by logical name. spec: None where there is no stack file."""

    spec: ClusterSpec | None
    resources: Mapping[str, Mapping[str, Any]]

    def of_resource(self, name: str) -> tuple[float | None, tuple[str, ...]]:
        """USD an hour (None: unknown) and the lines billed by use of a resource, with everything that it launches."""
        entry = self.resources.get(name)
        if entry is None or self.spec is None:
            return None, ()
        lines = tuple(entry["bill_lines"])
        by_use = tuple(line for line in lines if line not in self.spec.usd_per_hour)
        if any(line in self.spec.unpriced for line in lines):
            return None, by_use
        hourly = float(entry["usd_per_hour"])
        return (None if by_use and not hourly else hourly), by_use

    def of_tagged(self, thing: TaggedResource) -> tuple[float | None, tuple[str, ...]]:
        """The same for one resource at AWS. Nodes and volumes have their share of the group that launched them."""
        if thing.kind in ("autoscaling:autoScalingGroup", "ec2:network-interface"):
            return 0.0, ()
        owner = self.owner(thing.name)
        if owner == thing.name and not thing.name.startswith("pool-node-"):
            return self.of_resource(thing.name)
        entry = self.resources.get(owner)
        if entry is None or self.spec is None or thing.kind not in ("ec2:instance", "ec2:volume"):
            return None, ()
        volume = thing.kind == "ec2:volume"
        lines = [line for line in entry["bill_lines"] if bool(_VOLUME.search(line)) == volume]
        if any(line in self.spec.unpriced for line in lines):
            return None, ()
        own = self._of_type(thing.name)
        if own is not None and not volume:  # of a type, or for as long as a job needs it
            return node_usd_per_hour(own), ()
        # all control nodes share their lines equally
        share = max(self.spec.control.count, 1) if owner.startswith("pool-") else self.expected(thing)
        if own is not None:
            share = sum(one.fleet.nodes for one in self.spec.by_type)
        hourly = math.fsum(self.spec.usd_per_hour.get(line, 0.0) for line in lines) / share
        return hourly, tuple(line for line in lines if line not in self.spec.usd_per_hour)

    def owner(self, name: str) -> str:
        """As owner_of; workers are launched by AWS Batch."""
        return ENVIRONMENT if name == "fleet-node" and ENVIRONMENT in self.resources else owner_of(name)

    def expected(self, thing: TaggedResource) -> int:
        """How many resources of that name and kind the stack should have."""
        if self.spec is not None and thing.name == RESERVATION:
            return max(len(self.spec.blocks), 1) + len(self.spec.buying.left_blocks)
        own = self._of_type(thing.name)
        if own is not None:
            return max(own.fleet.nodes, 1)
        if self.spec is not None and thing.name == "fleet-node":
            return max(self.spec.fleet.nodes, 1)
        if self.spec is not None and thing.name == "nvme-node" and self.spec.nvme is not None:
            return max(self.spec.nvme.nodes, 1)
        return 1

    def _of_type(self, name: str) -> ClusterSpec | None:
        """The spec of a GPU node's own instance type, where there are several, or its nodes come and go with jobs."""
        cluster = self.spec and self.spec.scheduler
        if self.spec is None or not cluster or not (cluster.others or cluster.release):
            return None
        named = zip(self.spec.group_suffixes, self.spec.by_type, strict=True)
        return next((one for suffix, one in named if name == f"fleet-node{suffix}"), None)

    def retained(self, name: str) -> bool:
        entry = self.resources.get(name)
        return bool(entry["retain_on_delete"]) if entry is not None else name in KEPT


def owner_of(name: str) -> str:
    """The resource of the state that launched a tagged one: the group of a node, the node of a volume."""
    if name == "nvme-node" or name.startswith("fleet-node"):
        return name.replace("-node", "-group")
    return name.replace("pool-volume-", "pool-node-")


def remaining_resources(
    prices: Prices, state: Sequence[StateResource] | None, tagged: Sequence[TaggedResource] | None
) -> tuple[Remaining, ...]:
    """What remains, the costliest first. state, tagged: None where it was not read."""
    found: list[Remaining] = []
    seen: set[int] = set()
    if tagged is not None:
        found += _at_aws(prices, state, tagged, seen)
    for number, known in enumerate(state or ()):
        if number not in seen:
            found.append(_in_state(prices, known, asked=tagged is not None))
    merged = _merged(found)
    return tuple(sorted(merged, key=lambda left: (left.retained, -_rank(left), left.name, left.kind, left.found)))


def usd_per_day(rows: Iterable[Remaining]) -> tuple[float, tuple[str, ...]]:
    """The sum of known prices, and the names of resources with an unknown price or one by use."""
    rows = tuple(rows)
    unknown = dict.fromkeys(row.name or row.ids[0] for row in rows if row.usd_per_day is None or row.by_use)
    return math.fsum(row.usd_per_day or 0.0 for row in rows), tuple(unknown)


def _at_aws(
    prices: Prices, state: Sequence[StateResource] | None, tagged: Sequence[TaggedResource], seen: set[int]
) -> list[Remaining]:
    matched: dict[str, bool] = {}
    for thing in tagged:
        numbers = [number for number, known in enumerate(state or ()) if known.matches(thing)]
        seen.update(numbers)
        # the engine may know the id of a resource whose creation was interrupted, and would still create it again
        matched[thing.arn] = any(not known.pending for number, known in enumerate(state or ()) if number in numbers)
    names_in_state = {known.name for known in state or ()}
    counts = Counter((thing.name, thing.kind) for thing in tagged)
    nodes = sum(thing.name == "fleet-node" and thing.kind == "ec2:instance" for thing in tagged)
    rows = []
    for thing in tagged:
        usd, by_use = prices.of_tagged(thing)
        more = thing.kind != "ec2:network-interface" or owner_of(thing.name) == thing.name
        doubled = bool(thing.name) and more and counts[thing.name, thing.kind] > prices.expected(thing)
        owner = prices.owner(thing.name)
        owned = owner != thing.name and owner in names_in_state
        note = ""
        if thing.name == RESERVATION:
            usd, by_use, note = _reservation(prices, nodes, thing.id)
        if doubled and not matched[thing.arn]:
            where = "doubled"
            note = f"{counts[thing.name, thing.kind]} exist, but the stack has {prices.expected(thing)}"
        elif state is None:
            where = "AWS"
        elif matched[thing.arn] or owned:
            where = "both"
        else:
            where = "AWS only"
        rows.append(
            Remaining(
                name=thing.name,
                kind=thing.kind,
                found=where,
                ids=(thing.id,),
                usd_per_day=None if usd is None else usd * HOURS,
                by_use=by_use,
                # a second bucket or key is not kept on purpose
                retained=prices.retained(thing.name) and where != "doubled",
                note=note,
            )
        )
    return rows


def _reservation(prices: Prices, nodes: int, id: str) -> tuple[float | None, tuple[str, ...], str]:
    """A block is paid upfront. A Capacity Reservation is billed for each node that does not run in it."""
    spec = prices.spec
    if spec is not None and (spec.buying.kind == "capacity-block" or id in spec.buying.left_blocks):
        return 0.0, (), "a Capacity Block: paid upfront, ends automatically"
    if spec is None or spec.buying.kind != "reservation":
        return None, (), "unknown purchase: no stack file"
    if "fleet.compute" not in spec.usd_per_hour:
        return None, (), "billed until it is cancelled"
    empty = max(0, spec.fleet.nodes - nodes)
    usd = spec.usd_per_hour["fleet.compute"] * empty / max(spec.fleet.nodes, 1)
    return usd, (), f"billed for {empty} nodes that do not run, until it is cancelled"


def _in_state(prices: Prices, known: StateResource, *, asked: bool) -> Remaining:
    usd, by_use = prices.of_resource(known.name)
    note = "its creation was interrupted: it may exist, and twice after the next `pulumi up`" if known.pending else ""
    where = "state only" if asked and known.type in LISTED else "state"
    if where == "state only":
        note = note or "AWS does not list it: run `pulumi refresh --run-program`"
        usd = usd if usd == 0 else None
    if known.pending:
        usd = usd if usd == 0 else None
    kind = known.type.removeprefix("aws:").partition(":")[0].replace("/", ":")
    retained = known.retained or prices.retained(known.name)
    ids = (known.id,) if known.id else ()
    day = None if usd is None else usd * HOURS
    return Remaining(
        name=known.name, kind=kind, found=where, ids=ids, usd_per_day=day, by_use=by_use, retained=retained, note=note
    )


def _merged(rows: Iterable[Remaining]) -> list[Remaining]:
    """One row for resources of one name, such as the nodes of a fleet."""
    found: dict[tuple[str, str, str], Remaining] = {}
    for row in rows:
        key = (row.name or row.ids[0], row.kind, row.found)
        before = found.get(key)
        if before is None:
            found[key] = row
            continue
        usd = None if None in (before.usd_per_day, row.usd_per_day) else before.usd_per_day + row.usd_per_day  # type: ignore[operator]
        note = before.note if row.note in before.note else f"{before.note}; {row.note}".removeprefix("; ")
        found[key] = replace(before, ids=(*before.ids, *row.ids), usd_per_day=usd, note=note)
    return list(found.values())


def _rank(left: Remaining) -> float:
    return math.inf if left.usd_per_day is None and not left.by_use else left.usd_per_day or 0.0
