"""The rehearsal's job: all nodes add up one vector, step by step, save it together, and resume from the last COMMIT.

    planner-launch --nodes 3 --name rehearsal -- python3 job.py --steps 300

It needs Python alone, on any image. What each node adds follows from the step and its rank, so the end is known in
advance: `final` works it out on one machine, and a run that lost or repeated a step would end elsewhere.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import socket
import struct
import sys
import time
from array import array
from dataclasses import asdict

SIZE = 4096  # numbers in the vector
EVERY = 10  # steps between two checkpoints
PATIENCE_S = 60.0  # for the other nodes: longer than the slowest save


def part(step: int, rank: int) -> array[int]:
    """What a rank adds in a step: whole numbers, so that no order of adding changes the sum."""
    drawn = random.Random(step * 1000 + rank)
    return array("q", (drawn.randrange(1 << 20) for _ in range(SIZE)))


def added(vector: array[int], more: array[int]) -> array[int]:
    return array("q", map(int.__add__, vector, more))


def checksum(vector: array[int]) -> str:
    return hashlib.sha256(vector.tobytes()).hexdigest()


def final(steps: int, ranks: int) -> str:
    """The checksum at the end of an undisturbed run."""
    vector = array("q", bytes(8 * SIZE))
    for step in range(1, steps + 1):
        for rank in range(ranks):
            vector = added(vector, part(step, rank))
    return checksum(vector)


class Gang:
    """The other ranks: rank 0 hears all of them and tells all of them. A connection that breaks ends the job."""

    def __init__(self, rank: int, ranks: int, address: str, port: int) -> None:
        self.rank, self.ranks = rank, ranks
        if rank:
            self.links = {0: _connected(address, port)}
            _send(self.links[0], rank.to_bytes(4, "big"))
        else:
            with socket.create_server((address, port)) as server:
                server.settimeout(PATIENCE_S)
                links = [server.accept()[0] for _ in range(ranks - 1)]
            for link in links:
                link.settimeout(PATIENCE_S)
            self.links = {int.from_bytes(_receive(link), "big"): link for link in links}

    def gathered(self, own: bytes) -> list[bytes]:
        """On rank 0 what each rank has, in the order of ranks; on the others nothing."""
        if self.rank:
            _send(self.links[0], own)
            return []
        return [own if rank == 0 else _receive(self.links[rank]) for rank in range(self.ranks)]

    def told(self, by_first: bytes) -> bytes:
        """What rank 0 says, on every rank."""
        if self.rank:
            return _receive(self.links[0])
        for link in self.links.values():
            _send(link, by_first)
        return by_first


def _connected(address: str, port: int) -> socket.socket:
    until = time.monotonic() + PATIENCE_S
    while True:
        try:
            link = socket.create_connection((address, port), timeout=PATIENCE_S)
            link.settimeout(PATIENCE_S)
            return link
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.2)


def _send(link: socket.socket, data: bytes) -> None:
    link.sendall(struct.pack("!Q", len(data)) + data)


def _receive(link: socket.socket) -> bytes:
    return _exactly(link, struct.unpack("!Q", _exactly(link, 8))[0])


def _exactly(link: socket.socket, size: int) -> bytes:
    found = b""
    while len(found) < size:
        piece = link.recv(min(size - len(found), 1 << 20))
        if not piece:
            raise ConnectionError("another rank has ended")
        found += piece
    return found


def main() -> int:
    from fleet_pool.client import Checkpoints, open_store
    from fleet_pool.client.commit import Shard

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--pace-s", type=float, default=0.2, help="between steps, to leave time to end a node")
    given = parser.parse_args()
    rank, ranks = int(os.environ["NODE_RANK"]), int(os.environ["NNODES"])
    saved = Checkpoints(open_store(os.environ["PLANNER_STORE"]), os.environ["PLANNER_CHECKPOINTS"])
    gang = Gang(rank, ranks, os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]))

    # rank 0 says where to begin: all resume from the same step
    restored = saved.restore(ranks=[0]) if rank == 0 else None
    begin = restored.commit.step if restored is not None and restored.commit is not None else 0
    begin = int(gang.told(str(begin).encode()))
    vector = array("q", bytes(8 * SIZE))
    if begin:
        held = restored if restored is not None else saved.restore(ranks=[0], at_most=begin)
        vector = array("q", held.shards[0])
    if rank == 0:
        saved.forget_after(begin or None)
    gang.told(b"begin")
    print(f"rank {rank} of {ranks} on {os.environ['PLANNER_INSTANCE']} begins at step {begin}", flush=True)
    for step in range(begin + 1, given.steps + 1):
        parts = gang.gathered(part(step, rank).tobytes())
        for each in parts:
            vector = added(vector, array("q", each))
        vector = array("q", gang.told(vector.tobytes()))
        time.sleep(given.pace_s)
        if step % EVERY == 0 or step == given.steps:
            receipt = saved.put_shard(step=step, rank=rank, data=vector.tobytes())
            receipts = gang.gathered(json.dumps(asdict(receipt)).encode())
            if rank == 0:
                shards = [Shard(**json.loads(each)) for each in receipts]
                saved.commit(step=step, shards=shards, notes={"checksum": checksum(vector)})
                print(f"step {step} is committed", flush=True)
            gang.told(b"saved")
    print(f"rank {rank} ends at step {given.steps}: {checksum(vector)}", flush=True)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except OSError as problem:  # planner-launch starts the job again, from the last COMMIT
        print(f"the other nodes do not answer: {problem}", file=sys.stderr)
        sys.exit(1)
