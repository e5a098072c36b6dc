"""All nodes of a real pool measure it at once; one of them is slowed, and found."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.pool.cluster import BUCKET, Shape, standing
from tests.pool.daemon import PLAIN

pytestmark = pytest.mark.real


def test_x(pool_machine):
    with standing(Shape(nodes=4, drives=1, drive_gib=1.0, proxies=1)) as cluster:
        names = [n.name for n in cluster.nodes]

        def one(node):
            words = [
                *node.host.enter,
                sys.executable,
                "-m",
                "fleet_pool",
                "bench",
                BUCKET,
                "--run",
                run,
                "--of",
                ",".join(names),
                "--me",
                node.name,
                "--sizes",
                "100000,1000000",
                "--most-bytes",
                "20000000",
                "--read-s",
                "2",
                "--processes",
                "1",
                "--threads",
                "4",
                "--checkpoint-bytes",
                "40000000",
            ]
            import os

            d = subprocess.run(
                words,
                capture_output=True,
                text=True,
                env={**PLAIN, "PYTHONPATH": os.environ["PYTHONPATH"], "AIS_ENDPOINT": ",".join(cluster.addresses)},
                timeout=120,
            )
            return d

        for slow in (None, cluster.nodes[2]):
            run = f"r{time.time_ns()}"
            if slow:
                cluster.network.slow(slow.host, "40mbit")
            with ThreadPoolExecutor(4) as p:
                got = list(p.map(one, cluster.nodes))
            for g in got:
                print(g.stderr)
                r = json.loads(g.stdout)
                for part in r["parts"]:
                    for w in ("write", "read"):
                        x = part[w]
                        print(
                            r["node"],
                            part["name"],
                            w,
                            x["objects"],
                            x["seconds"],
                            x["failed"],
                            {h: round(v["bytes"] / v["busy_s"] / 1e6, 2) for h, v in x["by_target"].items()},
                        )
        left = cluster.s3.client().list_objects_v2(Bucket=BUCKET).get("Contents")
        print("left", left)
