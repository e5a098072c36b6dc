"""Files over the pool: JuiceFS on every GPU node, its blocks in the pool and S3, its metadata in PostgreSQL on RDS.

docs/decisions/0019-posix-pool.md says why, what was tried, and what is open.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from planner.layouts.base import Demand
from planner.layouts.shared.many_files import file_warnings, files_of, scan_hours
from planner.layouts.shared.pool import Pool
from planner.models.datapath import clients_rate, mixed_read_rate, request_bound_rate
from planner.models.derived import SourcedQuantity
from planner.models.number import Number, median
from planner.models.sheet import Sheet
from planner.models.values import Values

BLOCK_BYTES = 4 * 2**20
TRASH_DAYS = 1
DATABASE = "PostgreSQL on RDS, Multi-AZ"
DATABASE_CLASS = "db.r8g.xlarge"  # 4 vCPU, 32 GiB: what posix.database_usd_per_hour is the price of
# numbers of the pool that mounts and the database limit further
POOL_NAMES = {
    f"storage.{name}": f"storage.pool_{name}"
    for name in ("warm_gb_per_s", "cold_read_gb_per_s", "read_gb_per_s", "write_gb_per_s")
}
LIMITS = (
    "appends to one file from several nodes lose records without an error: give each node its own file, or take "
    "flock and open the file again for each record",
    f"removed files stay linked in the trash for {TRASH_DAYS} day: link counts are too high until then, and a rename "
    "over a file whose hard link was removed and made again may not return (juicedata/juicefs issue 7502)",
)


@dataclass(frozen=True, kw_only=True)
class Files:
    """What files over a pool provide. pool: the rates of mounts; warnings: what a program may notice."""

    pool: Pool
    copy_in_gb_per_s: Number
    warnings: tuple[str, ...]


def as_blocks(demand: Demand) -> Demand:
    """The demand in JuiceFS's blocks: a file below a block is one object, a larger one has one for each block. The
    data is copied in, because plain objects are no files of JuiceFS."""
    sheet = Sheet(recording=bool(demand.derived))
    sheet.include(demand.derived, {"data.object_bytes": "data.file_bytes"})
    file_bytes = demand.object_bytes
    block = sheet.arithmetic(
        "data.object_bytes",
        file_bytes / np.ceil(file_bytes / BLOCK_BYTES),
        "bytes",
        "file_bytes / ceil(file_bytes / block_bytes)",
        "a block of a file, on average",
        file_bytes=(file_bytes, "run:data.file_bytes", "bytes"),
        block_bytes=(BLOCK_BYTES, "rule:JuiceFS 1.4.2, format: blocks of 4 MiB", "bytes"),
    )
    copied = sheet.arithmetic(
        "storage.copied_in_bytes",
        demand.read_sets_bytes,
        "bytes",
        "read_sets",
        "every data set that training reads",
        read_sets=(demand.read_sets_bytes, "rule:the data sets of the plan", "bytes"),
    )
    return replace(demand, object_bytes=block, file_bytes=file_bytes, copied_in_bytes=copied, derived=sheet.derived)


def files_over(pool: Pool, demand: Demand, values: Values, sheet: Sheet) -> Files:
    """Rates of mounts on all training nodes: those of the pool, up to what clients carry and the database opens."""
    file_bytes = (demand.file_bytes, "run:data.file_bytes")
    read, write = (_mounts(way, demand, values, sheet) for way in ("read", "write"))
    opens, creates = (_by_the_database(what, demand, values, sheet) for what in ("opens", "creates"))
    limits: dict[str, SourcedQuantity] = {
        "mounts": (read, "run:storage.mounts_read_gb_per_s", "GB/s"),
        "opens": (opens, "run:storage.opens_gb_per_s", "GB/s"),
    }

    def limited(name: str, rate: Number, most: Number, **by: SourcedQuantity) -> Number:
        given = (rate, f"run:{POOL_NAMES[f'storage.{name}']}", "GB/s")
        expression = f"min(pool, {', '.join(by)})"
        return sheet.arithmetic(f"storage.{name}", np.minimum(rate, most), "GB/s", expression, pool=given, **by)

    most = np.minimum(read, opens)
    warm = limited("warm_gb_per_s", pool.warm_gb_per_s, most, **limits)
    cold = limited("cold_read_gb_per_s", pool.cold_gb_per_s, most, **limits)
    steady = sheet.equation(
        "storage.read_gb_per_s",
        mixed_read_rate,
        hit_fraction=(pool.hit_fraction, "run:storage.hit_fraction"),
        warm_gb_per_s=(warm, "run:storage.warm_gb_per_s"),
        cold_gb_per_s=(cold, "run:storage.cold_read_gb_per_s"),
    )
    by = (write, "run:storage.mounts_write_gb_per_s", "GB/s")
    written = limited("write_gb_per_s", pool.write_gb_per_s, write, mounts=by)
    copy_in = sheet.arithmetic(
        "storage.copy_in_gb_per_s",
        np.minimum(written, creates),
        "GB/s",
        "min(write, creates)",
        "every file of the training data is written once before training starts",
        write=(written, "run:storage.write_gb_per_s", "GB/s"),
        creates=(creates, "run:storage.creates_gb_per_s", "GB/s"),
    )
    scan = scan_hours(
        files_of(demand, file_bytes, sheet),
        sheet,
        metadata_iops=values.given("posix.opens_per_second"),
        files_per_operation=(1, "rule:an open is one operation of the database here"),
    )
    remedy = "a larger database (assumptions.posix.opens_per_second)"
    hours = demand.copied_in_bytes / 1e9 / median(copy_in) / 3600
    return Files(
        pool=replace(pool, warm_gb_per_s=warm, cold_gb_per_s=cold, steady_gb_per_s=steady, write_gb_per_s=written),
        copy_in_gb_per_s=copy_in,
        warnings=(
            f"jobs cannot open the bucket's plain objects: {demand.copied_in_bytes / 1e12:,.1f} TB are copied into the "
            f"file system before training, which takes {hours:,.1f} h of the nodes; if you keep the originals, their "
            "storage is not on this bill",
            *LIMITS,
            *file_warnings(demand, demand.file_bytes, opens, scan, remedy),
        ),
    )


def _mounts(way: str, demand: Demand, values: Values, sheet: Sheet) -> Number:
    """way: read or write."""
    return sheet.equation(
        f"storage.mounts_{way}_gb_per_s",
        clients_rate,
        nodes=(demand.training_nodes, "run:training_nodes"),
        gb_per_s_per_node=values.given(f"posix.client_{way}_gb_per_s"),
        network_mbps=(demand.instance.network_mbps, f"catalogue:{demand.instance.name}.network_mbps"),
    )


def _by_the_database(what: str, demand: Demand, values: Values, sheet: Sheet) -> Number:
    """The rate at which the database lets files be used. what: opens or creates."""
    return sheet.equation(
        f"storage.{what}_gb_per_s",
        request_bound_rate,
        requests_per_second=values.given(f"posix.{what}_per_second"),
        object_bytes=(demand.file_bytes, "run:data.file_bytes"),
    )
