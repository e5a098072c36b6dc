"""The pool on this machine: cold, warm and write, beside what the planner's equations say of these drives, this S3 and
these cores, all measured in the same run; the reference is S3 read directly."""

from __future__ import annotations

import os
import random
import socket
import sys
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from planner.models.datapath import node_serve_rate, rate_in_series
from planner.plan.assumptions import default_assumptions
from tests.pool.cluster import BUCKET, Cluster, Shape, standing
from tests.pool.daemon import Daemon, wait_until
from tests.pool.machine import missing

OBJECTS, OBJECT_BYTES, THREADS, RUNS = 24, 8_000_000, 4, 3
GB = 1e9
PORT = 5201
SENDER = """
import os, socket, sys
server = socket.create_server((sys.argv[1], int(sys.argv[2])))
for _ in range(int(sys.argv[3]) - 1):
    os.fork()
while True:
    link, _ = server.accept()
    try:
        while True:
            link.sendall(bytes(1 << 20))
    except OSError:
        pass
"""


@dataclass(frozen=True, kw_only=True)
class Rate:
    """gb_per_s: bytes over wall time. core_s_per_gb: processor time that this process, the client, took for them."""

    gb_per_s: float
    core_s_per_gb: float


def rate(action: Callable[[int], int], numbers: Iterable[int]) -> Rate:
    """Of an action that moves bytes and says how many, by THREADS at a time."""
    wall, cpu = time.perf_counter(), time.process_time()
    with ThreadPoolExecutor(THREADS) as pool:
        moved = sum(pool.map(action, numbers))
    return Rate(
        gb_per_s=moved / (time.perf_counter() - wall) / GB, core_s_per_gb=(time.process_time() - cpu) / moved * GB
    )


def best(measured: Callable[[], Rate]) -> Rate:
    """The fastest of some runs: what a machine that others use too gets in its way only makes slower."""
    return max((measured() for _ in range(RUNS)), key=lambda found: found.gb_per_s)


def network_gb_per_s(cluster: Cluster, seconds: float = 1.0) -> float:
    """Bytes a second out of a node's namespace by as many plain TCP connections as the readers have."""
    host = cluster.nodes[0].host
    command = [sys.executable, "-c", SENDER, host.address, str(PORT), str(THREADS)]
    sender = Daemon(host, command, cluster.folder / "sender.log", {})
    sender.start()

    def connected() -> bool:
        try:
            socket.create_connection((host.address, PORT), timeout=5).close()
        except OSError:
            return False
        return True

    def receive(_: int) -> int:
        buffer, moved, end = bytearray(1 << 20), 0, time.perf_counter() + seconds
        with socket.create_connection((host.address, PORT), timeout=5) as link:
            while time.perf_counter() < end:
                moved += link.recv_into(buffer)
        return moved

    try:
        wait_until(connected, "a sender in the node", 20)
        return best(lambda: rate(receive, range(THREADS))).gb_per_s
    finally:
        sender.kill()


def drive_rates(folder: Path) -> tuple[Rate, Rate]:
    """(read, write) of files on one drive, as the daemon does it: through the page cache, nothing synced."""
    data = random.Random(0).randbytes(OBJECT_BYTES)

    def write(number: int) -> int:
        return (folder / f"bench{number}").write_bytes(data)

    def read(number: int) -> int:
        return len((folder / f"bench{number}").read_bytes())

    numbers = range(OBJECTS // 2)
    written, got = best(lambda: rate(write, numbers)), best(lambda: rate(read, numbers))
    for number in numbers:
        (folder / f"bench{number}").unlink()
    return got, written


def main() -> str:
    lacking = missing()
    if lacking:
        return "not measured, this machine lacks: " + "; ".join(lacking)
    with standing(Shape(nodes=1, drives=2, proxies=1)) as cluster:
        return told(cluster)


def told(cluster: Cluster) -> str:
    client, store = cluster.client(timeout_s=60), cluster.s3.client()
    rng = random.Random(1)
    bodies = [rng.randbytes(OBJECT_BYTES) for _ in range(OBJECTS)]
    numbers = range(OBJECTS)
    turn = iter(range(1000))

    def put_s3(number: int) -> int:
        store.put_object(Bucket=BUCKET, Key=f"s3/{number}", Body=bodies[number])
        return OBJECT_BYTES

    def get_s3(number: int) -> int:
        return len(store.get_object(Bucket=BUCKET, Key=f"s3/{number}")["Body"].read())

    def cold() -> Rate:
        client.evict([f"s3/{number}" for number in numbers])
        time.sleep(2)  # the job that evicts
        return rate(lambda number: len(client.get(f"s3/{number}")), numbers)

    def written() -> Rate:
        run = next(turn)

        def put(number: int) -> int:
            client.put(f"w{run}/{number}", bodies[number])
            return OBJECT_BYTES

        return rate(put, numbers)

    s3_write, s3_read = best(lambda: rate(put_s3, numbers)), best(lambda: rate(get_s3, numbers))
    drive_read, drive_write = drive_rates(cluster.nodes[0].drives[0].mount)
    network = network_gb_per_s(cluster)
    found = {
        "cold": best(cold),
        "warm": best(lambda: rate(lambda number: len(client.get(f"s3/{number}")), numbers)),
        "write": best(written),
    }
    given = default_assumptions()
    names = ("core_seconds_per_gb", "read_efficiency_fraction")
    assumed = {name: given[f"converged.{name}"].value for name in names}
    cores = os.cpu_count() or 1
    per_gb = assumed["core_seconds_per_gb"] + found["warm"].core_s_per_gb  # the client has no cores of its own here
    warm = node_serve_rate(
        network_gbps=network * 8,
        drives=2,
        drive_read_gb_per_s=drive_read.gb_per_s,
        reserved_cores=cores,
        core_seconds_per_gb=per_gb,
        efficiency_fraction=assumed["read_efficiency_fraction"],
    )
    predicted = {
        "cold": min(float(warm), s3_read.gb_per_s),
        "warm": float(warm),
        "write": float(rate_in_series(first_gb_per_s=2 * drive_write.gb_per_s, second_gb_per_s=s3_write.gb_per_s)),
    }
    lines = [
        f"this machine: {cores} cores; a drive reads {drive_read.gb_per_s:.2f} and writes {drive_write.gb_per_s:.2f} "
        f"GB/s (page cache), network {network:.2f} GB/s",
        f"S3 directly: reads {s3_read.gb_per_s:.3f} GB/s (the reference), writes {s3_write.gb_per_s:.3f} GB/s",
        f"core-seconds a GB: {assumed['core_seconds_per_gb']:g} of the daemon as assumed, "
        f"{found['warm'].core_s_per_gb:.2f} of the client as measured, which shares the cores",
        f"{'pool':<8}{'GB/s':>8}{'model':>8}{'measured / model':>19}{'/ S3 directly':>16}",
    ]
    lines += [
        f"{name:<8}{got.gb_per_s:>8.3f}{predicted[name]:>8.3f}{got.gb_per_s / predicted[name]:>19.2f}"
        f"{got.gb_per_s / (s3_write if name == 'write' else s3_read).gb_per_s:>16.2f}"
        for name, got in found.items()
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    print(f"== {__doc__}\n{main()}\n")
