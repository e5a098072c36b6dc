"""The pool of a canary: three control nodes and one target, which the others join later."""

from __future__ import annotations

import random

from tests.pool.cluster import BUCKET, Shape, standing
from tests.pool.jobs import job
from tests.pool.member import Member


def test_a_pool_of_one_target_serves_and_takes_the_others_in(pool_machine):
    rng = random.Random(1)
    objects = {f"dataset/{number}": rng.randbytes(200_000) for number in range(40)}
    with standing(Shape(nodes=1, drives=1, drive_gib=1.0)) as cluster:
        s3, store = cluster.s3.client(), job(cluster)
        for key, data in objects.items():
            s3.put_object(Bucket=BUCKET, Key=key, Body=data)
            assert store.read(key) == data
        alone = store.counts
        assert (alone.by_pool, alone.by_s3) == (len(objects), 0)
        for number in (2, 3, 4):
            member = Member(cluster, "target", number, cluster.network.add(f"n{number}", 10 + number))
            cluster.nodes.append(member)
            member.start()
        joined_s = cluster.wait_whole()
        print(f"three targets joined one in {joined_s:.1f} s")
        assert {key: store.read(key) for key in objects} == objects
        assert cluster.targets_in() == {node.id for node in cluster.nodes}
