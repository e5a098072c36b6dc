"""A data-parallel training run of PyTorch on CPUs: gradients really go round, by gloo; each sample sleeps for as long
as a device would compute on it, so that more workers than cores can share one machine.

    python ddp.py WORKERS STEPS     starts every worker; the first prints a JSON line for each step
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time

BATCH, DEVICE_S, WIDTH, LAYERS = 16, 0.01, 256, 4  # samples a step of all workers; 1 MB of gradients


def train(steps: int) -> None:
    import torch
    import torch.distributed as dist
    from torch.nn.parallel import DistributedDataParallel

    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    model = DistributedDataParallel(torch.nn.Sequential(*(torch.nn.Linear(WIDTH, WIDTH) for _ in range(LAYERS))))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    share = BATCH // dist.get_world_size()
    for step in range(steps):
        began = time.perf_counter()
        data = torch.randn(share, WIDTH)
        time.sleep(DEVICE_S * share)
        optimizer.zero_grad()
        (model(data) - data).pow(2).mean().backward()
        optimizer.step()
        if dist.get_rank() == 0:
            print(json.dumps({"step": step, "seconds": time.perf_counter() - began, "samples": BATCH}), flush=True)
    dist.destroy_process_group()


def main() -> int:
    if "RANK" in os.environ:
        train(int(sys.argv[2]))
        return 0
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    together = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "WORLD_SIZE": sys.argv[1]}
    workers = [
        subprocess.Popen([sys.executable, *sys.argv], env={**os.environ, **together, "RANK": str(rank)})
        for rank in range(int(sys.argv[1]))
    ]
    return max(worker.wait() for worker in workers)


if __name__ == "__main__":
    sys.exit(main())
