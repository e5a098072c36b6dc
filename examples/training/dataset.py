"""A small dataset with a known answer, in tar shards as WebDataset lays them out.

    python examples/training/dataset.py --store s3://BUCKET --pool http://PROXY:51080

On a stack's node /etc/planner/pool.env sets both. Nodes may read data sets but not write them, so run this where you
have write access to the bucket.

Each sample is eight normal numbers and a label that is 1 with probability sigmoid(WEIGHTS . x + BIAS). A logistic
regression trained on enough samples finds WEIGHTS and BIAS.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Callable, Iterator

import numpy as np
from fleet_pool.client import Store, StoreProblem, open_store
from fleet_pool.client.shards import Sample, pack, unpack

WEIGHTS = np.array([1.5, -2.0, 0.5, 0.0, 1.0, -0.5, 2.0, -1.0])
BIAS = 0.25
PREFIX = os.environ.get("PLANNER_POOL_DATASET", "dataset/")


def samples(shard: int, count: int, seed: int) -> Iterator[Sample]:
    """The samples of one shard, determined by its number and the seed."""
    random = np.random.default_rng([seed, shard])
    features = random.normal(size=(count, len(WEIGHTS)))
    chance = 1 / (1 + np.exp(-(features @ WEIGHTS + BIAS)))
    labels = random.random(count) < chance
    for number in range(count):
        out = io.BytesIO()
        np.save(out, features[number])
        files = {"x.npy": out.getvalue(), "cls": str(int(labels[number])).encode()}
        yield Sample(name=f"{shard:04d}-{number:05d}", files=files)


def arrays(shard: bytes, key: str) -> tuple[np.ndarray, np.ndarray]:
    """Features and labels of a shard's bytes."""
    read = list(unpack(shard, key))
    features = np.stack([np.load(io.BytesIO(sample.files["x.npy"])) for sample in read])
    return features, np.array([float(sample.files["cls"]) for sample in read])


def write(store: Store, *, shards: int, count: int, seed: int) -> None:
    for shard in range(shards):
        store.write(f"{PREFIX}{shard:04d}.tar", pack(samples(shard, count, seed)))


def store_options(parser: argparse.ArgumentParser) -> None:
    """The options about the store, the same for both programs."""
    bucket = os.environ.get("PLANNER_POOL_BUCKET")
    store = {"default": f"s3://{bucket}"} if bucket else {"required": True}
    parser.add_argument("--store", **store, help="s3://BUCKET, or a folder to try it without a pool")
    parser.add_argument("--pool", action="append", help="a proxy, http://10.0.0.10:51080; repeatable")
    parser.add_argument("--region", help="Region of the bucket")
    parser.add_argument("--s3-endpoint-url", help="endpoint of another S3-compatible server")


def opened(options: argparse.Namespace) -> Store:
    return open_store(options.store, pool=options.pool, region=options.region, s3_endpoint_url=options.s3_endpoint_url)


def run(main: Callable[[], int]) -> int:
    """Exit code of a program; prints errors as messages instead of tracebacks."""
    try:
        return main()
    except StoreProblem as problem:
        print(f"{sys.argv[0]}: {problem}", file=sys.stderr)
        return int(problem.exit_code)


def main() -> int:
    parser = argparse.ArgumentParser(description="Write the shards of a small dataset with a known answer.")
    store_options(parser)
    parser.add_argument("--shards", type=int, default=24)
    parser.add_argument("--samples", type=int, default=250, help="in each shard")
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    store = opened(options)
    write(store, shards=options.shards, count=options.samples, seed=options.seed)
    print(f"wrote {options.shards} shards of {options.samples} samples to {store.place}")
    return 0


if __name__ == "__main__":
    sys.exit(run(main))
