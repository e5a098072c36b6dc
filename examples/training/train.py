"""Train on the shards of dataset.py, save checkpoints, and resume from the last one after a kill.

    python examples/training/train.py --store s3://BUCKET --pool http://PROXY:51080

A run that was killed and restarted ends with the same numbers, to the last bit, as an undisturbed one: the order of the
shards follows from seed and epoch, and a checkpoint has the position in it. On SIGTERM, which a spot notice sends, it
saves and exits.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass

import numpy as np
from dataset import BIAS, PREFIX, WEIGHTS, arrays, opened, run, store_options
from fleet_pool.client import Checkpoints, Store, StoreProblem
from fleet_pool.client.shards import order, read_ahead
from fleet_pool.problems import Code

KEPT = int(os.environ.get("PLANNER_POOL_CHECKPOINTS_KEPT", "2"))  # 0: all
RATE, MOMENTUM = 1.0, 0.9
STOPPED = 143  # exit code of a shell after SIGTERM: start again to continue


class AnotherRun(StoreProblem):
    """The checkpoints are of a run with other settings."""

    exit_code = Code.USAGE


@dataclass(frozen=True)
class Position:
    """Where the next batch is, counted from 0. A batch never spans two shards."""

    epoch: int = 0
    shard: int = 0
    batch: int = 0


@dataclass
class Model:
    """A logistic regression trained by gradient descent with momentum; the last entry of each array is the bias."""

    step: int
    weights: np.ndarray
    speed: np.ndarray

    @classmethod
    def new(cls) -> Model:
        return cls(0, np.zeros(len(WEIGHTS) + 1), np.zeros(len(WEIGHTS) + 1))

    def learn(self, features: np.ndarray, labels: np.ndarray, rate: float) -> float:
        """One training step; returns the loss before it."""
        inputs = np.hstack([features, np.ones((len(features), 1))])
        scores = inputs @ self.weights
        gradient = inputs.T @ (1 / (1 + np.exp(-scores)) - labels) / len(labels)
        self.speed = MOMENTUM * self.speed - (1 - MOMENTUM) * rate * gradient
        self.weights = self.weights + self.speed
        self.step += 1
        return float(np.mean(np.logaddexp(0, scores) - labels * scores))

    def to_bytes(self) -> bytes:
        out = io.BytesIO()
        np.savez(out, step=self.step, weights=self.weights, speed=self.speed)
        return out.getvalue()

    @classmethod
    def from_bytes(cls, data: bytes) -> Model:
        with np.load(io.BytesIO(data)) as kept:
            return cls(int(kept["step"]), kept["weights"], kept["speed"])


def batches(
    store: Store, keys: list[str], begin: Position, *, seed: int, epochs: int, size: int
) -> Iterator[tuple[np.ndarray, np.ndarray, Position]]:
    """Every batch from a position on, with the position after it."""
    for epoch in range(begin.epoch, epochs):
        first = begin.shard if epoch == begin.epoch else 0
        left = order(keys, seed=seed, epoch=epoch)[first:]
        for shard, (key, data) in enumerate(read_ahead(store, left), first):
            features, labels = arrays(data, key)
            count = -(-len(labels) // size)
            done = begin.batch if (epoch, shard) == (begin.epoch, begin.shard) else 0
            for batch in range(done, count):
                part = slice(batch * size, (batch + 1) * size)
                yield features[part], labels[part], Position(epoch, shard, batch + 1)


def train(store: Store, options: argparse.Namespace) -> int:
    checkpoints = Checkpoints(store, options.run)
    restored = checkpoints.restore()
    for skipped in restored.skipped:
        print(f"skipped step {skipped.step}: {skipped.why}", flush=True)
    keys = [entry.key for entry in store.entries(PREFIX)]
    fixed = {"batch": options.batch, "seed": options.seed, "shards": len(keys)}
    if restored.commit and restored.commit.notes["fixed"] != fixed:
        raise AnotherRun(f"{options.run} was started with {restored.commit.notes['fixed']}, not {fixed}: see --run")
    begin = Position(**restored.commit.notes["position"]) if restored.commit else Position()
    model = Model.from_bytes(restored.shards[0]) if restored.commit else Model.new()
    checkpoints.forget_after(restored.commit.step if restored.commit else None)
    print(f"begin at step {model.step}", flush=True)

    stopped: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, frame: stopped.append(number))
    saved, loss, position = model.step, None, begin
    for features, labels, position in batches(
        store, keys, begin, seed=options.seed, epochs=options.epochs, size=options.batch
    ):
        loss = model.learn(features, labels, RATE / (1 + position.epoch) ** 0.5)
        print(f"step {model.step} loss {loss:.6f}", flush=True)
        if model.step - saved >= options.save_every or stopped:
            save(checkpoints, model, position, loss, fixed)
            saved = model.step
        if stopped:
            print(f"stopped at step {model.step}: start again to continue", flush=True)
            return STOPPED
        time.sleep(options.pace_s)
    if model.step > saved:
        save(checkpoints, model, position, loss, fixed)
    elif restored.commit and loss is None:
        loss = restored.commit.notes["loss"]
    counts = getattr(store, "counts", None)
    found = {"steps": model.step, "loss": loss, "weights": model.weights.tolist(), "true": [*WEIGHTS, BIAS]}
    print(json.dumps({**found, "answered": asdict(counts) if counts else None}), flush=True)
    return 0


def save(checkpoints: Checkpoints, model: Model, position: Position, loss: float | None, fixed: dict[str, int]) -> None:
    """Saves the weights as the one shard; its notes have the position and the settings that must not change."""
    notes = {"position": asdict(position), "loss": loss, "fixed": fixed}
    checkpoints.save(step=model.step, shards=[model.to_bytes()], notes=notes)
    if KEPT:
        checkpoints.expire(keep=KEPT)


def main() -> int:
    parser = argparse.ArgumentParser(description="Train a logistic regression, resuming from its last checkpoint.")
    store_options(parser)
    below = os.environ.get("PLANNER_POOL_CHECKPOINTS", "checkpoints/")
    parser.add_argument("--run", default=f"{below}toy", help="prefix of the keys of its checkpoints")
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--batch", type=int, default=50, help="samples in a step")
    parser.add_argument("--save-every", type=int, default=40, help="steps between checkpoints")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--pace-s", type=float, default=0.0, help="seconds to wait after a step, to leave time to kill it"
    )
    options = parser.parse_args()
    return train(opened(options), options)


if __name__ == "__main__":
    sys.exit(run(main))
