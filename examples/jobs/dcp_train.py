"""Train a sharded model with distributed checkpoints that are saved in the background, as dcp.sbatch starts it.

Model, data and loss are stand-ins for yours; the rest is what a job needs that is stopped and started again. Needs
PyTorch and `fleet-pool[client]`. planner-launch says where checkpoints are; SIGTERM means: save and end.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import signal
import sys
import time

import torch
import torch.distributed as dist
from fleet_pool.client import open_store
from fleet_pool.doors.torch_checkpoint import TorchCheckpoints
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
from torch.distributed.fsdp import fully_shard

WIDTH, BATCH = 512, 32


class App:
    """What a checkpoint holds: model, optimizer, step."""

    def __init__(self, model: torch.nn.Module, descent: torch.optim.Optimizer) -> None:
        self.model, self.descent, self.step = model, descent, 0

    def state_dict(self):
        model, descent = get_state_dict(self.model, self.descent)
        return {"model": model, "descent": descent, "step": self.step}

    def load_state_dict(self, state):
        set_state_dict(self.model, self.descent, model_state_dict=state["model"], optim_state_dict=state["descent"])
        self.step = state["step"]


def train(app: App, rank: int, device: torch.device) -> None:
    """One step. Data follow from step and rank, so that a run that was stopped ends as one that was not."""
    app.step += 1
    drawn = torch.Generator().manual_seed(app.step * 100_000 + rank)
    inputs = torch.randn(BATCH, WIDTH, generator=drawn).to(device)
    loss = (app.model(inputs) - inputs.sin()).square().mean()
    app.descent.zero_grad()
    loss.backward()
    app.descent.step()


def weights(model: torch.nn.Module) -> str:
    """SHA-256 of all of them, whatever number of ranks holds them."""
    whole = [each.detach().full_tensor().cpu().numpy().tobytes() for each in model.parameters()]
    return hashlib.sha256(b"".join(whole)).hexdigest()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--save-every", type=int, default=100, help="steps between checkpoints")
    parser.add_argument("--staging", default="/scratch", help="folder on the node's own drive")
    parser.add_argument("--pace-s", type=float, default=0.0, help="seconds to wait after a step, to try a requeue")
    options = parser.parse_args()
    told: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, frame: told.append(number))

    cuda = torch.cuda.is_available()
    dist.init_process_group("cpu:gloo,cuda:nccl" if cuda else "gloo")
    rank, device = dist.get_rank(), torch.device("cuda", int(os.environ["LOCAL_RANK"])) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    torch.manual_seed(7)
    model = torch.nn.Sequential(torch.nn.Linear(WIDTH, WIDTH), torch.nn.Tanh(), torch.nn.Linear(WIDTH, WIDTH))
    model.to(device)
    for layer in (model[0], model[2]):
        fully_shard(layer)
    fully_shard(model)
    app = App(model, torch.optim.AdamW(model.parameters(), lr=1e-3))

    store = open_store(os.environ["PLANNER_STORE"])  # on a stack with a pool it finds the pool by itself
    saved = TorchCheckpoints(store, os.environ["PLANNER_CHECKPOINTS"], staging=options.staging)
    saved.resume({"app": app})
    if rank == 0:
        print(f"begins at step {app.step}", flush=True)
    last, any_told = app.step, torch.zeros(1)
    while app.step < options.steps and not any_told.item():
        train(app, rank, device)
        time.sleep(options.pace_s)
        any_told = torch.tensor([float(bool(told))])
        dist.all_reduce(any_told)  # the signal reaches ranks at different steps, and all save the same one
        if app.step - last >= options.save_every or any_told.item() or app.step == options.steps:
            saved.save_async(app.step, {"app": app})  # training goes on meanwhile
            saved.expire(keep=3)
            last = app.step
    saved.close()  # waits for the save that is under way
    digest = weights(model)
    if rank == 0:
        print(f"ends at step {app.step}, weights {digest}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    os._exit(0)  # PyTorch's gloo threads can abort a process that ends well (docs/pool-doors.md)
