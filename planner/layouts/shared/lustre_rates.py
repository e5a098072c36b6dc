"""The rates of a Lustre file system: its disks, its clients, its metadata, and S3 behind it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.layouts.base import Demand
from planner.layouts.shared.lustre_size import TIERING_STEP_MBPS, FileSystem
from planner.layouts.shared.s3 import get_request_rate
from planner.models.capacity import included_metadata_iops, lustre_throughput_gb_per_s
from planner.models.datapath import clients_rate, request_bound_rate
from planner.models.number import Number, scalar
from planner.models.sheet import Sheet
from planner.models.values import Values

HOLDS_ALL = (1.0, "rule:a file system keeps all data that it has loaded")


@dataclass(frozen=True, kw_only=True)
class Rates:
    """GB/s: files as fast as they are opened, reads from the file system, first reads, and writes."""

    opens: Number
    warm: Number
    cold: Number
    write: Number


def rates_of(file_system: FileSystem, demand: Demand, values: Values, sheet: Sheet) -> Rates:
    """The smallest of disks, clients and file opens; first reads come from S3."""
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
    disk = _disk(file_system, demand, sheet)
    limits = {
        "clients": (clients, "run:storage.clients_gb_per_s", "GB/s"),
        "disk": (disk, "run:storage.disk_gb_per_s", "GB/s"),
    }
    warm = sheet.arithmetic(
        "storage.warm_gb_per_s",
        np.minimum(np.minimum(clients, disk), opens),
        "GB/s",
        "min(clients, disk, opens)",
        **limits,
        opens=(opens, "run:storage.opens_gb_per_s", "GB/s"),
    )
    read = (warm, "run:storage.warm_gb_per_s")
    sheet.taken("storage.read_gb_per_s", "GB/s", warm=read)
    lazy, from_s3 = values.given("lustre.lazy_load_fraction"), get_request_rate(demand, values, sheet)
    cold = sheet.arithmetic(
        "storage.cold_read_gb_per_s",
        # the file servers load from S3, so the fleet's own links do not limit it
        np.minimum(warm * lazy[0], from_s3),
        "GB/s",
        "min(warm * lazy_load, gets)",
        warm=(*read, "GB/s"),
        lazy_load=(*lazy, "fraction"),
        gets=(from_s3, "run:storage.s3_get_gb_per_s", "GB/s"),
    )
    written = _disk_write(file_system, disk, sheet)
    limits["disk"] = (written[0], written[1], "GB/s")
    write = sheet.arithmetic(
        "storage.write_gb_per_s", np.minimum(clients, written[0]), "GB/s", "min(clients, disk)", **limits
    )
    return Rates(opens=opens, warm=warm, cold=cold, write=write)


def _disk(file_system: FileSystem, demand: Demand, sheet: Sheet) -> float:
    if file_system.choice.is_tiering:
        mbps = sheet.arithmetic(
            "storage.throughput_mbps",
            file_system.mbps,
            "MB/s",
            "max(1, ceil(planned_gb_per_s * 1000 / step)) * step",
            planned_gb_per_s=(demand.planned_gb_per_s, "run:storage.planned_gb_per_s", "GB/s"),
            step=(TIERING_STEP_MBPS, "rule:FSx for Lustre User Guide: throughput grows in steps of 4,000 MB/s", "MB/s"),
        )
        provisioned = (mbps, "run:storage.throughput_mbps", "MB/s")
        expression = "throughput_mbps / 1000"
        return sheet.arithmetic("storage.disk_gb_per_s", mbps / 1000, "GB/s", expression, throughput_mbps=provisioned)
    return scalar(
        sheet.equation(
            "storage.disk_gb_per_s",
            lustre_throughput_gb_per_s,
            capacity_gib=(file_system.capacity_gib, "run:storage.capacity_gib"),
            mbps_per_tib=(file_system.mbps, "run:storage.mbps_per_tib"),
        )
    )


def _disk_write(file_system: FileSystem, disk: float, sheet: Sheet) -> tuple[float, str]:
    """Write rate of the disks in GB/s, with its origin."""
    if file_system.choice.write_mbps_per_tib is None:
        return disk, "run:storage.disk_gb_per_s"
    rule = f"rule:FSx for Lustre User Guide: disk throughput of {file_system.choice.deployment} for writes"
    rate = scalar(
        sheet.equation(
            "storage.disk_write_gb_per_s",
            lustre_throughput_gb_per_s,
            capacity_gib=(file_system.capacity_gib, "run:storage.capacity_gib"),
            mbps_per_tib=(file_system.choice.write_mbps_per_tib, rule),
        )
    )
    return rate, "run:storage.disk_write_gb_per_s"


def _metadata(file_system: FileSystem, sheet: Sheet) -> int:
    choice, metadata_iops = file_system.choice, file_system.metadata_iops
    included = sheet.equation(
        "storage.metadata_iops_included",
        included_metadata_iops,
        capacity_gib=(file_system.capacity_gib, "run:storage.capacity_gib"),
    )
    unit, included_run = "metadata IOPS", "run:storage.metadata_iops_included"
    free = {"included": (included, included_run, unit)}
    if choice.metadata_iops:
        asked = (choice.metadata_iops, f"plan:{choice.section}.metadata_iops", unit)
        sheet.arithmetic("storage.metadata_iops", metadata_iops, unit, "max(included, asked)", **free, asked=asked)
        above, bought = metadata_iops - included, (metadata_iops, "run:storage.metadata_iops", unit)
        sheet.arithmetic("storage.metadata_iops_above", above, unit, "bought - included", bought=bought, **free)
    else:
        sheet.taken("storage.metadata_iops", unit, included=(metadata_iops, included_run))
    return metadata_iops
