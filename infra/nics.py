"""Network interfaces of the launch template: the traffic of each card and device, by instance type and profile.

The first two profiles are those of the EC2 User Guide ("Maximize network bandwidth on instances with multiple network
cards"): one plain ENA interface on card 0, device 0, and an EFA-only interface, which takes no address, on every card
with EFA. `ip-saving` has no others. `bandwidth` adds ENA interfaces, with an address each, on device 1 of the cards
over which AWS spreads IP traffic. `efa-every-card` is the layout that AWS published before, which some templates still
use: every EFA interface is also an ENA interface with an address of its own.

The order is fixed: card by card, the primary interface first. No I/O, no Pulumi. docs/decisions/0008.
"""

from __future__ import annotations

from dataclasses import dataclass

from planner.errors import UsageProblem
from planner.stack.spec import NIC_PROFILES


@dataclass(frozen=True, kw_only=True)
class Cards:
    """Network cards of a type. first_efa: 1 where card 0 has no EFA. ip_every: of so many cards the first carries IP
    traffic too in the bandwidth layout. second_device: on which device of the cards beyond the first the layout
    efa-every-card puts its interface (EC2 templates: 1 up to p5en, 0 on p6)."""

    cards: int
    first_efa: int = 0
    ip_every: int = 1
    second_device: int = 1


@dataclass(frozen=True, kw_only=True)
class Nic:
    """One network interface. kind: interface (ENA), efa (EFA with ENA) or efa-only."""

    card: int
    device: int
    kind: str

    @property
    def takes_address(self) -> bool:
        return self.kind != "efa-only"


# EC2 User Guide, the page above, which names the cards of p5, p5e and p6; on the others IP may be on every card.
# "EFA-supported instance types" and its tables of maximum bandwidth; DescribeInstanceTypes
TYPES = {
    "p4d.24xlarge": Cards(cards=4),
    "p4de.24xlarge": Cards(cards=4),
    "p5.48xlarge": Cards(cards=32, ip_every=4),
    "p5e.48xlarge": Cards(cards=32, ip_every=4),
    "p5en.48xlarge": Cards(cards=16),
    "p6-b200.48xlarge": Cards(cards=8, second_device=0),
    "p6-b300.48xlarge": Cards(cards=17, first_efa=1, second_device=0),
}


def cards_of(instance_type: str, network_cards: int, efa_interfaces: int) -> Cards | None:
    """Cards of a type: from the table, or as counted in the catalogue. None without EFA. Raises UsageProblem."""
    known = TYPES.get(instance_type)
    if known is not None:
        return known
    if not efa_interfaces:
        return None
    cards = network_cards or efa_interfaces  # the catalogue counts no cards of some types
    without = cards - efa_interfaces
    if without not in (0, 1):
        raise UsageProblem(
            f"{instance_type} has {cards} network cards and {efa_interfaces} EFA interfaces, but it is unknown "
            "which cards have them; choose an instance type of 'Network interfaces' in docs/operations.md"
        )
    return Cards(cards=cards, first_efa=without)


def nics(instance_type: str, profile: str, network_cards: int, efa_interfaces: int) -> tuple[Nic, ...]:
    """Every interface of a node, in order. Raises UsageProblem."""
    cards = cards_of(instance_type, network_cards, efa_interfaces)
    if cards is None:
        return (Nic(card=0, device=0, kind="interface"),)
    if profile == "efa-every-card":
        first = Nic(card=0, device=0, kind="interface" if cards.first_efa else "efa")
        return (first, *(Nic(card=card, device=cards.second_device, kind="efa") for card in range(1, cards.cards)))
    if profile not in NIC_PROFILES:
        raise UsageProblem(f"unknown profile of network interfaces {profile!r}; known: {', '.join(NIC_PROFILES)}")
    found = [Nic(card=0, device=0, kind="interface")]
    if not cards.first_efa:
        found.append(Nic(card=0, device=1, kind="efa-only"))
    for card in range(1, cards.cards):
        found.append(Nic(card=card, device=0, kind="efa-only"))
        if profile == "bandwidth" and card % cards.ip_every == 0:
            found.append(Nic(card=card, device=1, kind="interface"))
    return tuple(found)


def addresses_per_node(found: tuple[Nic, ...]) -> int:
    """Private addresses that a node takes from its subnet."""
    return sum(nic.takes_address for nic in found)
