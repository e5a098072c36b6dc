"""The pool on this machine, by object size: warm, cold and write, beside S3 directly and the planner's equations for
these drives, this network, this S3 and these cores, all measured in one run.

    python -m benchmarks.local_pool            the tables
    python -m benchmarks.local_pool --paced    only those with an S3 whose connections are as slow as on AWS
    python -m benchmarks.local_pool --csv      the sweep as rows, as benchmarks/records has them
"""

from __future__ import annotations

import csv
import os
import sys
from collections.abc import Iterator, Mapping
from datetime import date

from benchmarks.pool_bench import Bench
from benchmarks.pool_rates import Rate
from planner.models.datapath import node_serve_rate, rate_in_series, request_bound_rate
from planner.plan.assumptions import default_assumptions
from tests.pool.cluster import Shape, standing
from tests.pool.machine import missing

SIZES = ((8 * 10**6, 16), (10**6, 100), (64 * 10**6, 4), (2**16, 300), (256 * 10**6, 3))  # (bytes, objects)
S3_STREAM_BYTES_PER_S = 85_000_000  # of one request (Amazon S3 performance guidelines: 85 to 90 MB/s)
# (bytes, objects, bytes a second of one connection to S3): few large objects; and many small ones, with a tenth of what
# S3 gives, so that two cores keep up with all of them
PACED = ((2**30, 2, S3_STREAM_BYTES_PER_S), (2**23, 32, S3_STREAM_BYTES_PER_S // 10))
CORES = os.cpu_count() or 1
DRIVES = 2
# each way beside the one that does without the pool
BESIDE = {**dict.fromkeys(("warm", "cold", "streamed", "prefetch", "ranges"), "S3 read"), "write": "S3 write"}
PARTS = ("client", "pool", "S3")


def predicted(
    size: int, rates: Mapping[str, Rate], network_gb_per_s: float, drive_read: float, drive_write: float
) -> dict[str, float]:
    """GB/s by the planner's equations and assumptions, for what was measured of this machine."""
    given = default_assumptions()
    serve = node_serve_rate(
        network_gbps=network_gb_per_s * 8,
        drives=DRIVES,
        drive_read_gb_per_s=drive_read,
        reserved_cores=CORES,
        # the client has no cores of its own here
        core_seconds_per_gb=given["converged.core_seconds_per_gb"].value + rates["warm"].core_s_per_gb["client"],
        efficiency_fraction=given["converged.read_efficiency_fraction"].value,
    )
    asked = given["converged.get_requests_per_second_per_target"].value
    warm = min(float(serve), float(request_bound_rate(requests_per_second=asked, object_bytes=size)))
    cold, to_s3 = min(warm, rates["S3 read"].gb_per_s), rates["S3 write"].gb_per_s
    write = float(rate_in_series(first_gb_per_s=DRIVES * drive_write, second_gb_per_s=to_s3))
    return {"warm": warm, "cold": cold, "write": write}


def rows(size: int, rates: Mapping[str, Rate], model: Mapping[str, float]) -> list[dict[str, str]]:
    """One for each way: what the tables and the record have."""
    return [
        {
            "object_bytes": str(size),
            "way": way,
            "gb_per_s": f"{rate.gb_per_s:.3f}",
            "of_s3": f"{rate.gb_per_s / rates[BESIDE[way]].gb_per_s:.2f}" if way in BESIDE else "",
            "of_model": f"{rate.gb_per_s / model[way]:.2f}" if way in model else "",
            "of_processor": f"{rate.gb_per_s * rate.total / CORES:.2f}",
            **{f"{part}_core_s_per_gb": f"{rate.core_s_per_gb[part]:.2f}" for part in PARTS},
        }
        for way, rate in rates.items()
    ]


def as_text(row: Mapping[str, str]) -> str:
    processor = "".join(f"{value:>9}" for name, value in row.items() if "core_s" in name)
    numbers = f"{row['gb_per_s']:>8}{row['of_s3']:>8}{row['of_model']:>9}{row['of_processor']:>11}"
    return f"{int(row['object_bytes']):>13,} {row['way']:<9}{numbers}{processor}"


HEAD = f"{'object':>13} {'way':<9}{'GB/s':>8}{'/ S3':>8}{'/ model':>9}{'processor':>11}" + "".join(
    f"{part:>9}" for part in PARTS
)


def sweep(bench: Bench) -> Iterator[dict[str, str]]:
    (drive_read, drive_write), network = bench.drive_gb_per_s(), bench.network_gb_per_s()
    print(
        f"this machine: {CORES} cores for all; a drive reads {drive_read:.2f} and writes {drive_write:.2f} GB/s (page "
        f"cache), network {network:.2f} GB/s",
        file=sys.stderr,
    )
    for size, count in SIZES:
        rates = bench.rates(size, count)
        yield from rows(size, rates, predicted(size, rates, network, drive_read, drive_write))


def main(words: list[str]) -> None:
    lacking = missing()
    if lacking:
        print("not measured, this machine lacks: " + "; ".join(lacking))
        return
    with standing(Shape(nodes=1, drives=DRIVES, drive_gib=6, proxies=1)) as cluster:
        os.environ.update(cluster.s3.environment)
        bench = Bench(cluster)
        if "--csv" in words:
            out = csv.writer(sys.stdout, lineterminator="\n")
            for number, row in enumerate(sweep(bench)):
                if not number:
                    out.writerow(["date", *row])
                out.writerow([date.today().isoformat(), *row.values()])
            return
        if "--paced" not in words:
            print(f"== {__doc__}\n{HEAD}  (core-s/GB)")
            for row in sweep(bench):
                print(as_text(row), flush=True)
        for size, count, stream in PACED:
            print(f"{count} objects of {size:,} bytes, S3 at {stream / 1e6:.1f} MB/s a connection:")
            for way, rate in bench.large(size, count, stream):
                print(f"{way:<9}{rate.gb_per_s:>8.3f} GB/s", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
