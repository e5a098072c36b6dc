"""The registry of bill lines: every line that a bill can have, and what the rest of the program must know about it.

Breakdowns, storage figures, stack files, budgets and the resources of a preview all use it. A line that is not here is
an error, because it would be counted under a wrong name or left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache

# parts of a breakdown, as shown in reports
GPU_NODES = "GPU nodes"
UNUSED_BLOCK = "unused block time"
UNUSED_COMMITMENT = "unused commitment"
STORAGE = "storage"
OVERHEAD = "network, volumes, alarms"

# names of lines that are looked up on their own
COMPUTE = "fleet.compute"
COMMITMENT_UNUSED = "fleet.commitment-unused"
BLOCK_UNUSED = "fleet.block-unused"
COMPUTE_FALLBACK = "fleet.compute-on-demand"  # after a move from spot, a Capacity Block or a commitment
BLOCK_MORE = "fleet.block-extension"
WAIT = "fleet.wait"
SPOT_INTERRUPTIONS = "fleet.spot-interruptions"
STAFF = "people.staff"


class UnknownBillLine(KeyError):
    """A line that the registry does not have."""

    def __init__(self, line: str) -> None:
        super().__init__(line)
        self.line = line

    def __str__(self) -> str:
        return f"the bill line {self.line} is not registered: add it to planner/models/bill_lines.py"


@dataclass(frozen=True, kw_only=True)
class BillLine:
    """One line, or all lines that match `pattern`, where `*` matches any text.

    part: of the breakdown. family: "gpu-nodes" (priced by the purchase option), "storage", "overhead" or "people".
    component: the part of the stack that causes it, "" if it belongs to no stack.
    in_budget: whether a stack's AWS budget counts it. unused: prepaid and not used by the run.
    outlives_run: charged until the end of the retention time.
    """

    pattern: str
    part: str
    family: str
    component: str
    in_budget: bool = True
    unused: bool = False
    outlives_run: bool = False

    @property
    def in_stack(self) -> bool:
        """Whether deploying a stack causes this line."""
        return bool(self.component)


def _gpu_nodes(pattern: str, part: str = GPU_NODES, *, unused: bool = False, in_budget: bool = True) -> BillLine:
    return BillLine(
        pattern=pattern, part=part, family="gpu-nodes", component="fleet", unused=unused, in_budget=in_budget
    )


def _overhead(pattern: str, component: str) -> BillLine:
    return BillLine(pattern=pattern, part=OVERHEAD, family="overhead", component=component)


def _storage(pattern: str, component: str, *, outlives_run: bool = False) -> BillLine:
    return BillLine(pattern=pattern, part=STORAGE, family="storage", component=component, outlives_run=outlives_run)


def _people(pattern: str, part: str) -> BillLine:
    return BillLine(pattern=pattern, part=part, family="people", component="", in_budget=False)


# the first match counts
LINES = (
    _gpu_nodes(COMPUTE),
    _gpu_nodes(COMPUTE_FALLBACK),
    _gpu_nodes("fleet.compute-*"),  # nodes of a worker pool, by what they do besides work
    _gpu_nodes(SPOT_INTERRUPTIONS),
    _gpu_nodes(BLOCK_MORE),
    _gpu_nodes(BLOCK_UNUSED, UNUSED_BLOCK, unused=True),
    # a commitment belongs to the payer account and goes on after the stack is deleted
    _gpu_nodes(COMMITMENT_UNUSED, UNUSED_COMMITMENT, unused=True, in_budget=False),
    _overhead(WAIT, "fleet"),
    _overhead("fleet.ebs", "fleet"),
    _overhead("fleet.logs", "fleet"),
    _overhead("network.nat-gateway", "network"),
    _overhead("network.nat-data", "network"),
    _overhead("network.nat-s3-data", "network"),
    _overhead("network.public-ipv4", "network"),
    _overhead("network.interface-endpoints", "network"),
    _overhead("network.endpoint-data", "network"),
    _overhead("network.flow-logs", "network"),
    _overhead("scheduler.controller", "scheduler"),
    _overhead("scheduler.accounting", "scheduler"),
    _overhead("scheduler.node-fee", "scheduler"),
    _overhead("scheduler.login-node", "scheduler"),
    _overhead("scheduler.login-ebs", "scheduler"),
    _overhead("guard.alarms", "guard"),
    _overhead("guard.metrics", "guard"),
    _overhead("transfer.ingest", "tier"),
    _storage("pool.control-nodes", "pool"),
    _storage("pool.control-ebs", "pool"),
    _storage("storage.files.*", "pool"),
    _storage("storage.nvme.nodes", "nvme"),
    _storage("storage.nvme.ebs", "nvme"),
    _storage("storage.lustre.capacity", "lustre"),
    _storage("storage.lustre.metadata-iops", "lustre"),
    _storage("storage.lustre.throughput", "lustre"),
    _storage("storage.lustre.requests", "lustre"),
    _storage("storage.s3.*-requests", "tier"),
    _storage("storage.s3.trash", "tier"),
    _storage("storage.s3.*", "tier", outlives_run=True),  # by storage class and access tier
    _storage("storage.kms.key", "tier", outlives_run=True),
    _storage("storage.kms.requests", "tier"),
    _people(STAFF, "salaries"),
    _people("people.experiments", "experiments"),
    _people("people.preprocessing", "preprocessing"),
)


@cache
def bill_line(line: str) -> BillLine:
    """What is known about a line of a bill. Raises UnknownBillLine."""
    for entry in LINES:
        if line == entry.pattern or ("*" in entry.pattern and fnmatchcase(line, entry.pattern)):
            return entry
    raise UnknownBillLine(line)
