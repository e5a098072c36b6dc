"""What a file system gives the fleet: its disks, its clients, its metadata, and S3 behind it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.layouts.base import Demand
from planner.layouts.shared.lustre_size import FileSystem
from planner.layouts.shared.s3 import get_request_rate
from planner.models.capacity import included_metadata_iops, lustre_throughput_gb_per_s
from planner.models.datapath import clients_rate, request_bound_rate
from planner.models.number import Number
from planner.models.sheet import Sheet
from planner.models.values import Values


@dataclass(frozen=True, kw_only=True)
class Rates:
    """GB/s: read from the file system, read for the first time, written."""

    warm: Number
    cold: Number
    write: Number


def rates_of(file_system: FileSystem, demand: Demand, values: Values, sheet: Sheet) -> Rates:
    """The tightest of disks, clients and file opens; the first read comes from S3."""
    clients = sheet.equation(
        "storage.clients_gb_per_s",
        clients_rate,
        nodes=(demand.training_nodes, "run:training_nodes"),
        gb_per_s_per_node=values.given("lustre.client_gb_per_s"),
        network_mbps=(demand.instance.network_mbps, f"catalogue:{demand.instance.name}.network_mbps"),
    )
    opens = sheet.equation(
        "storage.opens_gb_per_s",
        request_bound_rate,
        requests_per_second=(_metadata(file_system, sheet), "run:storage.metadata_iops"),
        object_bytes=(demand.object_bytes, "run:data.object_bytes"),
    )
    disk = _disk(file_system, sheet)
    given = {
        "clients": (clients, "run:storage.clients_gb_per_s", "GB/s"),
        "disk": (disk, "run:storage.disk_gb_per_s", "GB/s"),
    }
    warm = sheet.words(
        "storage.warm_gb_per_s",
        np.minimum(np.minimum(clients, disk), opens),
        "GB/s",
        "the smallest of what clients take in, disks give and file opens let through",
        **given,
        opens=(opens, "run:storage.opens_gb_per_s", "GB/s"),
    )
    read = (warm, "run:storage.warm_gb_per_s", "GB/s")
    sheet.words("storage.read_gb_per_s", warm, "GB/s", "all comes from the file system", warm=read)
    lazy, from_s3 = values.given("lustre.lazy_load_fraction"), get_request_rate(demand, values, sheet)
    cold = sheet.words(
        "storage.cold_read_gb_per_s",
        # the file servers load from S3 themselves, so the fleet's own links do not bound them
        np.minimum(warm * lazy[0], from_s3),
        "GB/s",
        "the smaller of a share of the warm rate and what S3 answers",
        warm=read,
        lazy_load=(*lazy, "fraction"),
        gets=(from_s3, "run:storage.s3_get_gb_per_s", "GB/s"),
    )
    how = "the smaller of what clients send and disks take"
    write = sheet.words("storage.write_gb_per_s", np.minimum(clients, disk), "GB/s", how, **given)
    return Rates(warm=warm, cold=cold, write=write)


def _disk(file_system: FileSystem, sheet: Sheet) -> float:
    if file_system.choice.is_tiering:
        steps = "reads and checkpoint writes, in steps of 4,000 MB/s"
        mbps = sheet.words("storage.throughput_mbps", file_system.mbps, "MB/s", steps)
        given = (mbps, "run:storage.throughput_mbps", "MB/s")
        return sheet.words("storage.disk_gb_per_s", mbps / 1000, "GB/s", "as provisioned", throughput_mbps=given)
    return sheet.equation(
        "storage.disk_gb_per_s",
        lustre_throughput_gb_per_s,
        capacity_gib=(file_system.capacity_gib, "run:storage.capacity_gib"),
        mbps_per_tib=(file_system.mbps, "run:storage.mbps_per_tib"),
    )


def _metadata(file_system: FileSystem, sheet: Sheet) -> int:
    choice, metadata_iops = file_system.choice, file_system.metadata_iops
    included = sheet.equation(
        "storage.metadata_iops_included",
        included_metadata_iops,
        capacity_gib=(file_system.capacity_gib, "run:storage.capacity_gib"),
    )
    free = {"included": (included, "run:storage.metadata_iops_included", "metadata IOPS")}
    if choice.metadata_iops:
        asked = (choice.metadata_iops, f"plan:{choice.section}.metadata_iops", "metadata IOPS")
        sheet.words("storage.metadata_iops", metadata_iops, "metadata IOPS", "the larger of both", **free, asked=asked)
        above, bought = metadata_iops - included, (metadata_iops, "run:storage.metadata_iops", "metadata IOPS")
        how = "beyond what the capacity includes"
        sheet.words("storage.metadata_iops_above", above, "metadata IOPS", how, bought=bought, **free)
    else:
        sheet.words("storage.metadata_iops", metadata_iops, "metadata IOPS", "what the capacity includes", **free)
    return metadata_iops
