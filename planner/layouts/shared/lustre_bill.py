"""What AWS bills for a Lustre file system: its capacity and, on SSD, metadata IOPS above the included ones."""

from __future__ import annotations

from planner.layouts.base import Timing
from planner.layouts.shared.instances import MONTHS
from planner.layouts.shared.lustre_size import FileSystem
from planner.models.capacity import gb_months, included_metadata_iops
from planner.models.ledger import Ledger
from planner.models.metered import resource_months

SERVICE = "AmazonFSx"


def storage_item(deployment: str, mbps_per_tib: int) -> tuple[str, str]:
    """(item, offering) in the price book of a deployment's SSD storage."""
    return f"{deployment} SSD storage", f"{mbps_per_tib} MB/s/TiB"


def bill_capacity(ledger: Ledger, file_system: FileSystem, timing: Timing, item: str, offering: str = "") -> None:
    """The line of the stored data, from the first to the last paid GPU-hour."""
    gib = file_system.capacity_gib
    ledger.metered(
        "storage.lustre.capacity",
        (SERVICE, item),
        offering=offering,
        equation="S6",
        quantity=gb_months(stored_bytes=gib * 2**30, months=timing.months),
        inputs={"stored_bytes": (gib * 2**30, "run:storage.capacity_bytes"), "months": (timing.months, MONTHS)},
        standing=gib,
    )


def bill_ssd(ledger: Ledger, file_system: FileSystem, timing: Timing) -> None:
    """Lines of a file system on SSD, from the first to the last paid GPU-hour."""
    bill_capacity(ledger, file_system, timing, *storage_item(file_system.choice.deployment, file_system.mbps))
    extra = file_system.metadata_iops - included_metadata_iops(capacity_gib=file_system.capacity_gib)
    if extra > 0:
        ledger.metered(
            "storage.lustre.metadata-iops",
            (SERVICE, "PERSISTENT_2 Metadata IOPS above the included amount"),
            equation="T6",
            quantity=resource_months(count=extra, months=timing.months),
            inputs={"count": (extra, "run:storage.metadata_iops_above"), "months": (timing.months, MONTHS)},
            standing=extra,
        )
