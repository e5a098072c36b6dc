"""The proxies of GPU nodes that mount files: a control node keeps them out of elections and opens the S3 door for them.

A proxy joins by itself as one that may become primary; an administrator admits it again with a flag, which the map
keeps (AIStore v1.5.0, ais/pclupost.go; docs/ha.md, "Non-electable gateways").
"""

from __future__ import annotations

from fleet_pool import settings
from fleet_pool.api import Client
from fleet_pool.node.facts import Stack
from fleet_pool.operate.buckets import buckets, register
from fleet_pool.operate.members import MAP, NON_ELECTABLE, PATH
from fleet_pool.problems import Refused

FLAGS_HEADER = "Ais-Node-Flags"


def tend(client: Client, stack: Stack, bucket: str) -> tuple[str, ...]:
    """Ids of the proxies that were admitted. bucket: of the data, without which the door has no files. The second time
    nothing changes. Raises Refused, Unreachable, UsageProblem."""
    if not any(found.name == bucket and not found.local for found in buckets(client)):
        register(client, bucket, "dataset")
    config = client.ask("GET", "/v1/cluster", query={"what": "cluster_config"}).json()
    if int(config.get("features") or 0) & settings.FILES_FEATURES != settings.FILES_FEATURES:
        client.act("/v1/cluster", "set-config", {"features": str(settings.FILES_FEATURES)})
    entries = client.ask("GET", PATH, query=MAP).json()["pmap"]
    admitted = []
    for id_, entry in sorted(entries.items()):
        own = entry["public_net"]["node_ip_addr"] in stack.proxies
        if own or int(entry.get("flags") or 0) & NON_ELECTABLE:
            continue
        try:
            client.ask("POST", "/v1/cluster/join-by-admin", value=entry, headers={FLAGS_HEADER: str(NON_ELECTABLE)})
        except Refused as problem:
            print(f"{id_} is not admitted, and may become primary until the next turn: {problem}", flush=True)
        else:
            admitted.append(id_)
    return tuple(admitted)
