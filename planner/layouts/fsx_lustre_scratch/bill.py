"""The bill line that only `fsx-lustre-scratch` has: the capacity of the file system."""

from __future__ import annotations

from planner.layouts.base import Timing
from planner.layouts.shared.lustre_bill import bill_ssd
from planner.layouts.shared.lustre_size import FileSystem
from planner.models.ledger import Ledger


def bill_file_system(ledger: Ledger, file_system: FileSystem, timing: Timing) -> None:
    """The capacity from the first to the last paid GPU-hour."""
    bill_ssd(ledger, file_system, timing)
