"""Three nodes with mutual TLS and tokens, a proxy on each of them, and one volume over them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fleet_pool.node.own_proxies import tend

from tests.pool.cluster import Cluster, Shape, standing
from tests.pool.fixtures import needed
from tests.pool.posix.mounts import FILES, Database, Volume, administrator, missing, own_proxy


@pytest.fixture(scope="session")
def juicefs(pool_machine: None) -> None:
    """This machine can mount files over a pool. Otherwise: skipped, saying what is missing; NEED_POOL=1: a failure."""
    needed("files over a pool", missing())


@pytest.fixture(scope="package")
def volume(juicefs: None) -> Iterator[Volume]:
    with standing(Shape(nodes=3, drives=1, proxies=3, mutual_tls=True)) as cluster:
        cluster.s3.client().create_bucket(Bucket=FILES)
        own = [own_proxy(cluster, node, number) for number, node in enumerate(cluster.nodes, 4)]
        tend(administrator(cluster), cluster.stack, FILES)
        address = f"{cluster.network.subnet}.254"
        database = Database(address, cluster.authority.issue("database", [address]))
        try:
            made = Volume(cluster, database)
            made.format(cluster.nodes[0].host)
            made.own_proxies = own
            yield made
        finally:
            for proxy in own:
                proxy.close()
            database.close()


def electable(cluster: Cluster) -> set[str]:
    """Ids of the proxies that may become primary."""
    return {id for id, proxy in cluster.map()["pmap"].items() if not int(proxy.get("flags", 0)) & 1}
