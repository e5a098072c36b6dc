"""Reads batches with the workers of a real DataLoader, until a number of them; prints the samples and the state.

Runs in .tools/torch: loader_job.py FOLDER WORKERS BATCHES [--stateful] < state
"""

from __future__ import annotations

import json
import sys

from fleet_pool.client import open_store
from fleet_pool.doors.torch_dataset import ShardDataset


def name_of(sample):
    return int(sample.files["cls"])


def main(folder: str, workers: int, limit: int, stateful: bool) -> None:
    store = open_store(folder)
    keys = [entry.key for entry in store.entries("set/")]
    dataset = ShardDataset(store, keys, seed=7, decode=name_of)
    state = json.loads(sys.stdin.read() or "null")
    if stateful:
        from torchdata.stateful_dataloader import StatefulDataLoader

        loader = StatefulDataLoader(dataset, batch_size=4, num_workers=workers)
        if state:
            loader.load_state_dict(state)
        batches, saved = iter(loader), loader
    else:
        if state:
            dataset.load_state_dict(state)
        batches, saved = dataset.batches(4, workers=workers), dataset
    seen = []
    while len(seen) < limit:
        batch = next(batches, None)
        if batch is None:
            break
        seen.append(batch.tolist())
    print(json.dumps({"seen": seen, "state": saved.state_dict()}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), "--stateful" in sys.argv)
