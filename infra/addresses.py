"""Address plan of the stack's zone: three subnets in one /16. The nodes' subnet is large enough for all their
addresses."""

from __future__ import annotations

import ipaddress
import math
from dataclasses import dataclass

from planner.errors import UsageProblem

VPC = "10.0.0.0/16"
PUBLIC = "10.0.255.240/28"  # only the NAT gateway
CONTROL = "10.0.255.224/28"  # only the control nodes' fixed addresses
FILES = ("10.0.255.192/28", "10.0.255.208/28")  # only the database of files, in two zones
RESERVED = 5  # AWS reserves the first four addresses and the last of every subnet
LARGEST, SMALLEST = 17, 24  # prefix lengths of the nodes' subnet: half of the VPC at most
SPARE = 0.10  # replacements start before the old nodes release their addresses
FIRST_CONTROL = 4  # the first address of a subnet that AWS does not reserve


@dataclass(frozen=True, kw_only=True)
class AddressPlan:
    """CIDR blocks. more: of nodes in further zones. needed: addresses in each of the nodes' subnets, with spare ones.
    control: fixed addresses."""

    vpc: str
    nodes: str
    more: tuple[str, ...]
    control_subnet: str
    public: str
    needed: int
    control: tuple[str, ...]


def lustre_addresses(capacity_gib: int) -> int:
    """Addresses that a file system may take: at most one for each 1,200 GiB, and those of the metadata servers."""
    return math.ceil(capacity_gib / 1200) + 8


def address_plan(*, nodes: int, per_node: int, others: int, control: int, zones: int = 1) -> AddressPlan:
    """Subnets for so many nodes, all of which may be in one of the zones. others: addresses of endpoints, servers,
    storage nodes. Raises UsageProblem."""
    needed = math.ceil((nodes * per_node + others) * (1 + SPARE)) + RESERVED
    prefix = min(SMALLEST, 32 - math.ceil(math.log2(needed)))
    if prefix < LARGEST:
        raise UsageProblem(
            f"{nodes:,} nodes with {per_node} addresses each and {others:,} others need {needed:,} addresses, "
            f"more than the {2 ** (32 - LARGEST):,} of one subnet: use the ip-saving profile, or fewer nodes"
        )
    free = list(ipaddress.ip_network(CONTROL))[FIRST_CONTROL:-1]
    if control > len(free):
        raise UsageProblem(f"{control} control nodes do not fit {len(free)} fixed addresses")
    # the last one of this size holds the small subnets
    blocks = [str(block) for block in list(ipaddress.ip_network(VPC).subnets(new_prefix=prefix))[:-1]]
    if zones > len(blocks):
        raise UsageProblem(f"{zones} zones of {needed:,} addresses do not fit {VPC}: fewer nodes, or fewer zones")
    return AddressPlan(
        vpc=VPC,
        nodes=blocks[0],
        more=tuple(blocks[1:zones]),
        control_subnet=CONTROL,
        public=PUBLIC,
        needed=needed,
        control=tuple(str(address) for address in free[:control]),
    )
