"""The cards in the picture of a stack, from the inputs and bill lines of its resources."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from planner.report.data.resource_graph import bills_by_use, by_component, usd_per_hour
from planner.report.wording import resources
from planner.report.wording import stack_picture as words
from planner.report.wording.figures import visible

PAD, LINE = 14, 17  # pixels: inside a card's edge, between two lines
BAND = 30  # of a band, with the gap above it


@dataclass(frozen=True, kw_only=True)
class Card:
    """One part of the stack. usd: cost per hour. nodes: drawn as squares. bands: drawn below them, one on the other,
    as wide as the card."""

    title: str
    lines: tuple[str, ...]
    usd: str = ""
    nodes: int = 0
    bands: tuple[str, ...] = ()

    @property
    def height(self) -> int:
        squares = (18 if self.nodes else 0) + BAND * len(self.bands)
        return 2 * PAD + LINE * (1 + len(self.lines)) - 5 + squares


@dataclass(frozen=True)
class Facts:
    """Resources of a graph by name, with their inputs. stored_usd: see `resources_text.table`."""

    graph: Mapping[str, Any]
    stored_usd: float | None = None
    named: Mapping[str, Mapping[str, Any]] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "named", {str(entry["name"]): entry for entry in self.graph["resources"]})

    def of(self, name: str, key: str, default: Any = "") -> Any:
        return self.named.get(name, {}).get("inputs", {}).get(key, default)

    def has(self, name: str) -> bool:
        return name in self.named

    def starting(self, start: str) -> list[Mapping[str, Any]]:
        return [entry for name, entry in self.named.items() if name.startswith(start)]

    def usd(self, component: str) -> str:
        entries = by_component(self.graph).get(component, [])
        return words.per_hour(usd_per_hour(entries), by_use=bills_by_use(entries))


def given(text: str, else_: str) -> str:
    """An id or a time; `else_` for a placeholder."""
    return else_ if "PLACEHOLDER" in text else visible(text)


def _fleets(facts: Facts) -> list[Card]:
    """A card for each instance type of the GPU nodes."""
    by_type: dict[str, list[Mapping[str, Any]]] = {}
    if not facts.starting("fleet-group"):
        return [_fleet(facts, (), first=True, several=False)]
    for group in facts.starting("fleet-group"):  # nodes of several Capacity Blocks have a group each
        own = desired(group)["InstanceConfigs"][0]["InstanceType"] if "desiredState" in group["inputs"] else ""
        by_type.setdefault(own, []).append(group)
    several = len(by_type) > 1
    return [_fleet(facts, groups, first=not at, several=several) for at, groups in enumerate(by_type.values())]


def _fleet(facts: Facts, groups: Sequence[Mapping[str, Any]], *, first: bool, several: bool) -> Card:
    """groups: of one instance type. several: whether it is one of several narrow cards."""
    group = str(groups[0]["name"]) if groups else ""
    template = group.replace("group", "template", 1)
    sizes = [desired(one)["ScalingConfiguration"] for one in groups if "desiredState" in one["inputs"]]
    nodes = sum(int(one["inputs"].get("desiredCapacity", 0)) for one in groups)
    nodes += sum(size["MinInstanceCount"] for size in sizes)
    as_jobs_need = sizes[0]["MaxInstanceCount"] if sizes and not nodes else 0
    interfaces = facts.of(template, "networkInterfaces", [])
    market = facts.of(template, "instanceMarketOptions", {}).get("marketType")
    reserved = facts.of(template, "capacityReservationSpecification", {})
    bought = words.SPOT if facts.of(group, "mixedInstancesPolicy") else words.ON_DEMAND
    # a pool without storage nodes of its own uses the drives of the GPU nodes, of one type
    pooled = first and facts.starting("pool-node-") and not facts.has("nvme-group")
    return Card(
        title=words.nodes("" if several else "GPU fleet", nodes or as_jobs_need, facts.of(template, "instanceType")),
        lines=words.fleet(
            str(market) if market else words.RESERVED if reserved else bought,
            placement=facts.has("fleet-placement"),
            interfaces=len(interfaces),
            with_efa=sum("efa" in str(entry.get("interfaceType")) for entry in interfaces),
            as_jobs_need=bool(as_jobs_need),
        ),
        usd=words.per_hour(usd_per_hour(groups), by_use=bills_by_use(groups)),
        nodes=nodes or as_jobs_need,
        bands=words.pool(nodes, narrow=several) if pooled else (),
    )


def desired(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a resource of Cloud Control is to be: AWS's own names."""
    found: Mapping[str, Any] = json.loads(entry["inputs"]["desiredState"])
    return found


