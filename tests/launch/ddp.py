"""A job as a user writes one: torchrun's ranks train one model together, save with a COMMIT, and resume from it.

Its data follow from the step and the rank, so that a resumed run has to end with the very weights of one that was
never interrupted: COMMIT names their checksum. Runs in .tools/torch, not in a test's own interpreter.
"""

from __future__ import annotations

import hashlib
import io
import os
import sys
import time

import torch
import torch.distributed as dist
from fleet_pool.client import Checkpoints, open_store
from torch.nn.parallel import DistributedDataParallel

EVERY = 5  # steps between two checkpoints


def main(steps: int, pace_s: float) -> None:
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(7)
    model = DistributedDataParallel(
        torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1))
    )
    descent = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    store = open_store(os.environ["PLANNER_STORE"], s3_endpoint_url=os.environ["AWS_ENDPOINT_URL_S3"])
    saved = Checkpoints(store, os.environ["PLANNER_CHECKPOINTS"])
    restored = saved.restore(ranks=[rank])
    begin, loss = 0, torch.tensor(0.0)
    if restored.commit is not None:
        state = torch.load(io.BytesIO(restored.shards[rank]))
        model.load_state_dict(state["model"])
        descent.load_state_dict(state["descent"])
        begin = restored.commit.step
    if rank == 0:
        saved.forget_after(begin if restored.commit else None)
    dist.barrier()
    print(f"rank {rank} of {world} on {os.environ['PLANNER_INSTANCE']} begins at step {begin}", flush=True)
    for step in range(begin + 1, steps + 1):
        drawn = torch.Generator().manual_seed(step * 1000 + rank)
        inputs = torch.randn(32, 8, generator=drawn)
        loss = ((model(inputs) - inputs.sum(1, keepdim=True).sin()) ** 2).mean()
        descent.zero_grad()
        loss.backward()
        descent.step()
        time.sleep(pace_s)
        if step % EVERY == 0:
            held = io.BytesIO()
            torch.save({"model": model.state_dict(), "descent": descent.state_dict()}, held)
            receipts = [None] * world
            dist.all_gather_object(receipts, saved.put_shard(step=step, rank=rank, data=held.getvalue()))
            if rank == 0:
                weights = hashlib.sha256(b"".join(each.numpy().tobytes() for each in model.state_dict().values()))
                saved.commit(step=step, shards=receipts, notes={"weights": weights.hexdigest()})
    print(f"rank {rank} ends with loss {loss.item():.6f}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]))
