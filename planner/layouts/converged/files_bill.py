"""Bill lines of files over the pool: the metadata database, its storage, and what the trash keeps.

No price of RDS is in the books: both are assumptions with their range, marked as such on the bill.
"""

from __future__ import annotations

import numpy as np

from planner.layouts.base import Demand, Timing
from planner.layouts.converged.files import TRASH_DAYS
from planner.layouts.shared.instances import MONTHS, RUN_HOURS, bill_assumed_hours
from planner.models.capacity import gb_months
from planner.models.ledger import Ledger
from planner.models.values import Values
from pricing.offers import HOURS_PER_MONTH

RDS = "AmazonRDS"
LEAST_GIB = 20  # of storage: RDS User Guide, "gp3 storage", PostgreSQL


def bill_files(ledger: Ledger, demand: Demand, timing: Timing, values: Values, *, keeps_all: bool) -> None:
    """From the first to the last paid GPU-hour. keeps_all: whether no checkpoint is ever removed."""
    key = "posix.database_usd_per_hour"
    one = (1, "rule:one database; its price is of both zones")
    usd, about = values[key], values.table
    bill_assumed_hours(
        ledger, "storage.files.database", one, usd, timing.standing_hours, service=RDS, assumption=about[key]
    )
    _bill_storage(ledger, demand, timing, values)
    if not keeps_all:
        _bill_trash(ledger, demand, timing)


def _bill_storage(ledger: Ledger, demand: Demand, timing: Timing, values: Values) -> None:
    each, key = values.given("posix.database_bytes_per_file"), "posix.database_usd_per_gb_month"
    stored = ledger.sheet.arithmetic(
        "storage.files.database_bytes",
        np.maximum(demand.copied_in_bytes / demand.file_bytes * each[0], LEAST_GIB * 2**30),
        "bytes",
        "max(copied_in / file_bytes * each, least * 2**30)",
        "metadata of every file",
        copied_in=(demand.copied_in_bytes, "run:storage.copied_in_bytes", "bytes"),
        file_bytes=(demand.file_bytes, "run:data.file_bytes", "bytes"),
        each=(*each, "bytes/file"),
        least=(LEAST_GIB, "rule:RDS User Guide: gp3 storage of PostgreSQL begins at 20 GiB", "GiB"),
    )
    about, usd = values.table[key], values[key]
    ledger.assumed(
        "storage.files.database-storage",
        equation="S6",
        quantity=gb_months(stored_bytes=stored, months=timing.months),
        unit="GB-Mo",
        usd=usd,
        source=about.source,
        year=about.year,
        service=RDS,
        usd_per_hour=stored / 2**30 * usd / HOURS_PER_MONTH,
        inputs={"stored_bytes": (stored, "run:storage.files.database_bytes"), "months": (timing.months, MONTHS)},
    )


def _bill_trash(ledger: Ledger, demand: Demand, timing: Timing) -> None:
    """Checkpoints that were removed stay for a day. In S3's first price tier: at most a tenth too much."""
    removed = np.maximum(timing.checkpoints_written - timing.checkpoints_stored, 0.0)
    days = timing.standing_hours / 24
    kept = ledger.sheet.arithmetic(
        "storage.s3.trash_bytes",
        removed * np.minimum(TRASH_DAYS / days, 1.0) * demand.checkpoint_bytes,
        "bytes",
        "max(written - stored, 0) * min(trash_days / (hours / 24), 1) * checkpoint_bytes",
        "removed checkpoints, on average over the run",
        written=(timing.checkpoints_written, "run:run.checkpoints_written", "checkpoints"),
        stored=(timing.checkpoints_stored, "run:run.checkpoints_stored", "checkpoints"),
        trash_days=(TRASH_DAYS, "rule:files are formatted with a trash of one day", "days"),
        hours=(timing.standing_hours, RUN_HOURS, "h"),
        checkpoint_bytes=(demand.checkpoint_bytes, "run:data.checkpoint_bytes", "bytes"),
    )
    ledger.metered(
        "storage.s3.trash",
        ("AmazonS3", "S3 Standard storage"),
        equation="S6",
        quantity=gb_months(stored_bytes=kept, months=timing.months),
        inputs={"stored_bytes": (kept, "run:storage.s3.trash_bytes"), "months": (timing.months, MONTHS)},
        standing=kept / 2**30,
    )
