"""A job as a user writes one: parameters and optimizer sharded over the ranks, saved in the background, resumed.

Runs in .tools/torch under torchrun. Prints the SHA-256 of everything at its begin and at its end; at the end of a saved
step that is also in COMMIT.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import os
import sys
import time

import torch
import torch.distributed as dist
from fleet_pool.client import open_store
from fleet_pool.doors.torch_checkpoint import TorchCheckpoints
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor

if "AFTER_TORCH" in os.environ:  # libraries that torch's folder lacks
    sys.path.append(os.environ["AFTER_TORCH"])


class App:
    """Model and optimizer as one Stateful."""

    def __init__(self, model: torch.nn.Module, descent: torch.optim.Optimizer) -> None:
        self.model, self.descent, self.step = model, descent, 0

    def state_dict(self):
        model, descent = get_state_dict(self.model, self.descent)
        return {"model": model, "descent": descent, "step": self.step}

    def load_state_dict(self, state):
        set_state_dict(self.model, self.descent, model_state_dict=state["model"], optim_state_dict=state["descent"])
        self.step = state["step"]

    def digest(self) -> str:
        """Of whole tensors, whatever number of ranks holds them."""
        held = io.BytesIO()
        for name, value in sorted(_flat(self.state_dict())):
            whole = value.full_tensor() if isinstance(value, DTensor) else value
            held.write(f"{name} {whole.numpy().tobytes() if isinstance(whole, torch.Tensor) else whole}".encode())
        return hashlib.sha256(held.getvalue()).hexdigest()


def _flat(value, name=""):
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _flat(each, f"{name}/{key}")
    elif isinstance(value, (torch.Tensor, int, float)):
        yield name, value


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--store", required=True)
    parser.add_argument("--prefix", default="run")
    parser.add_argument("--pool", nargs="*")
    parser.add_argument("--s3-endpoint-url")
    parser.add_argument("--staging", required=True)
    parser.add_argument("--steps", type=int, default=0)
    parser.add_argument("--every", type=int, default=3)
    parser.add_argument("--pace-s", type=float, default=0.0)
    options = parser.parse_args()
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(7)
    model = torch.nn.Sequential(torch.nn.Linear(64, 333), torch.nn.Tanh(), torch.nn.Linear(333, 5))
    for layer in (model[0], model[2]):
        fully_shard(layer)
    fully_shard(model)
    app = App(model, torch.optim.AdamW(model.parameters(), lr=0.01))
    store = open_store(options.store, pool=options.pool or (), s3_endpoint_url=options.s3_endpoint_url)
    saved = TorchCheckpoints(store, options.prefix, staging=options.staging)
    commit = saved.resume({"app": app})
    whole = app.digest()
    if rank == 0:
        print("begins", app.step, whole, commit.notes if commit else None, flush=True)
    while app.step < options.steps:
        app.step += 1
        drawn = torch.Generator().manual_seed(app.step * 1000 + rank)
        inputs = torch.randn(16, 64, generator=drawn)
        loss = (model(inputs) - inputs[:, :5].sin()).square().mean()
        app.descent.zero_grad()
        loss.backward()
        app.descent.step()
        time.sleep(options.pace_s)
        if app.step % options.every == 0:
            whole = app.digest()
            saved.save_async(app.step, {"app": app}, notes={"whole": whole, "world": world}, own={"rank": rank})
            saved.expire(keep=3)  # while the save is under way
    saved.close()
    whole = app.digest()
    if rank == 0:
        print("ends", app.step, whole, flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    os._exit(0)  # a gloo thread that lets go of a tensor while Python ends aborts the process (pytorch #179291)
