"""Bill lines that only `fsx-lustre` has: the file system, on SSD or with Intelligent-Tiering."""

from __future__ import annotations

from planner.layouts.base import Demand, Timing
from planner.layouts.shared.instances import MONTHS
from planner.layouts.shared.lustre_bill import SERVICE, bill_capacity, bill_ssd
from planner.layouts.shared.lustre_size import FileSystem
from planner.models.ledger import Ledger
from planner.models.metered import requests_thousands, resource_months


def bill_file_system(ledger: Ledger, file_system: FileSystem, demand: Demand, timing: Timing) -> None:
    """The file system from the first to the last paid GPU-hour; with Intelligent-Tiering also its requests."""
    if file_system.choice.is_tiering:
        _bill_tiering(ledger, file_system, demand, timing)
    else:
        bill_ssd(ledger, file_system, timing)


def _bill_tiering(ledger: Ledger, file_system: FileSystem, demand: Demand, timing: Timing) -> None:
    mbps = file_system.mbps
    ledger.metered(
        "storage.lustre.throughput",
        (SERVICE, "INTELLIGENT_TIERING Throughput capacity"),
        equation="T6",
        quantity=resource_months(count=mbps, months=timing.months),
        inputs={"count": (mbps, "run:storage.throughput_mbps"), "months": (timing.months, MONTHS)},
        standing=mbps,
    )
    bill_capacity(ledger, file_system, timing, "INTELLIGENT_TIERING Intelligent-Tiering Frequent Access storage")
    moved = ledger.sheet.arithmetic(
        "storage.moved_bytes",
        timing.read_bytes + timing.s3_read_bytes + timing.checkpoints_written * demand.checkpoint_bytes,
        "bytes",
        "read + loaded + checkpoints * checkpoint_bytes",
        read=(timing.read_bytes, "run:storage.read_bytes", "bytes"),
        loaded=(timing.s3_read_bytes, "run:storage.s3_read_bytes", "bytes"),
        checkpoints=(timing.checkpoints_written, "run:run.checkpoints_written", "checkpoints"),
        checkpoint_bytes=(demand.checkpoint_bytes, "run:data.checkpoint_bytes", "bytes"),
    )
    ledger.metered(
        "storage.lustre.requests",
        (SERVICE, "INTELLIGENT_TIERING requests"),
        equation="T2",
        quantity=requests_thousands(bytes_moved=moved, object_bytes=demand.object_bytes),
        inputs={
            "bytes_moved": (moved, "run:storage.moved_bytes"),
            "object_bytes": (demand.object_bytes, "run:data.object_bytes"),
        },
    )
