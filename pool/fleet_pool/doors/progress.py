"""How far a rank has read an epoch's shards, so that a restarted job goes on after the last sample it used. Pure.

Shards are dealt to ranks, and those of a rank to streams, one for each worker of its data loader. What was used is
counted for each shard, so that the rest can be dealt again: to another number of workers, or of ranks.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from fleet_pool.client.errors import Refused
from fleet_pool.client.shards import order
from fleet_pool.compat import frozen

FORMAT = 1
DONE = -1  # the count of a shard that was used to its end


@frozen
class Part:
    """A shard that a stream reads. number: in the epoch's order. skip: samples at its begin that were used already."""

    key: str
    number: int
    skip: int


class Progress:
    """Of one rank. Counts are samples by the number of their shard in the epoch's order, or DONE.

    before: used by any rank when shards were dealt to ranks. begun: used by this rank when its shards were dealt to
    workers. used: by this rank since the deal to ranks. turn: the stream that gives the next batch.
    """

    def __init__(self, keys: Sequence[str], *, seed: int, rank: int, world_size: int) -> None:
        if not 0 <= rank < world_size or len(keys) < world_size:
            raise Refused(f"rank {rank} of {world_size} with {len(keys)} shards: every rank needs at least one")
        self.keys, self.seed, self.rank, self.world_size = tuple(sorted(keys)), seed, rank, world_size
        self.begin(0)

    def begin(self, epoch: int, before: Mapping[int, int] | None = None) -> None:
        """The start of an epoch, or the rest of one."""
        self.epoch, self.before, self.used = epoch, dict(before or {}), dict[int, int]()
        self.workers, self.begun, self.turn = 0, dict[int, int](), 0

    def streams(self, workers: int) -> tuple[tuple[Part, ...], ...]:
        """What is left for each worker. Another number of workers than before deals what is left of the rank again."""
        if workers != self.workers:
            self.workers, self.begun, self.turn = workers, dict(self.used), 0
        shuffled = order(self.keys, seed=self.seed, epoch=self.epoch)
        mine = [number for number in range(len(shuffled)) if self.before.get(number) != DONE]
        mine = [number for number in mine[self.rank :: self.world_size] if self.begun.get(number) != DONE]
        now = {**self.before, **self.used}
        return tuple(
            tuple(
                Part(key=shuffled[number], number=number, skip=now.get(number, 0))
                for number in mine[worker::workers]
                if now.get(number) != DONE
            )
            for worker in range(workers)
        )

    def state(self) -> dict[str, Any]:
        """JSON data, for `load`."""
        return {
            "format": FORMAT,
            "shards": _digest(self.keys),
            "seed": self.seed,
            "epoch": self.epoch,
            "rank": self.rank,
            "world_size": self.world_size,
            "before": _text(self.before),
            "used": _text(self.used),
            "workers": self.workers,
            "begun": _text(self.begun),
            "turn": self.turn,
        }

    def load(self, states: Sequence[Mapping[str, Any]]) -> None:
        """Goes on where the states end: this rank's own is enough if the number of ranks is the same, else those of all
        ranks are needed, saved at one moment. Raises Refused with what does not fit."""
        if not states or any(state.get("format") != FORMAT for state in states):
            raise Refused("no states of a data set, or of another version")
        first = states[0]
        for name, mine in (("shards", _digest(self.keys)), ("seed", self.seed)):
            if first[name] != mine:
                raise Refused(f"the state is of other {name}: {first[name]}, not {mine}")
        for state in states:
            for name in ("shards", "seed", "epoch", "world_size", "before"):
                if state[name] != first[name]:
                    raise Refused(f"the states are not of one run: {name} is {first[name]} and {state[name]}")
        by_rank = {state["rank"]: state for state in states}
        if first["world_size"] == self.world_size and self.rank in by_rank:
            mine = by_rank[self.rank]
            self.begin(first["epoch"], _numbers(first["before"]))
            self.used, self.begun = _numbers(mine["used"]), _numbers(mine["begun"])
            self.workers, self.turn = mine["workers"], mine["turn"]
            return
        if sorted(by_rank) != list(range(first["world_size"])):
            raise Refused(
                f"rank {self.rank} of {self.world_size} resumes what {first['world_size']} ranks saved: give the "
                f"states of all of them; there are those of {sorted(by_rank)}"
            )
        before = _numbers(first["before"])
        for state in states:
            before.update(_numbers(state["used"]))
        self.begin(first["epoch"], before)


def _digest(keys: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(keys).encode()).hexdigest()[:16]


def _text(counts: Mapping[int, int]) -> dict[str, int]:
    """JSON's keys are text."""
    return {str(number): count for number, count in sorted(counts.items())}


def _numbers(counts: Mapping[str, int]) -> dict[int, int]:
    return {int(number): count for number, count in counts.items()}