def _scheduler(facts: Facts) -> Card:
    version = desired(facts.named["scheduler-cluster"])["Scheduler"]["Version"]
    login = desired(facts.named["scheduler-login-group"])["InstanceConfigs"][0]["InstanceType"]
    queues = [name.removeprefix("scheduler-queue-") for name in facts.named if name.startswith("scheduler-queue-")]
    return Card(title=words.scheduler(version), lines=words.scheduler_lines(queues, login), usd=facts.usd("scheduler"))


def _workers(facts: Facts) -> Card:
    nodes = facts.of("fleet-environment", "computeResources", {})
    spot = nodes.get("type") == "SPOT"
    job = facts.of("fleet-job", "retryStrategy", {})
    return Card(
        title=words.workers(nodes.get("instanceTypes", [""])[0]),
        lines=words.worker_lines(words.SPOT if spot else words.ON_DEMAND, int(job.get("attempts", 1))),
        usd=facts.usd("fleet"),
    )


def private(facts: Facts) -> tuple[Card, ...]:
    """The cards in the nodes' subnet."""
    cards = [_workers(facts)] if facts.has("fleet-environment") else _fleets(facts)
    if facts.has("scheduler-cluster"):
        cards.append(_scheduler(facts))
    if facts.has("nvme-group"):
        nodes = int(facts.of("nvme-group", "desiredCapacity", 0))
        cards.append(
            Card(
                title=words.nodes("Storage", nodes, facts.of("nvme-template", "instanceType")),
                lines=words.STORAGE_LINES,
                usd=facts.usd("nvme"),
                nodes=nodes,
                bands=words.pool(nodes),
            )
        )
    if facts.has("lustre-file-system"):
        name = "lustre-file-system"
        gib = facts.of(name, "storageCapacity")
        cards.append(
            Card(
                title=words.file_system(int(gib) if gib else None),
                lines=words.file_system_lines(
                    facts.of(name, "deploymentType"),
                    facts.of(name, "perUnitStorageThroughput", None),
                    facts.of(name, "throughputCapacity", None),
                    len(facts.starting("lustre-link-")),
                ),
                usd=facts.usd("lustre"),
            )
        )
    return tuple(cards)


def control(facts: Facts) -> tuple[Card, ...]:
    nodes = facts.starting("pool-node-")
    if not nodes:
        return ()
    addresses = [address for entry in facts.starting("pool-address-") for address in entry["inputs"]["privateIps"]]
    return (
        Card(
            title=words.nodes("Control", len(nodes), nodes[0]["inputs"]["instanceType"]),
            lines=(", ".join(addresses), words.CONTROL_LINE),
            usd=facts.usd("pool"),
            nodes=len(nodes),
        ),
    )


def nat(facts: Facts) -> Card:
    billed = [entry for entry in facts.starting("network-nat") if entry["usd_per_hour"]]
    title, lines = words.NAT
    return Card(title=title, lines=lines, usd=words.per_hour(usd_per_hour(billed)))


def storage(facts: Facts) -> tuple[Card, ...]:
    moved = [rule for rule in facts.of("tier-bucket-lifecycle", "rules", []) if rule.get("transitions")]
    data = Card(
        title=words.DATA,
        lines=(
            *([words.stored(facts.stored_usd)] if facts.stored_usd else []),
            *words.DATA_LINES,
            *(words.transition(rule["transitions"][0].get("storageClass")) for rule in moved),
            words.KEPT,
        ),
        usd=facts.usd("tier") or resources.BY_USE,
    )
    return (data, Card(title=words.ARTIFACTS, lines=words.ARTIFACTS_LINES))


def guard(facts: Facts) -> Card:
    limit, ends = float(facts.of("guard-budget", "limitAmount", 0) or 0), facts.of("guard-block-end", "startTime")
    scale_down = given(ends, words.BLOCK_END) if ends else ""
    return Card(
        title=words.GUARD,
        lines=words.guard(
            limit,
            len(facts.starting("guard-alarm-")),
            scale_down,
            action=facts.has("guard-action"),
            anomalies=facts.has("guard-anomalies"),
        ),
        usd=facts.usd("guard"),
    )
