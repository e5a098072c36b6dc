"""What a picture of a stack says: one card for each part, from the inputs and bill lines of its resources."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from planner.report.data.resource_graph import bills_by_use, by_component, usd_per_hour
from planner.report.wording import resources
from planner.report.wording.figures import dollars, many, visible

PAD, LINE = 14, 17  # pixels: inside of a card's edge, between two lines


@dataclass(frozen=True, kw_only=True)
class Card:
    """One part of the stack. lines: what is worth knowing. usd: dollars an hour. nodes: drawn as squares."""

    title: str
    lines: tuple[str, ...]
    usd: str = ""
    nodes: int = 0

    @property
    def height(self) -> int:
        return 2 * PAD + LINE * (1 + len(self.lines)) - 5 + (18 if self.nodes else 0)


@dataclass(frozen=True)
class Facts:
    """Resources of a graph by name, and what their inputs say. stored_usd: see `resources_text.table`."""

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
        value, by_use = usd_per_hour(entries), bills_by_use(entries)
        return " + ".join([*([f"${hourly(value)}/h"] if value else []), *([resources.BY_USE] if by_use else [])])


def hourly(value: float) -> str:
    return dollars(value) if value >= 0.1 else f"{value:.4f}"


def given(text: str, else_: str) -> str:
    """An id or a time, unless it is still a placeholder."""
    return else_ if "PLACEHOLDER" in text else visible(text)


def _fleet(facts: Facts) -> Card:
    group, template = "fleet-group", "fleet-template"
    nodes = int(facts.of(group, "desiredCapacity", 0))
    nics = facts.of(template, "networkInterfaces", [])
    efa = sum("efa" in str(nic.get("interfaceType")) for nic in nics)
    market = facts.of(template, "instanceMarketOptions", {}).get("marketType")
    reserved = facts.of(template, "capacityReservationSpecification", {})
    bought = "spot" if facts.of(group, "mixedInstancesPolicy") else "on-demand"
    bought = str(market) if market else "in a reservation" if reserved else bought
    wires = f"{many(len(nics), 'interface')}, {efa} with EFA" if efa else "one interface"
    place = "cluster placement group" if facts.has("fleet-placement") else "no placement group"
    return Card(
        title=f"GPU fleet: {nodes:,} x {facts.of(template, 'instanceType')}",
        lines=(f"{bought}, {place}", f"a node: {wires}"),
        usd=facts.usd("fleet"),
        nodes=nodes,
    )


def private(facts: Facts) -> tuple[Card, ...]:
    """What stands in the nodes' subnet."""
    cards = [_fleet(facts)]
    if facts.has("nvme-group"):
        nodes = int(facts.of("nvme-group", "desiredCapacity", 0))
        cards.append(
            Card(
                title=f"Storage: {nodes:,} x {facts.of('nvme-template', 'instanceType')}",
                lines=("targets of the pool on NVMe,", "a cache over S3"),
                usd=facts.usd("nvme"),
                nodes=nodes,
            )
        )
    if facts.has("lustre-file-system"):
        name = "lustre-file-system"
        rate, whole = facts.of(name, "perUnitStorageThroughput"), facts.of(name, "throughputCapacity")
        size = f"{int(facts.of(name, 'storageCapacity')):,} GiB" if facts.of(name, "storageCapacity") else "elastic"
        speed = f"{rate} MB/s per TiB" if rate else f"{whole:,} MB/s" if whole else ""
        linked = len(facts.starting("lustre-link-"))
        cards.append(
            Card(
                title=f"FSx for Lustre, {size}",
                lines=(
                    f"{facts.of(name, 'deploymentType')}{', ' + speed if speed else ''}",
                    f"{many(linked, 'prefix', 'prefixes')} of the bucket linked" if linked else "filled by copy",
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
            title=f"Control: {len(nodes)} x {nodes[0]['inputs']['instanceType']}",
            lines=(", ".join(addresses), "proxies of the pool, fixed addresses"),
            usd=facts.usd("pool"),
            nodes=len(nodes),
        ),
    )


def nat(facts: Facts) -> Card:
    billed = [entry for entry in facts.starting("network-nat") if entry["usd_per_hour"]]
    usd = f"${hourly(usd_per_hour(billed))}/h" if billed else ""
    return Card(title="NAT gateway", lines=("the one public address: out to the Internet, nothing in",), usd=usd)


def storage(facts: Facts) -> tuple[Card, ...]:
    moved = [rule for rule in facts.of("tier-bucket-lifecycle", "rules", []) if rule.get("transitions")]
    moves = tuple(f"beside it: {rule['transitions'][0].get('storageClass')}" for rule in moved)
    stored = facts.stored_usd
    data = Card(
        title="S3: data",
        lines=(
            *([f"stored at the planned size: about ${hourly(stored)}/h"] if stored else []),
            "every object, versioned, encrypted by key, TLS only",
            *moves,
            "stays when the stack goes",
        ),
        usd=facts.usd("tier") or resources.BY_USE,
    )
    bundle = Card(title="S3: artefacts", lines=("what nodes fetch at their start",))
    return (data, bundle)


def guard(facts: Facts) -> Card:
    limit, ends = float(facts.of("guard-budget", "limitAmount", 0) or 0), facts.of("guard-block-end", "startTime")
    return Card(
        title="Guard",
        lines=(
            f"budget ${dollars(limit)}, with an action",
            f"{many(len(facts.starting('guard-alarm-')), 'alarm')}, anomalies, by mail",
            *((f"to zero at {given(ends, 'the end of the block')}",) if ends else ()),
        ),
        usd=facts.usd("guard"),
    )
