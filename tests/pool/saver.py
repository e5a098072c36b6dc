"""A job that saves one checkpoint through the pool, a line after every shard: python -m tests.pool.saver STEP.

The environment says where: STORE, AIS_ENDPOINT, S3_ENDPOINT. It is there to be killed.
"""

from __future__ import annotations

import os
import sys

from fleet_pool.client.address import open_store
from fleet_pool.client.checkpoint import Checkpoints

PREFIX, RANKS, SHARD_BYTES = "runs/killed", 8, 2 * 2**20


def shard(step: int, rank: int) -> bytes:
    """What a rank keeps at a step: known to whoever checks it afterwards."""
    return (b"step %08d rank %04d " % (step, rank) * (SHARD_BYTES // 16))[:SHARD_BYTES]


def main(step: int) -> None:
    store = open_store(os.environ["STORE"], s3_endpoint_url=os.environ["S3_ENDPOINT"])
    checkpoints, written = Checkpoints(store, PREFIX), []
    for rank in range(RANKS):
        print(f"begins {rank}", flush=True)
        written.append(checkpoints.put_shard(step=step, rank=rank, data=shard(step, rank)))
        print(f"written {rank + 1}", flush=True)
    sys.stdin.readline()  # whoever started this decides whether it lives to commit
    checkpoints.commit(step=step, shards=written)
    print("committed", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
