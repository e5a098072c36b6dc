"""A job as a user writes one: it counts steps, saves with a COMMIT, resumes from it, and saves when it is told to end.

Rank 0 saves for all. The sum that COMMIT names follows from the steps alone, so that a run that was interrupted has to
end with the sum of one that was not. A node with a file of its name in the folder SICK has lost a GPU.
With the file ENOUGH it is done at the next step that it saves.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

from fleet_pool.client import Checkpoints, open_store

EVERY = 10


def main(steps: int, pace_s: float, fails_at: int) -> int:
    rank, world = int(os.environ["NODE_RANK"]), int(os.environ["NNODES"])
    store = open_store(os.environ["PLANNER_STORE"], s3_endpoint_url=os.environ["AWS_ENDPOINT_URL_S3"])
    saved = Checkpoints(store, os.environ["PLANNER_CHECKPOINTS"])
    sick = Path(os.environ.get("SICK", "/nonexistent"), os.environ.get("SLURMD_NODENAME", ""))
    enough = Path(os.environ.get("ENOUGH", "/nonexistent"))
    told: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: told.append(number))
    commit, _ = saved.newest()
    step, total = (commit.step, commit.notes["sum"]) if commit else (0, 0)
    where = f"{os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']}"
    print(f"rank {rank} of {world} begins at step {step}, rank 0 at {where}", flush=True)
    while step < steps and not told:
        step, total = step + 1, total + (step + 1) ** 2
        time.sleep(pace_s)
        if sick.is_file():
            print(f"rank {rank}: CUDA error: unspecified launch failure", flush=True)
            return 1
        if rank == 0 and (step % EVERY == 0 or step == steps):
            saved.save(step=step, shards=[str(total).encode()], notes={"sum": total})
        if step == fails_at and not commit:
            return 9
        if step % EVERY == 0 and enough.is_file():
            break
    if told and rank == 0 and step % EVERY:
        saved.save(step=step, shards=[str(total).encode()], notes={"sum": total})
    print(f"rank {rank} {'told to end' if told else 'done'} at step {step}, sum {total}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else -1))
