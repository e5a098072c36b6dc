"""Network cards, device indices and EFA in launch templates. Neither the provider nor a preview checks them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from planner.lint.known.instance_types import Machine, machines
from planner.lint.nodes.bare_gangs import gangs_without_template
from planner.lint.read.earlier import earlier
from planner.lint.read.graph import Graph, Resource
from planner.lint.read.topology import (
    EFA,
    GROUP,
    INSTANCE,
    NODE_GROUP,
    TEMPLATE,
    is_clustered,
    nodes_of,
    types_of,
    users_of,
)
from planner.lint.read.values import Json, given, literal, many, whole
from planner.lint.rule import WARNING, Hits, rule

TYPES = ("interface", "efa", "efa-only")
LAUNCH_FAILS = "Every launch fails, after the Auto Scaling group exists and other resources are already billed"


def interfaces(graph: Graph) -> Iterator[tuple[Resource, int, Json]]:
    """Every interface of every launch template: the template, its index, the interface."""
    for template in graph.of(TEMPLATE):
        for i, nic in enumerate(many(template.inputs.get("networkInterfaces"))):
            yield template, i, nic


def _card(nic: Json) -> int | None:
    return 0 if nic.get("networkCardIndex") is None else whole(nic["networkCardIndex"])


def _device(nic: Json) -> int | None:
    return 0 if nic.get("deviceIndex") is None else whole(nic["deviceIndex"])


def _machines(graph: Graph, template: Resource) -> list[tuple[Machine, str]]:
    """The instance types of a template with known network cards, and who sets each type."""
    known = [(machines().get(name), who) for name, who in types_of(graph, template)]
    return [(machine, who) for machine, who in known if machine is not None and machine.cards is not None]


def _of(machine: Machine, who: str) -> str:
    return machine.name if who == "instanceType" else f"{machine.name} ({who})"


@rule(
    "EFA-TYPE",
    TEMPLATE,
    what="an interface type that EC2 does not have",
    why=f"{LAUNCH_FAILS}. EC2 accepts interface, efa and efa-only, and the provider passes on any other word",
    remedy="Write interface, efa or efa-only",
    example='interfaceType: "EFA"',
)
def unknown_interface_type(graph: Graph) -> Hits:
    for template, i, nic in interfaces(graph):
        value = nic.get("interfaceType")
        unknown = isinstance(value, str) and literal(value) is None
        if given(value) and not unknown and value not in TYPES:
            yield template, f"networkInterfaces[{i}].interfaceType", f"{value!r} is not an interface type"


@rule(
    "EFA-CARD",
    TEMPLATE,
    what="a network card that the instance type does not have",
    why=f"{LAUNCH_FAILS}. Cards are numbered from 0 (p5.48xlarge has 32, p4d.24xlarge 4)",
    remedy="Use the cards of this type, and a separate launch template for each card layout",
    example="networkCardIndex: 32 on p5.48xlarge",
)
def card_out_of_range(graph: Graph) -> Hits:
    for template, i, nic in interfaces(graph):
        where, card = f"networkInterfaces[{i}].networkCardIndex", _card(nic)
        value = nic.get("networkCardIndex")
        if card is None:
            if literal(value) is not None or not isinstance(value, str):
                yield template, where, f"{value!r} is not a card index"
            continue
        for machine, who in _machines(graph, template):
            last = (machine.cards or 1) - 1
            if not 0 <= card <= last:
                yield template, where, f"card {card} does not exist on {_of(machine, who)}, which has cards 0 to {last}"
        if card < 0 and not _machines(graph, template):
            yield template, where, f"card {card}: cards are numbered from 0"


@rule(
    "EFA-DEVICE",
    TEMPLATE,
    what="a device index that the card does not have",
    why=f"{LAUNCH_FAILS}. EFA uses device 0 or 1 of its card, and a card has no more devices than interfaces",
    remedy="Use device 0 or 1. On card 0, the plain interface is device 0 and efa-only is device 1",
    example="deviceIndex: -1",
)
def device_out_of_range(graph: Graph) -> Hits:
    for template, i, nic in interfaces(graph):
        where, device = f"networkInterfaces[{i}].deviceIndex", _device(nic)
        value = nic.get("deviceIndex")
        if device is None:
            if literal(value) is not None or not isinstance(value, str):
                yield template, where, f"{value!r} is not a device index"
            continue
        most = min((m.per_card for m, _ in _machines(graph, template) if m.per_card), default=15)
        most = min(most, 2) if nic.get("interfaceType") in EFA else most
        if not 0 <= device < most:
            yield template, where, f"device {device}; allowed: 0 to {most - 1}"


@rule(
    "EFA-DUPLICATE",
    TEMPLATE,
    what="two interfaces in one slot",
    why=f"{LAUNCH_FAILS}. A card and device index can be used once",
    remedy="Give each interface its own card and device index",
    example="two interfaces with networkCardIndex 3, deviceIndex 1",
)
def interfaces_in_one_slot(graph: Graph) -> Hits:
    for template in graph.of(TEMPLATE):
        seen: dict[tuple[int, int], int] = {}
        for i, nic in enumerate(many(template.inputs.get("networkInterfaces"))):
            card, device = _card(nic), _device(nic)
            if card is None or device is None:
                continue
            first = earlier(seen, (card, device), i)
            if first is not None:
                other = f"networkInterfaces[{first}]"
                yield template, f"networkInterfaces[{i}]", f"card {card}, device {device} is already used by {other}"


@rule(
    "EFA-PRIMARY",
    TEMPLATE,
    what="no primary interface with an address at card 0, device 0",
    why=f"{LAUNCH_FAILS}. The primary interface holds the node's IP address, and efa-only has none",
    remedy="Set card 0, device 0 to interface (with efa-only at device 1) or to efa",
    example="interfaceType: efa-only at card 0, device 0",
)
def primary_interface_without_address(graph: Graph) -> Hits:
    for template in graph.of(TEMPLATE):
        nics = many(template.inputs.get("networkInterfaces"))
        slots = [(_card(nic), _device(nic)) for nic in nics]
        if not nics or any(None in slot for slot in slots):
            continue
        if (0, 0) not in slots:
            yield template, "networkInterfaces", "no interface at card 0, device 0"
        elif nics[slots.index((0, 0))].get("interfaceType") == "efa-only":
            place = f"networkInterfaces[{slots.index((0, 0))}].interfaceType"
            yield template, place, "the primary interface is efa-only, which has no IP address"


@rule(
    "EFA-ONE-A-CARD",
    TEMPLATE,
    what="two EFA interfaces on one card",
    why=f"{LAUNCH_FAILS}. A card carries at most one EFA interface, whether efa or efa-only",
    remedy="Keep one efa or efa-only interface per card; make the others plain interfaces",
    example="efa at device 0 and efa-only at device 1 of card 2",
)
def several_efa_interfaces_on_a_card(graph: Graph) -> Hits:
    for template in graph.of(TEMPLATE):
        seen: dict[int, int] = {}
        for i, nic in enumerate(many(template.inputs.get("networkInterfaces"))):
            card = _card(nic)
            if card is None or nic.get("interfaceType") not in EFA:
                continue
            if card in seen:
                other = f"networkInterfaces[{seen[card]}]"
                yield (
                    template,
                    f"networkInterfaces[{i}].interfaceType",
                    f"card {card} already has the EFA interface {other}",
                )
            seen.setdefault(card, i)


@rule(
    "EFA-UNSUPPORTED",
    TEMPLATE,
    what="EFA on an instance type or card that does not support it",
    why=f"{LAUNCH_FAILS}. Not every instance type has EFA, and card 0 of p6-b300 has none",
    remedy="Use a plain interface there, or an instance type with EFA",
    example="efa on card 0 of p6-b300.48xlarge",
)
def efa_without_hardware(graph: Graph) -> Hits:
    for template in graph.of(TEMPLATE):
        nics = many(template.inputs.get("networkInterfaces"))
        with_efa = [(i, nic) for i, nic in enumerate(nics) if nic.get("interfaceType") in EFA]
        for machine, who in _machines(graph, template) if with_efa else ():
            if not machine.efa:
                yield template, "networkInterfaces", f"{_of(machine, who)} has no EFA"
                continue
            for i, nic in with_efa:
                card = _card(nic)
                if card is not None and not machine.carries_efa(card):
                    place = f"networkInterfaces[{i}].interfaceType"
                    yield template, place, f"card {card} of {_of(machine, who)} does not support EFA"


@rule(
    "EFA-UNUSED",
    TEMPLATE,
    INSTANCE,
    NODE_GROUP,
    severity=WARNING,
    what="network cards of a training node without EFA",
    why="Training is slower than it could be: the bandwidth between nodes is part of the node's price, and "
    "cards without EFA do not use it",
    remedy="Put an EFA interface on every card that supports one",
    example="31 EFA interfaces on p5.48xlarge, which has 32",
)
def cards_without_efa(graph: Graph) -> Hits:
    for template in graph.of(TEMPLATE):
        nics = many(template.inputs.get("networkInterfaces"))
        used = sum(nic.get("interfaceType") in EFA for nic in nics)
        users = users_of(graph, template)
        gang = any(is_clustered(graph, user) or (user.kind == GROUP and nodes_of(user) > 1) for user in users)
        for machine, who in _machines(graph, template):
            if (used or (gang and (machine.cards or 0) > 1)) and used < (machine.efa or 0):
                message = f"{used} EFA interfaces on {_of(machine, who)}, which has {machine.efa}"
                yield template, "networkInterfaces", message
    yield from gangs_without_template(graph)


@rule(
    "NIC-COUNT",
    TEMPLATE,
    what="more interfaces on a card than it supports",
    why=f"{LAUNCH_FAILS}. Each card supports a fixed number of interfaces (2 on p5.48xlarge, 4 on p5en.48xlarge)",
    remedy="Put fewer interfaces on that card",
    example="three interfaces on card 0 of p5.48xlarge",
)
def too_many_interfaces_on_a_card(graph: Graph) -> Hits:
    for template in graph.of(TEMPLATE):
        slots = {(_card(nic), _device(nic)) for nic in many(template.inputs.get("networkInterfaces"))}
        counts = Counter(card for card, _ in slots if card is not None)
        for machine, who in _machines(graph, template):
            for card, count in sorted(counts.items()):
                if machine.per_card and count > machine.per_card and 0 <= card < (machine.cards or 0):
                    message = (
                        f"{count} interfaces on card {card} of {_of(machine, who)}, which supports {machine.per_card}"
                    )
                    yield template, "networkInterfaces", message
