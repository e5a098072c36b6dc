"""Mistakes about network interfaces: cards, devices, EFA, groups, addresses."""

from __future__ import annotations

from tests.lint.graphs import Document
from tests.lint.mistakes.edits import POOLED, Mistake, asg, cut, lt, nic, nic_at, nodes_subnet, of, put
from tests.lint.mistakes.lustre import add_group


def efa_twice(document: Document) -> None:
    """A second EFA on card 2, on the other device."""
    nics = lt(document)["networkInterfaces"]
    held = next(n for n in nics if str(n.get("networkCardIndex")) == "2")
    nics.append({**held, "deviceIndex": 1 - int(held["deviceIndex"])})


def crowded_card(document: Document) -> None:
    """Sixteen interfaces on card 0, where p4d takes 15 and p5 two."""
    nics = lt(document)["networkInterfaces"]
    plain = {key: value for key, value in nics[0].items() if key != "interfaceType"}
    nics += [{**plain, "networkCardIndex": 0, "deviceIndex": device} for device in range(2, 18)]


def same_slot(document: Document) -> None:
    nics = lt(document)["networkInterfaces"]
    nics[-1]["networkCardIndex"] = nics[-2]["networkCardIndex"]
    nics[-1]["deviceIndex"] = nics[-2]["deviceIndex"]


def efa_only(document: Document) -> Document:
    """An efa-only interface: the last, made one."""
    found = lt(document)["networkInterfaces"][-1]
    found["interfaceType"] = "efa-only"
    return found


def many_groups(document: Document) -> None:
    held = nic(document, 0)
    own = held["securityGroups"]
    held["securityGroups"] = [*([own] if isinstance(own, str) else own), *(f"sg-0123456789abcdef{n}" for n in range(5))]


MISTAKES = (
    Mistake("card beyond the last", "EFA-CARD", put(nic_at(-1), "networkCardIndex", 32)),
    Mistake("negative card", "EFA-CARD", put(nic_at(-1), "networkCardIndex", -1)),
    Mistake("card index as text", "EFA-CARD", put(nic_at(-1), "networkCardIndex", "last")),
    Mistake("negative device", "EFA-DEVICE", put(nic_at(-1), "deviceIndex", -1)),
    Mistake("device beyond the card", "EFA-DEVICE", put(nic_at(-1), "deviceIndex", 31)),
    Mistake("two in one slot", "EFA-DUPLICATE", same_slot, also=("EFA-ONE-A-CARD",)),
    Mistake("two EFA on a card", "EFA-ONE-A-CARD", efa_twice),
    Mistake(
        "primary without address", "EFA-PRIMARY", put(nic_at(0), "interfaceType", "efa-only"), also=("EFA-ONE-A-CARD",)
    ),
    Mistake("no primary", "EFA-PRIMARY", lambda d: lt(d)["networkInterfaces"].pop(0)),
    Mistake("type in capitals", "EFA-TYPE", put(nic_at(-1), "interfaceType", "EFA-Only")),
    Mistake("EFA missing on one card", "EFA-UNUSED", lambda d: lt(d)["networkInterfaces"].pop()),
    Mistake("EFA on a type without", "EFA-UNSUPPORTED", put(lt, "instanceType", "m7i.xlarge"), also=("EFA-CARD",)),
    Mistake("public flag on efa-only", "EFA-ADDRESS", lambda d: efa_only(d).update(associatePublicIpAddress="false")),
    Mistake("prefixes on efa-only", "EFA-ADDRESS", lambda d: efa_only(d).update(ipv4PrefixCount=1)),
    Mistake("public address with many interfaces", "NIC-PUBLIC", put(nic_at(0), "associatePublicIpAddress", "true")),
    Mistake("interface without a group", "NIC-GROUP", cut(nic_at(-1), "securityGroups")),
    Mistake("too many groups", "NIC-GROUPS-MANY", many_groups),
    Mistake("an address of version 6 where there is none", "IPV6-NONE", put(nic_at(0), "ipv6AddressCount", 1)),
    Mistake(
        "subnet in the interface", "NIC-SUBNET", lambda d: nic(d, 0).update(subnetId=asg(d)["vpcZoneIdentifiers"][0])
    ),
    Mistake("interface kept", "NIC-KEPT", put(nic_at(1), "deleteOnTermination", "false")),
    Mistake(
        "subnet gives addresses of version 6",
        "IPV6-NONE",
        put(nodes_subnet, "assignIpv6AddressOnCreation", True),
        also=("NIC-ADDRESS",),
    ),
    Mistake("subnet gives public addresses", "NIC-ADDRESS", put(nodes_subnet, "mapPublicIpOnLaunch", True)),
    Mistake(
        "one card in another group",
        "EFA-GROUP",
        lambda d: lt(d)["networkInterfaces"][-1].update(securityGroups=[f"${{{add_group(d)}.id}}"]),
    ),
    Mistake(
        "one interface in two instances",
        "NIC-SHARED",
        lambda d: of("Instance", "pool-node-1")(d).update(
            primaryNetworkInterface=of("Instance", "pool-node-0")(d)["primaryNetworkInterface"]
        ),
        only=POOLED,
    ),
    Mistake(
        "control node on spot",
        "SPOT-FIXED",
        put(of("Instance", "pool-node-1"), "instanceMarketOptions", {"marketType": "spot"}),
        only=POOLED,
    ),
    Mistake(
        "control node in another zone",
        "ZONE-TWICE",
        put(of("Instance", "pool-node-1"), "availabilityZone", "us-east-1f"),
        only=POOLED,
    ),
    Mistake("address without a group", "NIC-GROUP", cut(of("NetworkInterface", "0"), "securityGroups"), only=POOLED),
    Mistake("instance without card", "NIC-GROUP", cut(of("Instance", "pool"), "primaryNetworkInterface"), only=POOLED),
    Mistake("too many interfaces on a card", "NIC-COUNT", crowded_card, also=("EFA-DEVICE", "SUBNET-SMALL")),
)
