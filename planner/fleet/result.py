"""What a fleet costs, how long its jobs wait and what each project pays, by choice."""

from __future__ import annotations

from dataclasses import dataclass

from planner.answer.compared import Compared
from planner.answer.ranges import Range
from planner.answer.row import Row
from planner.demand.shown import JobsShown
from planner.demand.weeks import Weeks
from planner.fleet.bought import MIX, Purchase
from planner.plan.fleet_types import FleetPlan


@dataclass(frozen=True, kw_only=True)
class Waits:
    """Of jobs of `least` to `most` nodes, over all draws: how many in a draw, hours in the queue."""

    least: int
    most: int
    jobs: float
    mean_hours: float
    p90_hours: float


@dataclass(frozen=True, kw_only=True)
class Month:
    """Means over the draws. accrued: USD of what the month uses; cash: USD that is due in it. nodes_busy: by group."""

    month: int
    accrued_usd: float
    cash_usd: float
    nodes_busy: tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class ShowBack:
    """What one project pays, mean over the draws; projects add up to the bill. node_hours: by group. useful: GPU-hours
    of work in jobs that completed, on its type of speed 1."""

    project: str
    usd: float
    node_hours: tuple[float, ...]
    useful_gpu_hours: float


@dataclass(frozen=True, kw_only=True)
class Sharing:
    """The same jobs on fixed partitions, one a project, with nodes by its work. nodes: of each project, by group.
    unable: projects with a job that does not fit their part."""

    mean_wait_hours: float
    waited_gpu_hours: float
    overloaded_fraction: float
    nodes: tuple[tuple[str, tuple[int, ...]], ...]
    unable: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class FromFile:
    """The plan's file of demand: its name and hash, its whole weeks, what it shows. work: GPU-hours by project, as they
    were, or node-hours where the file names no GPUs. unmapped: jobs whose hardware `demand.ran_on` does not name.
    parts: whether jobs smaller than a node share nodes."""

    file: str
    sha256: str
    weeks: Weeks
    shown: JobsShown
    work: tuple[tuple[str, float], ...]
    unmapped: int
    parts: bool


@dataclass(frozen=True, kw_only=True)
class Stored:
    """A place for the hot data. layout: as in storage.layout, or separate-nvme. detail: its tier, or its nodes and how
    they are bought. usable_tb: what it holds. usd: over the plan's months, beside the S3 that every place has; None
    where a price is missing."""

    layout: str
    detail: str
    usable_tb: float
    usd: float | None


@dataclass(frozen=True, kw_only=True)
class Owned:
    """The nodes of a choice, owned from the first month to the last. usd: loss in value of nodes and interconnect, and
    electricity while jobs run. purchase_usd: paid before. utilisation: share of the time in which they run jobs."""

    usd: Range
    purchase_usd: Range
    utilisation: float


@dataclass(frozen=True, kw_only=True)
class Spot:
    """What spot could save for projects that give way and save checkpoints. node_hours: theirs, of the recommended
    choice; usd_per_node_hour: of spot, for them. most_usd: no way to buy saves more. saved_usd: after interruptions,
    against On-Demand for all of them. elapsed_factor: how many times as long their jobs take."""

    projects: tuple[str, ...]
    node_hours: float
    usd_per_node_hour: float
    most_usd: float
    saved_usd: Range
    elapsed_factor: float
    interruptions_per_day: float


@dataclass(frozen=True, kw_only=True)
class FleetScenario(Row):
    """A choice: nodes of each group, bought one way. Its planned cost is the mean over the draws, the sum of its bill;
    effort_usd is what waiting is worth.

    nodes: (type, count); a count of 0 for as many as jobs ask for, with the most that a draw has in peak. way: a
    purchase option, or "mix". wait_hours: mean over the jobs of all draws; its range is over draws, of the
    mean wait; of a draw whose queue only grows, until it was given up. utilisation: of the nodes of each group, busy
    ones, mean. deadlines_met: of the jobs that have one, None where none has. term_years: of the longest commitment.
    """

    nodes: tuple[tuple[str, int], ...]
    way: str
    peak: tuple[float, ...] = ()
    wait_hours: Range | None = None
    p90_wait_hours: float = 0.0
    waits: tuple[Waits, ...] = ()
    utilisation: tuple[float, ...] = ()
    deadlines_met: float | None = None
    backlog: float = 0.0
    useful_gpu_hours: float = 0.0
    usd_per_useful: Range | None = None
    lost_node_hours: float = 0.0
    failures: float = 0.0
    preempted: float = 0.0
    months: tuple[Month, ...] = ()
    show_back: tuple[ShowBack, ...] = ()
    purchases: tuple[Purchase, ...] = ()
    unused_usd: float = 0.0
    after_usd: float = 0.0
    term_years: int = 0

    @property
    def instance_type(self) -> str:
        """Of its nodes."""
        return "+".join(name for name, _ in self.nodes)

    @property
    def commitment(self) -> tuple[int, bool]:
        return self.term_years, self.way == "capacity-block"

    @property
    def is_mix(self) -> bool:
        return self.way == MIX


@dataclass(frozen=True, kw_only=True)
class FleetComparison(Compared[FleetScenario]):
    """Every choice of a plan. sharing: what the same work waits on fixed partitions of the recommended nodes; None
    where nothing is recommended or one project is alone. from_file: None without a file of demand. frontier: ids of
    eligible choices that no other one beats in both cost and wait, by cost. warnings: notes that may change the
    answer. stored, owned, spot: other places for its data, its nodes owned, and what spot could save, beside the
    recommended choice."""

    plan: FleetPlan
    warnings: tuple[str, ...] = ()
    from_file: FromFile | None = None
    sharing: Sharing | None = None
    frontier: tuple[str, ...] = ()
    stored: tuple[Stored, ...] = ()
    owned: Owned | None = None
    spot: Spot | None = None
